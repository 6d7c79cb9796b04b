"""Rows or columns? And where in PyTorch?"""
