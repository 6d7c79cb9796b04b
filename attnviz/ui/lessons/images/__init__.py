"""Are pictures tokens too?"""
