from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.json_pointer import NoSuchPlaceError, parse, with_value, without

SAMPLE = {"a": [1, {"b": None}], "": {"~/": 2}, "0": 3}


@pytest.mark.parametrize(
    ("pointer", "steps"),
    [
        ("", []),
        ("/", [""]),
        ("/a/0", ["a", "0"]),
        ("/~01/~10", ["~1", "/0"]),
        ("/a//b", ["a", "", "b"]),
    ],
)
def test_a_pointer_is_read_step_by_step(pointer: str, steps: list[str]) -> None:
    assert parse(pointer) == steps


@pytest.mark.parametrize("pointer", ["a", "#/a", "/~", "/a~2", " /a"])
def test_what_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(ValueError, match="Pointer"):
        parse(pointer)


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", 9),
        ("/a/0", {**SAMPLE, "a": [9, {"b": None}]}),
        ("/a/1/b", {**SAMPLE, "a": [1, {"b": 9}]}),
        ("/a/1/new", {**SAMPLE, "a": [1, {"b": None, "new": 9}]}),
        ("/a/2", {**SAMPLE, "a": [1, {"b": None}, 9]}),
        ("/a/-", {**SAMPLE, "a": [1, {"b": None}, 9]}),
        ("//~0~1", {**SAMPLE, "": {"~/": 9}}),
        ("/0", {**SAMPLE, "0": 9}),
    ],
)
def test_a_value_is_put_at_a_place(pointer: str, expected: Any) -> None:
    before = deepcopy(SAMPLE)

    assert with_value(SAMPLE, parse(pointer), 9) == expected
    assert before == SAMPLE


@pytest.mark.parametrize(
    "pointer",
    ["/a/3", "/a/00", "/a/-1", "/a/x", "/b/c", "/0/x", "/a/2/x", "/a/" + "9" * 5000, "/a/٣"],
)
def test_a_place_that_is_not_there_is_told(pointer: str) -> None:
    with pytest.raises(NoSuchPlaceError):
        with_value(SAMPLE, parse(pointer), 9)
    with pytest.raises(NoSuchPlaceError):
        without(SAMPLE, parse(pointer))


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    whole=st.dictionaries(st.text(max_size=3), values, max_size=4),
    key=st.text(max_size=3),
    new=values,
)
def test_what_is_put_can_be_taken_away_again(whole: dict[str, Any], key: str, new: Any) -> None:
    before = deepcopy(whole)
    rest = {name: value for name, value in whole.items() if name != key}

    assert without(with_value(whole, [key], new), [key]) == rest
    assert whole == before
