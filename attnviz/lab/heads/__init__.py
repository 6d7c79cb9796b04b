"""What single heads add, and how many numbers they take."""
