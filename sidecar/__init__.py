"""The sidecar: core (pure rules), store (SQLite), handlers (use cases), server (stdio)."""

__version__ = "0.1.0"
