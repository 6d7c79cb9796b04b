"""The frame round every page: page config, navigation, sidebar, lesson files."""
