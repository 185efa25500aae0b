"""The session format's recorded results, against the pure functions."""

import copy
import re
from collections import defaultdict
from typing import Any

import pytest

from tests.vectors.files import (
    CHANGED,
    DIFFERS_BY_GROUPS,
    DIFFERS_BY_ORDER,
    DIFFERS_BY_WALKS,
    MAIN,
    QUIRKS,
    comparable,
    messages_and_checks,
    vectors,
)
from tests.vectors.runner import OPERATIONS, run


def agreeing(name: str) -> tuple[int, set[str]]:
    """How many vectors of a file agree, and the names of the others."""
    agreed, others = 0, set()
    for vector in vectors(name):
        given = copy.deepcopy(vector["input"])
        found = run(vector["op"], vector["input"])
        assert vector["input"] == given, f"{vector['name']} mutated its input"
        if comparable(found) == comparable(vector["expect"]):
            agreed += 1
        else:
            others.add(vector["name"])
    return agreed, others


def named(name: str) -> dict[str, Any]:
    for vector in vectors(QUIRKS):
        if vector["name"] == name:
            return vector
    raise KeyError(name)


def test_578_of_580_vectors_agree_and_only_the_hidden_group_members_differ() -> None:
    agreed, others = agreeing(MAIN)

    assert (agreed, len(others)) == (578, 2)
    assert others == DIFFERS_BY_GROUPS - {"quirk-group-across-cutoff-next"}


def test_36_of_41_quirks_agree_and_the_others_are_the_named_differences() -> None:
    agreed, others = agreeing(QUIRKS)

    assert (agreed, len(others)) == (36, 5)
    assert others == ({"quirk-group-across-cutoff-next"} | DIFFERS_BY_WALKS | DIFFERS_BY_ORDER)


def test_a_fork_through_a_group_leaves_a_session_that_can_be_read_again() -> None:
    agreed, others = agreeing(CHANGED)

    assert (agreed, others) == (3, set())
    assert {vector["name"] for vector in vectors(CHANGED)} == DIFFERS_BY_GROUPS


@pytest.mark.parametrize("name", sorted(DIFFERS_BY_WALKS))
def test_a_walk_in_a_circle_is_refused_instead_of_hanging(name: str) -> None:
    vector = named(name)

    error = run(vector["op"], vector["input"])["error"]

    assert (error["name"], error["check"]) == ("Error", "walk-cycle")


def test_delegations_of_the_same_time_are_ordered_by_code_point() -> None:
    (name,) = DIFFERS_BY_ORDER
    vector = named(name)

    found = run(vector["op"], vector["input"])["ok"]["activities"]

    ids = [activity["id"] for activity in found]
    assert ids == sorted(ids)
    assert set(ids) == {activity["id"] for activity in vector["expect"]["ok"]["activities"]}


def test_every_operation_of_the_vectors_is_run() -> None:
    seen = {vector["op"] for name in (MAIN, QUIRKS) for vector in vectors(name)}

    assert seen == set(OPERATIONS)


def test_checks_and_the_error_texts_of_the_vectors_stand_one_to_one() -> None:
    checks: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, set[str]] = defaultdict(set)
    for name in (MAIN, QUIRKS):
        for vector in vectors(name):
            found = run(vector["op"], vector["input"])
            for text, check in messages_and_checks(vector["expect"], found):
                if "does not terminate" in text:
                    continue
                checks[without_ids(text)].add(check)
                texts[check].add(without_ids(text))

    assert len(checks) > 70
    assert {text: found for text, found in checks.items() if len(found) > 1} == {}
    assert {check: found for check, found in texts.items() if len(found) > 1} == {}


def without_ids(text: str) -> str:
    return re.sub(r": \S+$|(?<=^Message )[a-z]*\d+\b", "", text)
