"""Session files read piece by piece say what they say when they are read whole."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.store.sessions import streams
from sidecar.store.sessions.streams import LargeValue, NotASessionError, TooLargeError, read_session

HARD = st.text(alphabet=st.sampled_from('\\"{}[],: é\u2028a/\n'), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | HARD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HARD, inner, max_size=4),
    max_leaves=12,
)
ACTIVITIES = st.lists(st.dictionaries(HARD | st.sampled_from(["id", "rawOutput"]), VALUES))


@pytest.fixture(autouse=True, params=[1, 7, 1 << 20])
def _chunks(request: pytest.FixtureRequest) -> Any:
    """Files are read in pieces that end anywhere; large is what takes a few bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "CHUNK", request.param)
        patch.setattr(streams, "LARGE", 20)
        yield


def undeferred(value: Any) -> Any:
    if isinstance(value, LargeValue):
        return json.loads(value.text())
    if isinstance(value, dict):
        return {name: undeferred(member) for name, member in value.items()}
    return [undeferred(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=50)
@given(
    others=st.dictionaries(HARD, VALUES, max_size=3),
    flat=ACTIVITIES,
    placed=ACTIVITIES,
    indent=st.sampled_from([None, 1]),
)
def test_a_file_says_in_pieces_what_it_says_whole(
    others: dict[str, Any], flat: list[Any], placed: list[Any], indent: int | None
) -> None:
    graph = {"activities": placed, "messages": flat}
    session = {**others, "messages": placed, "activities": flat, "conversationGraph": graph}
    text = json.dumps(session, ensure_ascii=False, indent=indent).encode()
    told: list[int] = []

    found = read_session(io.BytesIO(text), on_read=told.append)

    assert json.dumps(undeferred(found)) == json.dumps(session)
    assert told[-1] == len(text)
    assert told == sorted(told)


def test_a_value_that_no_row_can_hold_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MOST_BYTES", 1 << 21)
    large = json.dumps({"id": "s", "activities": [{"id": "a", "x": "y" * (1 << 22)}]}).encode()
    many = json.dumps({"id": "s", "activities": [{"x": "y" * (1 << 20)}] * 4}).encode()

    with pytest.raises(TooLargeError):
        read_session(io.BytesIO(large))
    assert len(read_session(io.BytesIO(many))["activities"]) == 4


@settings(max_examples=50)
@given(session=st.dictionaries(HARD, VALUES, min_size=1, max_size=3), data=st.data())
def test_a_file_that_ends_early_is_no_session(session: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(session).encode()
    end = data.draw(st.integers(0, len(text) - 1))

    with pytest.raises((NotASessionError, ValueError)):
        read_session(io.BytesIO(text[:end]))
