"""Rows or columns? And where in PyTorch?"""

PLACE = 60
