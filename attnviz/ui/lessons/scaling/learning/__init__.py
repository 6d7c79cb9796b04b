"""The trial of training: two runs, with and without the scale."""
