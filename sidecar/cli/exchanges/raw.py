"""Bodies that are no JSON, as text in a file of exchanges: any bytes come back as they were."""


def raw_text(body: bytes) -> str:
    """Return a body as text; a byte that is no UTF-8 is U+DC80 to U+DCFF there."""
    return body.decode("utf-8", "surrogateescape")


def raw_body(text: str) -> bytes:
    """Return the body that a text stands for."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Written by hand: any other half of a surrogate is sent as it is.
        return text.encode("utf-8", "surrogatepass")
