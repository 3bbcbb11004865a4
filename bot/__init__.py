"""Everything people see: the command line, and what it prints."""
