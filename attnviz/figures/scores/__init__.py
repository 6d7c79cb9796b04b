"""Figures of the page about score functions."""
