"""Figures of the page about pictures as tokens."""
