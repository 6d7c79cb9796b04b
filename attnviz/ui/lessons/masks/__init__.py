"""Who may look at whom?"""

PLACE = 50
