"""Building the sidecar as a program that needs no Python: a folder, and a single file."""
