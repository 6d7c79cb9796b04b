"""How do words become vectors?"""

PLACE = 10
