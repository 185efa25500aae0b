"""The frames of LSP's base protocol over blocking binary streams."""

from typing import IO


def framed(body: bytes) -> bytes:
    """Return a body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Read one body; None where the stream ends, inside a frame too.

    Lines that are no header are skipped: whoever wants to know of them reads the stream itself.
    """
    length: int | None = None
    while line := stream.readline():
        name, colon, value = line.partition(b":")
        if colon and name.strip().lower() == b"content-length":
            length = int(value)
        elif not line.strip() and length is not None:
            body = stream.read(length)
            return body if len(body) == length else None
    return None
