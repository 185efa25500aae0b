"""Foreign workflow formats, read into and written from the neutral model."""
