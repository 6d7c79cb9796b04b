"""Rows and columns, and the same layer in the words of PyTorch, Keras and ONNX."""
