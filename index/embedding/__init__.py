"""Text -> binary vectors, by a model."""
