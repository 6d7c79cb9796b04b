"""A sentence that grows word by word, and a tiny decoder that is fitted to it."""
