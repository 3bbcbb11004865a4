"""Binary vectors: 1,024 sign bits a chunk, compared by Hamming distance."""
