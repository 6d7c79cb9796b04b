"""A link or a file becomes a lesson: settings, edits, tokens, layer and trace."""
