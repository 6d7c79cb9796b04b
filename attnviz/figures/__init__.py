"""Arrays, labels and words in; Plotly figures out. Nothing here computes attention."""
