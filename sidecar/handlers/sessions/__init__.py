"""Chat sessions over the wire: one module per family of methods."""
