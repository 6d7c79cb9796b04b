"""Are pictures tokens too?"""

PLACE = 70
