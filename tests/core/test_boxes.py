import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sidecar.core.boxes import Box, BoxIndex, Extent, bounding_box, node_box

coordinates = st.floats(-1e7, 1e7) | st.integers(-3000, 3000)
sizes = st.floats(0, 1e9) | st.integers(0, 3000)
boxes = st.builds(Box, coordinates, coordinates, sizes, sizes)
small = st.builds(
    Box,
    st.integers(-3000, 3000),
    st.integers(-3000, 3000),
    st.integers(1, 900),
    st.integers(1, 900),
)


def test_the_title_bar_stands_above_the_position() -> None:
    assert node_box(10, 100, 200, 80) == Box(10, 68, 200, 112)


def test_a_node_without_size_has_the_default_one() -> None:
    assert node_box(0, 0) == Box(0, -32, 240, 152)


def test_touching_boxes_do_not_overlap() -> None:
    assert not Box(0, 0, 10, 10).overlaps(Box(10, 0, 10, 10))
    assert not Box(0, 0, 10, 10).overlaps(Box(0, 10, 10, 10))
    assert Box(0, 0, 10, 10).overlaps(Box(9, 9, 10, 10))


def test_a_bounding_box_reaches_from_the_first_corner_to_the_last() -> None:
    assert bounding_box([Box(5, -3, 10, 4), Box(0, 0, 2, 20)]) == Box(0, -3, 15, 23)


def test_a_key_is_added_once() -> None:
    index = BoxIndex()
    index.add("a", Box(0, 0, 1, 1))

    with pytest.raises(KeyError):
        index.add("a", Box(5, 5, 1, 1))


@pytest.mark.parametrize("width", [1e-9, 1.0, 1024.0, 1025.0, 1e6, 1e7, 1e300])
def test_a_box_of_any_size_is_found_at_its_far_corner(width: float) -> None:
    index = BoxIndex()
    index.add("a", Box(-7.5, 3.25, width, 50))

    reach = min(width, 3e7)
    assert index.keys_hitting(Box(-7.5 + reach * 0.99, 10, reach, 10)) == ["a"]


class IndexEqualsPlainList(RuleBasedStateMachine):
    """After any edits the index answers what a scan of all boxes would."""

    def __init__(self) -> None:
        super().__init__()
        self.index = BoxIndex()
        self.plain: dict[str, Box] = {}

    @rule(key=st.sampled_from("abcdefghij"), box=boxes | small)
    def put(self, key: str, box: Box) -> None:
        if key in self.plain:
            self.index.move(key, box)
        else:
            self.index.add(key, box)
        self.plain[key] = box

    @precondition(lambda self: self.plain)
    @rule(data=st.data())
    def take(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.plain)))
        self.index.remove(key)
        del self.plain[key]

    @rule(area=boxes | small)
    def look(self, area: Box) -> None:
        expected = sorted(key for key, box in self.plain.items() if box.overlaps(area))
        assert self.index.keys_hitting(area) == expected
        assert len(self.index.hits(area)) == len(expected)

    @invariant()
    def reaches_as_far_as_its_boxes(self) -> None:
        assert len(self.index) == len(self.plain)
        if not self.plain:
            assert self.index.extent() is None
            return
        right = max(box.right for box in self.plain.values())
        bottom = max(box.bottom for box in self.plain.values())
        assert self.index.extent() == Extent(right, bottom)


TestIndexEqualsPlainList = IndexEqualsPlainList.TestCase


def test_the_extent_survives_a_thousand_moves_of_one_box() -> None:
    index = BoxIndex()
    index.add("fixed", Box(0, 0, 10, 10))
    index.add("moving", Box(0, 0, 10, 10))
    for step in range(1000):
        index.move("moving", Box(step % 7 * 100, step, 10, 10))
    index.remove("moving")

    assert index.extent() == Extent(10, 10)


@given(st.lists(small, max_size=20), small, st.sets(st.integers(0, 19)))
def test_ignored_keys_are_not_hit(several: list[Box], area: Box, ignored: set[int]) -> None:
    index = BoxIndex()
    for number, box in enumerate(several):
        index.add(str(number), box)
    kept = [
        box for number, box in enumerate(several) if number not in ignored and box.overlaps(area)
    ]

    found = index.hits(area, ignoring=frozenset(map(str, ignored)))

    assert sorted(found, key=repr) == sorted(kept, key=repr)
