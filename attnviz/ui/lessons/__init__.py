"""The lesson pages, a folder each."""
