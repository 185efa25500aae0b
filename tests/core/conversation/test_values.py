import pytest

from sidecar.core.conversation.values import same_value, utf16_length


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, "1"),
        (0.0, -0.0),
        (0, -0.0),
        (None, {}),
        ([], {}),
        ({"a": None}, {}),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ("\u00e9", "e\u0301"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}),
    ],
)
def test_values_that_differ(one: object, other: object) -> None:
    assert not same_value(one, other)
    assert not same_value(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (-0.0, -0.0),
        (None, None),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{"a": [True, None]}], [{"a": [True, None]}]),
        (2**70, 2**70),
    ],
)
def test_values_that_are_the_same(one: object, other: object) -> None:
    assert same_value(one, other)


def test_deeply_nested_values_compare_without_recursion() -> None:
    one: list[object] = []
    other: list[object] = []
    for _ in range(100_000):
        one, other = [one], [other]

    equal = same_value(one, other)
    while one:
        one, other = one[0], other[0]  # type: ignore[assignment]

    assert equal


@pytest.mark.parametrize(("text", "units"), [("", 0), ("aé€", 3), ("\U0001f332", 2), ("\0", 1)])
def test_lengths_count_utf16_units(text: str, units: int) -> None:
    assert utf16_length(text) == units
    assert units == len(text.encode("utf-16-le")) // 2
