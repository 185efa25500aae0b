"""Recorded exchanges between a host and a sidecar: written, read, played again and compared.

A file has one JSON object a line: ``{"->": message}`` is sent, ``{"<-": pattern}`` must come next.
``README.md`` of ``protocol/conformance`` describes the format.
"""
