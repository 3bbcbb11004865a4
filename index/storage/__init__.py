"""Disk: snapshots of commits, and the facts of blobs."""
