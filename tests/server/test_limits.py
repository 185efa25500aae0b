import json
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from sidecar.server import limits
from sidecar.server.limits import MAX_DEPTH, MAX_VALUES, has_too_many_values, is_too_deep

TEXTS = ['"', "'", "\\", "[", '{"', "a,b", '\\"[', "]}", "\\\\", "x" * 50, " [] ", "é{"]


def depth_of(value: Any) -> int:
    if not isinstance(value, (list, dict)):
        return 0
    return 1 + max(map(depth_of, value if isinstance(value, list) else value.values()), default=0)


def values_in(value: Any) -> int:
    if not isinstance(value, (list, dict)):
        return 1
    return 1 + sum(map(values_in, value if isinstance(value, list) else value.values()))


def any_json(rng: random.Random, depth: int) -> Any:
    choice = rng.random()
    if depth == 0 or choice < 0.3:
        return rng.choice([1, None, True, 1.5, *TEXTS])
    if choice < 0.65:
        return [any_json(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice(TEXTS) + str(i): any_json(rng, depth - 1) for i in range(rng.randrange(4))}


@pytest.mark.parametrize("block", [1, 2, 7, 1 << 20])
def test_counting_agrees_with_walking(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(limits, "_BLOCK", block)
    monkeypatch.setattr(limits, "_TOO_SHORT_FOR_DEPTH", 0)
    monkeypatch.setattr(limits, "_TOO_SHORT_FOR_VALUES", 0)
    rng = random.Random(block)
    for _ in range(300):
        value = any_json(rng, rng.randrange(1, 8))
        text = json.dumps(value, indent=rng.choice([None, 1]), ensure_ascii=False).encode()
        for off in (-1, 0, 1):
            monkeypatch.setattr(limits, "MAX_DEPTH", max(1, depth_of(value) + off))
            monkeypatch.setattr(limits, "MAX_VALUES", values_in(value) + off)
            assert is_too_deep(text) == (depth_of(value) > max(1, depth_of(value) + off)), text
            assert has_too_many_values(text) == (off < 0), text


@pytest.mark.parametrize(("levels", "expected"), [(63, False), (64, False), (65, True)])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_at_its_limit(levels: int, opening: bytes, closing: bytes, *, expected: bool) -> None:
    assert (
        is_too_deep(opening * levels + (b"1" if b":" in opening else b"") + closing * levels)
        == expected
    )


@pytest.mark.parametrize(("count", "expected"), [(-1, False), (0, False), (1, True)])
def test_values_at_their_limit(count: int, *, expected: bool) -> None:
    text = b"[" + b",".join([b"1"] * (MAX_VALUES + count - 1)) + b"]"

    assert has_too_many_values(text) == expected


def test_brackets_and_commas_inside_strings_do_not_count() -> None:
    assert not is_too_deep(b'["' + b"[" * 1000 + b'"]')
    assert not has_too_many_values(b'["' + b",[" * MAX_VALUES + b'"]')


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"[" * 10_000_000 + b"]" * 10_000_000, id="deep"),
        pytest.param(b"[" + b",".join([b'{"a":1}'] * 1_000_000) + b"]", id="small-objects"),
        pytest.param(b"[" + b",".join([b'"["'] * 1_000_000) + b"]", id="brackets-in-strings"),
        pytest.param((b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) * 60_000, id="many-at-the-limit"),
    ],
)
def test_counting_takes_a_few_passes_for_each_level_at_most(text: bytes) -> None:
    counting = processor_seconds(lambda: (is_too_deep(text), has_too_many_values(text)))
    one_pass = processor_seconds(lambda: sum(text))

    assert counting < 3 * MAX_DEPTH * one_pass


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
