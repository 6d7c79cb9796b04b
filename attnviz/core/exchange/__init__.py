"""Parameters from and for other libraries and files: dicts of arrays by our names w_q ... b_o on one side."""
