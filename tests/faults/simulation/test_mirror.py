"""The mirror notices changes that are missing, come twice or do not fit."""

from typing import Any

from tests.faults.simulation.mirror import lead


def shown(revision: str, title: str) -> dict[str, Any]:
    graph: dict[str, list[Any]] = {"nodes": [], "edges": [], "groups": [], "subgraphs": []}
    state: dict[str, Any] = {"title": title, "document": None, "components": [], "graph": graph}
    return {"id": 1, "result": {"revisionId": revision, **state}}


def told(old: str, new: str, before: str, after: str, *, origin: str = "other") -> dict[str, Any]:
    change = {"kind": "title", "scope": None, "id": None, "before": before, "after": after}
    ids = {"fromRevisionId": old, "revisionId": new}
    params = {**ids, "changes": [change], "origin": origin}
    return {"method": "projectChanged", "params": params}


GET = {1: "getProject"}
FIRST = shown("r1", "A")


def test_a_mirror_follows_every_change() -> None:
    mirror, faults = lead([FIRST, told("r1", "r2", "A", "B"), told("r2", "r3", "B", "C")], GET)

    assert faults == []
    assert (mirror.revision, mirror.applied, mirror.others) == ("r3", 2, 2)
    assert mirror.host is not None
    assert mirror.host.title == "C"


def test_a_missing_change_is_noticed() -> None:
    _, faults = lead([FIRST, told("r1", "r2", "A", "B"), told("r3", "r4", "C", "D")], GET)

    assert len(faults) == 1


def test_a_change_that_comes_twice_is_noticed() -> None:
    change = told("r1", "r2", "A", "B")

    assert len(lead([FIRST, change, change], GET)[1]) == 1


def test_a_change_that_does_not_fit_is_noticed() -> None:
    assert len(lead([FIRST, told("r1", "r2", "X", "B")], GET)[1]) == 1


def test_a_state_too_large_to_be_told_is_fetched() -> None:
    large = told("r1", "r2", "A", "B")
    large["params"]["changes"] = None

    mirror, faults = lead([FIRST, large, shown("r2", "B"), told("r2", "r3", "B", "C")], GET)

    assert faults == []
    assert mirror.host is not None
    assert (mirror.host.title, mirror.applied) == ("C", 1)


def test_a_project_of_another_process_is_fetched_as_it_is_by_then() -> None:
    created = {"method": "projectCreated", "params": {"revisionId": "r2"}}

    mirror, faults = lead([FIRST, created, shown("r2", "B"), told("r2", "r3", "B", "C")], GET)

    assert faults == []
    assert (mirror.revision, mirror.applied) == ("r3", 1)
