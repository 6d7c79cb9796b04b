"""How alike are a query and a key?"""

PLACE = 20
