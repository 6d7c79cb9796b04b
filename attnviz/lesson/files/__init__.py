"""Reading files that anyone may have written: every mistake is named with its place."""
