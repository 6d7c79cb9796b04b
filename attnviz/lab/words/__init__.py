"""Words as vectors: likeness, sums, order."""
