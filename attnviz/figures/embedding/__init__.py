"""Figures of the page about words and vectors."""
