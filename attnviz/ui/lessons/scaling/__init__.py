"""Why divide by sqrt(d_k)?"""
