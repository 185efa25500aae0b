import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store.splices import SpliceError, backwards, compose, difference, forwards

# A small alphabet makes overlaps and equal pieces likely.
texts = st.text("ab{}", max_size=24).map(str.encode)


@given(texts, texts)
def test_either_text_gives_the_other(before: bytes, after: bytes) -> None:
    splices = difference(before, after)

    assert forwards(before, splices) == after
    assert backwards(after, splices) == before


@given(st.lists(texts, min_size=2, max_size=8))
def test_composed_splices_do_what_each_did_in_turn(versions: list[bytes]) -> None:
    both = difference(versions[0], versions[1])
    for old, new in itertools.pairwise(versions[1:]):
        both = compose(both, difference(old, new))

    assert forwards(versions[0], both) == versions[-1]
    assert backwards(versions[-1], both) == versions[0]


@st.composite
def edited(draw: st.DrawFn, text: bytes) -> bytes:
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 3)))
    return text[:start] + draw(texts)[:3] + text[end:]


@given(st.data())
def test_edits_far_apart_compose_without_the_text_between(data: st.DataObject) -> None:
    versions = [b"0123456789" * 6]
    for _ in range(6):
        versions.append(data.draw(edited(versions[-1])))
    steps = [difference(old, new) for old, new in itertools.pairwise(versions)]
    while len(steps) > 1:
        at = data.draw(st.integers(0, len(steps) - 2))
        steps[at : at + 2] = [compose(steps[at], steps[at + 1])]

    assert forwards(versions[0], steps[0]) == versions[-1]
    assert backwards(versions[-1], steps[0]) == versions[0]


def test_a_small_edit_of_a_long_text_keeps_little() -> None:
    before = b"x" * 100_000 + b"1" + b"y" * 100_000
    after = b"x" * 100_000 + b"22" + b"y" * 100_000

    assert difference(before, after) == [(100_000, b"1", b"22")]


@pytest.mark.parametrize("text", [b"", b"ab", b"xyz"])
def test_a_text_the_splices_were_not_made_for_is_refused(text: bytes) -> None:
    splices = difference(b"abc", b"abd")

    with pytest.raises(SpliceError):
        forwards(text, splices)


def test_an_edit_taken_back_leaves_the_edits_behind_it_in_place() -> None:
    older = [(1, b"X", b"PQ"), (10, b"Y", b"Z")]
    newer = [(1, b"PQ", b"X")]

    assert compose(older, newer) == [(12, b"Y", b"Z")]
