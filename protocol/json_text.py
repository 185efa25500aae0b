"""JSON text in and out: one way to write a value, one canonical way to compare two.

Key order is kept, integers of any size and floats are told apart, NaN and lone surrogates are refused.
"""

from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder().decode


def dumps(value: object) -> bytes:
    """Return compact JSON, UTF-8, keys in the order they have."""
    return _encode(value)


def canonical(value: object) -> bytes:
    """Return compact JSON with sorted keys: equal values give equal bytes."""
    return _encode_sorted(value)


def loads(text: bytes | str) -> Any:
    """Return the value of a JSON text; raises :class:`ValueError` where it is none."""
    try:
        return _decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not JSON: {type(error).__name__}") from error
