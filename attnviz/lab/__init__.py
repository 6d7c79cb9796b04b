"""Experiments on attention, by subject: pure NumPy, no Streamlit, no picture."""
