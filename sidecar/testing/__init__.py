"""What a host's own tests may use: a pytest plugin that spawns real sidecars."""
