"""Paths and diffs: what sort of file is it, what changed in it."""
