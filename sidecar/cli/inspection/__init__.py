"""``graph-sidecar inspect``: what is in a database, for a person and as JSON."""
