"""What do several heads add?"""

PLACE = 40
