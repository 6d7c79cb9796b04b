"""Why divide by sqrt(d_k): measured on random vectors, by formula, and by training."""
