"""Ranked lists of several retrievers -> one."""
