"""Facts of a tree's files -> edges: what each written name, attribute and call means, how sure that is, and why."""
