"""The text index: where every word, literal or regular expression occurs. Pure numpy; `postings` makes it, `lookup` reads it."""
