"""Figures of the page about heads."""
