"""How do words become vectors?"""
