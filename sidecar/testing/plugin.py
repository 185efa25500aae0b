"""The pytest plugin: fixtures that spawn a real sidecar process."""
