"""Numbers changed by hand."""
