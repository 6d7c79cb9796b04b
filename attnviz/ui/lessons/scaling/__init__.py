"""Why divide by sqrt(d_k)?"""

PLACE = 30
