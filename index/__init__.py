"""The engine: knows code and commits, and has never heard of GitHub."""
