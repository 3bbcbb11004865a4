"""Who uses whom: edges, and what can be reached over them."""
