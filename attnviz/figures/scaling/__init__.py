"""Figures of the page about sqrt(d_k)."""
