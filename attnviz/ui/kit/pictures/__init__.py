"""Pictures and tables on the page."""
