"""Bytes of one file -> facts: a pure function of the bytes, the language and the extractor's version."""
