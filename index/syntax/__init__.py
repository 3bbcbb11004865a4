"""Queries over syntax trees, run in a process that can be killed."""
