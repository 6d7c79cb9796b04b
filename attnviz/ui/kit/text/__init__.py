"""Text on the page: prose, markup, the glossary."""
