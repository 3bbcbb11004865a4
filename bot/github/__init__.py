"""What we ask GitHub, and what we write there."""
