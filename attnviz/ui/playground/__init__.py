"""The front page: nine stations from the sentence to the output."""
