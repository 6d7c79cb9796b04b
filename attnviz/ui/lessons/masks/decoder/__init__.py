"""A decoder that writes word by word: the last steps of the page about masks."""
