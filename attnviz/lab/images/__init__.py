"""Pictures as tokens."""
