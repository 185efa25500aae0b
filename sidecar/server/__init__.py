"""The imperative shell: framing, dispatch, lifetime, logs."""
