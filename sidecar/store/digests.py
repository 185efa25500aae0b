"""Fingerprints of content: additive over things, so that a commit pays for what it touched."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

import msgspec

SIZE: Final = 16
MODULUS: Final = 1 << (8 * SIZE)
NOTHING: Final = bytes(SIZE)
"""The digest of no things, and the chain before the first version."""


def hash_of(data: bytes) -> bytes:
    """Return the 16-byte BLAKE2b hash of some bytes."""
    return blake2b(data, digest_size=SIZE).digest()


def thing_digest(kind: int, scope: str, id_: str | None, rank: int, text: bytes) -> int:
    """Return the digest of one thing: where it stands and what it is."""
    name = b"" if id_ is None else id_.encode()
    place = scope.encode()
    head = b"%d %d %d %d " % (kind, rank, len(place), -1 if id_ is None else len(name))
    return int.from_bytes(hash_of(head + place + name + text), "little")


def as_bytes(total: int) -> bytes:
    """Return a sum of digests, modulo 2^128, as it is stored."""
    return (total % MODULUS).to_bytes(SIZE, "little")


def as_number(digest: bytes) -> int:
    """Return a stored digest as a number to add to."""
    return int.from_bytes(digest, "little")


def sum_of(digests: Iterable[int]) -> bytes:
    """Return the digest of several things."""
    return as_bytes(sum(digests))


def chained(previous: bytes, facts: tuple[Any, ...], changes: bytes) -> bytes:
    """Return a version's chain hash: what came before, what it says of itself, what it changed."""
    return hash_of(previous + msgspec.msgpack.encode(facts) + hash_of(changes))
