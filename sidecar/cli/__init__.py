"""The graph-sidecar command for people."""
