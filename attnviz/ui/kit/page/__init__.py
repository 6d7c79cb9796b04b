"""The parts of a page: title, sentence, steps, buttons."""
