"""The wire contract between a host and the sidecar.

Everything here is plain data: attrs value types, the method table and the
converter that reads and writes them.  Nothing here performs I/O.
"""
