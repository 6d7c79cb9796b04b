"""Figures of the page about notations."""
