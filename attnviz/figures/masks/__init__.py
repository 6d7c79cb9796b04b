"""Figures of the page about masks."""
