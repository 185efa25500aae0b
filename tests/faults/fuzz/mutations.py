"""Sequences of frames, bent: by their order, by what they hold, by single bytes.

What a frame must be answered with is decided by :mod:`tests.faults.fuzz.oracle`, not here.
"""

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Final

Message = dict[str, Any]


def sequence(rng: random.Random, seeds: list[Message], number: int) -> list[bytes]:
    """Return the bodies of one sequence; its ids are ``number`` and a count, unless bent."""
    start = rng.randrange(len(seeds))
    length = rng.randint(2, 8)
    picked = [seeds[(start + step) % len(seeds)] for step in range(length)]
    if rng.random() < 0.3:
        rng.shuffle(picked)
    messages = [
        {"jsonrpc": "2.0", "id": f"{number}.{place}", **copy.deepcopy(seed)}
        for place, seed in enumerate(picked)
    ]
    for _ in range(rng.randint(0, 4)):
        rng.choice(_ORDERS)(rng, messages)
    for message in messages:
        if rng.random() < 0.5:
            for _ in range(rng.choice((1, 1, 2, 5))):
                _bend(rng, message)
    bodies = [json.dumps(message, ensure_ascii=False).encode() for message in messages]
    return [_scratch(rng, body) if rng.random() < 0.15 else body for body in bodies]


# The order of a sequence.


def _double(rng: random.Random, messages: list[Message]) -> None:
    messages.insert(rng.randrange(len(messages) + 1), copy.deepcopy(rng.choice(messages)))


def _drop(rng: random.Random, messages: list[Message]) -> None:
    if len(messages) > 1:
        del messages[rng.randrange(len(messages))]


def _swap(rng: random.Random, messages: list[Message]) -> None:
    one, other = rng.randrange(len(messages)), rng.randrange(len(messages))
    messages[one], messages[other] = messages[other], messages[one]


def _reuse_id(rng: random.Random, messages: list[Message]) -> None:
    rng.choice(messages)["id"] = rng.choice(messages).get("id", 1)


def _cancel(rng: random.Random, messages: list[Message]) -> None:
    place = rng.randrange(len(messages))
    params = {"id": messages[place].get("id")}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params}
    messages.insert(place + rng.randint(0, 1), cancel)


def _exchange_params(rng: random.Random, messages: list[Message]) -> None:
    one, other = rng.choice(messages), rng.choice(messages)
    one["params"], other["params"] = other.get("params"), one.get("params")


def _notify(rng: random.Random, messages: list[Message]) -> None:
    rng.choice(messages).pop("id", None)


def _reply(rng: random.Random, messages: list[Message]) -> None:
    reply = {"jsonrpc": "2.0", "id": rng.choice(messages).get("id", 7), "result": {"a": 1}}
    messages.insert(rng.randrange(len(messages) + 1), reply)


_ORDERS: Final[list[Callable[[random.Random, list[Message]], None]]] = [
    _double,
    _drop,
    _swap,
    _reuse_id,
    _cancel,
    _exchange_params,
    _notify,
    _reply,
]

# What a frame holds.


def _bend(rng: random.Random, message: Message) -> None:
    """Change one member, the envelope's now and then."""
    if rng.random() < 0.12:
        name = rng.choice(("jsonrpc", "id", "method", "params", "extra"))
        message[name] = _hostile(rng)
        return
    places = [*_places(message.get("params"))]
    if not places:
        message["params"] = _hostile(rng)
        return
    container, key = rng.choice(places)
    draw = rng.random()
    if draw < 0.6:
        container[key] = _hostile(rng)
    elif draw < 0.8:
        del container[key]
    elif isinstance(container, dict):
        container[rng.choice(("jsonrpc", "__class__", "", "a b", "extra", "é"))] = _hostile(rng)
    else:
        container += [_hostile(rng), copy.deepcopy(container[key])]


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    else:
        return found
    for key, inner in items:
        found.append((value, key))
        found += _places(inner)
    return found


def _hostile(rng: random.Random) -> Any:
    return copy.deepcopy(rng.choice(_HOSTILE))


def _nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


_HOSTILE: Final[list[Any]] = [
    None, True, False, 0, 1, -1, 2**31, 2**53, 2**63, 2**64, -(2**70), 1.5, -0.0, 1e308, 5e-324,
    "", "n", "p", "s", "m", "r", "run", "\x00", "\x1f", "é", "😀", "\u2028", "x" * 300, "y" * 5_000, "%s%n",
    "..", "0", "null", "DROP TABLE runs", "subgraph:g", "arrange:run", "a/1",
    [], {}, [[]], [None], {"": None}, _nested(30), _nested(59), _nested(70), list(range(300)),
    {"jsonrpc": "2.0", "id": 1, "method": "exit"}, {"__class__": "x", "type_name": 1}, {"$ref": "#"},
    {"nodeId": "n", "portId": "out"}, {"x": 1e9, "y": -1e9}, {"x": 1, "y": 2, "z": 3},
]  # fmt: skip

# Single bytes: the frame's length stays right, so the stream can be followed.


def _scratch(rng: random.Random, body: bytes) -> bytes:
    data = bytearray(body)
    place = rng.randrange(len(data))
    draw = rng.random()
    if draw < 0.3:
        data[place] = rng.randrange(256)
    elif draw < 0.5:
        del data[place : place + rng.randint(1, 12)]
    elif draw < 0.7:
        data[place:place] = rng.choice(_SPLINTERS)
    elif draw < 0.85:
        del data[place:]
    else:
        other = rng.randrange(len(data))
        data[place:place] = data[other : other + rng.randint(1, 40)]
    return bytes(data)


_SPLINTERS: Final = [
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\ud800", b"\\udc00", b"NaN", b"-Infinity", b"1e999",
    b"9" * 4_400, b"[" * 200, b"]" * 80, b'"', b"\\", b"{", b"}", b",", b":", b"/**/", b" \r\n\t", b"'",
]  # fmt: skip
