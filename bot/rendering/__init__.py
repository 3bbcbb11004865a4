"""Reports -> text for a terminal, a pull request or another program."""
