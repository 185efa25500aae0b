"""The residue of a file: what turns the writer's object into the file's, as long as it may."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.json_text import dumps
from sidecar.formats.dropped import Droppings, woven
from sidecar.formats.residue import KeyOrder, difference, merged_ids, restored, same

scalars = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=2)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.sampled_from("abcdef"), values, max_size=6)
orders = st.builds(
    KeyOrder.of,
    st.lists(st.sampled_from("abc"), unique=True),
    st.lists(st.sampled_from("def"), unique=True),
)


@given(objects, objects, orders)
def test_any_object_is_turned_into_any_other(made: Any, raw: Any, order: KeyOrder) -> None:
    patch = difference(made, raw, order)
    assert dumps(restored(made, patch, order)) == dumps(raw)


@given(objects, orders)
def test_an_object_in_the_usual_order_has_no_residue(made: Any, order: KeyOrder) -> None:
    assert difference(made, restored(made, {}, order), order) == {}


@given(objects, objects, st.sampled_from("abcdef"), scalars)
def test_a_changed_value_wins_over_the_file(made: Any, raw: Any, key: str, value: Any) -> None:
    patch = difference(made, raw)
    changed = {**made, key: value}
    if not (key in made and same(made[key], value)):
        assert same(restored(changed, patch).get(key, "missing"), value)


@pytest.mark.parametrize(
    ("left", "right"), [(1, 1.0), (1, True), (0, False), (0.0, -0.0), ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
)  # fmt: skip
def test_values_of_other_types_or_orders_are_not_the_same(left: Any, right: Any) -> None:
    assert left == right
    assert not same(left, right)


def test_a_list_of_ids_keeps_the_order_of_the_file() -> None:
    assert merged_ids([1, 3], [1, 2, 3], [3, 9, 2, 1]) == [3, 9, 1]
    assert merged_ids([1, 2, 3, 4], [1, 2, 3], [3, 2, 1]) == [3, 2, 1, 4]
    assert merged_ids(None, [1], [1]) is None
    assert merged_ids([5], None, []) == [5]
    assert merged_ids([5], [1], "x") == [5]


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=12))
def test_dropped_parts_are_woven_in_where_they_were(parts: list[tuple[int, bool]]) -> None:
    droppings, kept = Droppings(), []
    for number, (id_, keep) in enumerate(parts):
        if keep:
            droppings.keep(id_)
            kept.append((id_, number))
        else:
            droppings.drop(number)
    assert woven(kept, droppings.parts) == list(range(len(parts)))
