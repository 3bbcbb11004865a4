"""A question -> what kind of question it is, and what it is about."""
