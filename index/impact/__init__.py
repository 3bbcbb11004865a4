"""What a change reaches, what it breaks, and why we say so."""
