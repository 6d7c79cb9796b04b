"""What do several heads add?"""
