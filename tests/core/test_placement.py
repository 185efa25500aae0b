import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.core.boxes import COORDINATE_LIMIT, GAP, Box, BoxIndex, node_box
from sidecar.core.placement import NoFreePlaceError, Side, is_free, place, place_block

SIZE = (240, 120)
LIMIT = COORDINATE_LIMIT

coordinates = st.integers(-2000, 2000) | st.floats(-1e7, 1e7) | st.sampled_from([-1e7, 1e7])
lengths = st.integers(0, 1500) | st.floats(0, 1e6)
boxes = st.builds(node_box, coordinates, coordinates, lengths, lengths)
sides: st.SearchStrategy[Side] = st.sampled_from(("left", "right", "above", "below"))


def index_of(boxes: list[Box]) -> BoxIndex:
    index = BoxIndex()
    for number, box in enumerate(boxes):
        index.add(str(number), box)
    return index


def test_the_first_node_of_a_scope_stands_at_the_origin() -> None:
    assert place(BoxIndex(), SIZE) == (0, 0)


def test_a_node_comes_right_of_the_last_one() -> None:
    last = node_box(100, 50, 200, 80)

    assert place(index_of([last]), SIZE, last=last) == (340, 50)


@pytest.mark.parametrize(
    ("side", "expected"),
    [("right", (280, 0)), ("left", (-280, 0)), ("above", (0, -192)), ("below", (0, 192))],
)
def test_a_node_comes_on_the_asked_side_of_its_neighbour(
    side: Side, expected: tuple[float, float]
) -> None:
    near = node_box(0, 0)

    assert place(index_of([near]), SIZE, near=near, side=side) == expected


def test_a_blocked_column_is_slid_along() -> None:
    near, blocker = node_box(0, 0), node_box(280, 0)

    assert place(index_of([near, blocker]), SIZE, near=near) == (280, 192)


def test_a_full_column_is_left_for_the_next() -> None:
    near = node_box(0, 0)
    wall = Box(280, -50_000, 240, 100_000)

    assert place(index_of([near, wall]), SIZE, near=near) == (560, 0)


def test_past_six_full_columns_a_node_comes_right_of_everything() -> None:
    near = node_box(0, 0)
    wall = Box(280, -5_000_000, 100_000, 10_000_000)

    assert place(index_of([near, wall]), SIZE, near=near) == (100_320, 0)


def test_where_right_of_everything_is_too_far_a_node_comes_below_everything() -> None:
    near = node_box(LIMIT - 250, 0)
    wall = Box(LIMIT - 5, -LIMIT, 100, LIMIT + 400)

    assert place(index_of([near, wall]), (240, 120), near=near) == (LIMIT, 472)


def test_between_boxes_at_all_corners_there_is_still_room() -> None:
    corners = [node_box(x, y) for x in (-LIMIT, LIMIT) for y in (-LIMIT, LIMIT)]
    index = index_of([*corners, Box(-LIMIT - 5, -5_000_000, 2 * LIMIT + 10, 10_000_000)])

    x, y = place(index, SIZE, at=(0, 0))

    assert is_free(index, node_box(x, y))
    assert abs(x) <= LIMIT
    assert abs(y) <= LIMIT


def test_a_plane_that_is_full_is_said_to_be() -> None:
    index = index_of([Box(-2 * LIMIT, -2 * LIMIT, 4 * LIMIT, 4 * LIMIT)])

    with pytest.raises(NoFreePlaceError):
        place(index, SIZE)


def test_a_free_position_asked_for_is_kept_to_the_last_bit() -> None:
    assert place(index_of([node_box(0, 0)]), SIZE, at=(245.1, 0.1)) == (245.1, 0.1)


def test_a_taken_position_asked_for_is_slid_from() -> None:
    assert place(index_of([node_box(0, 0)]), SIZE, at=(10.5, 20.5)) == (11, 192)


@given(st.lists(boxes, max_size=25), lengths, lengths, sides, st.data())
def test_no_placement_overlaps_or_passes_the_limit(
    several: list[Box], width: float, height: float, side: Side, data: st.DataObject
) -> None:
    index = index_of(several)
    near = data.draw(st.sampled_from(several)) if several else None
    at = data.draw(st.none() | st.tuples(coordinates, coordinates))

    x, y = place(index, (width, height), near=near, side=side, at=at)

    assert index.hits(node_box(x, y, width, height)) == []
    assert abs(x) <= LIMIT
    assert abs(y) <= LIMIT


@given(st.lists(boxes, max_size=25), sides, st.randoms(use_true_random=False))
def test_the_order_in_which_boxes_came_does_not_matter(
    several: list[Box], side: Side, shuffler: random.Random
) -> None:
    near = several[0] if several else None
    shuffled = list(several)
    shuffler.shuffle(shuffled)
    index = BoxIndex()
    for number, box in enumerate(shuffled):
        index.add(f"gone-{number}", box.shifted(number * 100, 50))
        index.add(f"{number}", box)
    for number in range(len(shuffled)):
        index.remove(f"gone-{number}")

    assert place(index, SIZE, near=near, side=side) == place(
        index_of(several), SIZE, near=near, side=side
    )


@given(st.randoms(use_true_random=False))
def test_fifty_placements_at_one_position_between_removals_never_overlap(
    chooser: random.Random,
) -> None:
    index = BoxIndex()
    kept: dict[str, Box] = {}
    for number in range(50):
        if kept and chooser.random() < 0.3:
            gone = chooser.choice(sorted(kept))
            index.remove(gone)
            del kept[gone]
        size = (chooser.randint(60, 600), chooser.randint(40, 500))
        box = node_box(*place(index, size, at=(100, 100)), *size)
        assert not any(box.overlaps(other) for other in kept.values())
        index.add(f"n{number}", box)
        kept[f"n{number}"] = box


@given(st.lists(boxes, max_size=15), st.lists(boxes, min_size=1, max_size=8))
def test_a_block_moves_as_one_piece_onto_free_space(several: list[Box], block: list[Box]) -> None:
    index = index_of(several)
    try:
        dx, dy = place_block(index, block, last=several[-1] if several else None)
    except NoFreePlaceError:
        span = max(
            max(box.x for box in block) - min(box.x for box in block),
            max(box.y for box in block) - min(box.y for box in block),
        )
        assert span > LIMIT / 2
        return

    for box in block:
        moved = box.shifted(dx, dy)
        assert index.hits(moved) == []
        assert abs(moved.x) <= LIMIT
        assert abs(moved.y + 32) <= LIMIT


def test_a_block_is_kept_where_it_is_wanted_if_that_is_free() -> None:
    block = [node_box(0, 0), node_box(500, -300)]

    assert place_block(index_of([node_box(0, 0)]), block, at=(1000, 50)) == (1000, 350)


def test_a_block_of_no_boxes_stays() -> None:
    assert place_block(BoxIndex(), []) == (0, 0)


def test_the_gap_is_kept_around_what_is_placed() -> None:
    near = node_box(0.3, 0.7, 100.4, 50.5)
    blocker = node_box(150, 0, 50, 333.3)
    index = index_of([near, blocker])

    x, y = place(index, SIZE, near=near)

    assert index.hits(node_box(x, y).grown(GAP)) == []
