"""What every page uses: state, style, text, pictures, the parts of a page."""
