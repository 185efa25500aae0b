"""A whole run of the assistant with the person in between, undone to the start and redone."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.core.arrays import apply_changes
from tests.handlers.desk import Desk, Json, add, canonical, state_of, wire

COMMITS = 200
PERSON = (50, 100, 150)
"""After which commits of the run the person edits."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.begin(tmp_path / "graphs.db") as desk:
        yield desk


def _assistants_payload(number: int, random: Random) -> Json:
    name = f"n{number}"
    if number % 4 == 0:
        return add(name, annotation=f"step {number}")
    made = [f"n{one}" for one in range(0, number, 4)]
    if number % 4 == 1 and len(made) > 1:
        source, target = random.sample(made, 2)
        return {"kind": "connect", **wire(f"{source}.out", f"{target}.in")}
    node = random.choice(made)
    if number % 4 == 2:
        return {"kind": "set-parameter", "nodeId": node, "name": "p", "value": number}
    return {"kind": "rename-node", "nodeId": node, "name": f"Name {number}"}


@pytest.mark.spec("V2", "V3", "R5", "R7", "C12", "C13")
def test_a_run_of_200_commits_with_the_person_in_between_is_undone_and_redone_exactly(
    desk: Desk,
) -> None:
    random = Random(7)
    desk.do(**add("before", y=-600))
    run = desk.run(stepLimit=COMMITS + 1)
    # The states at the ends of the steps that undo should make, oldest first.
    stops = [canonical(desk.state())]
    for number in range(COMMITS):
        desk.do(**_assistants_payload(number, random), run=run)
        if number + 1 in PERSON:
            stops.append(canonical(desk.state()))
            desk.do(**add(f"mine{number}", x=-400, y=number * 200))
            stops.append(canonical(desk.state()))
    assert desk.request("getRun", runId=run)["steps"] == COMMITS
    closed = desk.request("closeRun", runId=run)
    assert closed["arrangement"]["status"] == "applied"
    state = desk.state()
    stops.append(canonical(state))
    versions = {
        one["revisionId"]: canonical(desk.at(one["revisionId"])) for one in desk.revisions()
    }

    for stop in reversed(stops[:-1]):
        answer = desk.undo(projection="changes")
        assert answer["status"] == "applied"
        state = apply_changes(state, answer["changes"])
        assert canonical(state) == stop == canonical(state_of(desk.look()))
    assert desk.look()["undo"]["runId"] is None
    for stop in stops[1:]:
        answer = desk.redo(projection="changes")
        assert answer["status"] == "applied"
        state = apply_changes(state, answer["changes"])
        assert canonical(state) == stop == canonical(state_of(desk.look()))

    shown = desk.look()
    assert shown["redo"] is None
    assert (shown["undo"]["runId"], shown["undo"]["commands"]) == (run, 51)
    # Every version on the way is what it was.
    for revision, text in versions.items():
        assert canonical(desk.at(revision)) == text
    assert desk.request("checkDatabase")["ok"]


@pytest.mark.spec("G7", "G8")
def test_fifty_nodes_of_the_assistant_at_one_place_after_removals_never_overlap(
    desk: Desk,
) -> None:
    """n8n PR#25905, #36295, #38093; boss-plugin-flow-tab#66; aevatar-station#1413."""
    random = Random(11)
    for number in range(40):
        x, y = number % 8 * 280, number // 8 * 200
        desk.do(**add(f"old{number}", x=x, y=y, size=random.choice((None, _size(random)))))
    for name in random.sample([f"old{number}" for number in range(40)], 15):
        desk.do("remove-node", nodeId=name)
    old = desk.nodes()
    run = desk.run(stepLimit=100)
    for number in range(50):
        payload = add(f"new{number}", x=500, y=300, size=random.choice((None, _size(random))))
        answer = desk.do(**payload, run=run)
        stands = desk.nodes()[f"new{number}"]["position"]
        moved = stands != {"x": 500, "y": 300}
        assert answer["effects"]["placed"] == (
            [{"nodeId": f"new{number}", "position": stands}] if moved else []
        )
        if random.random() < 0.2:
            desk.do("remove-node", nodeId=f"new{number}", run=run)

    nodes = desk.nodes()
    assert {name: nodes[name] for name in old} == old
    before = {frozenset(pair) for pair in _overlaps(old)}
    assert [pair for pair in _overlaps(nodes) if frozenset(pair) not in before] == []


def _size(random: Random) -> Json:
    return {"width": random.randint(80, 500), "height": random.randint(40, 400)}


def _overlaps(nodes: dict[str, Json]) -> list[tuple[str, str]]:
    boxes = []
    for name, one in nodes.items():
        size = one["size"] or {"width": 240, "height": 120}
        x, y = one["position"]["x"], one["position"]["y"]
        boxes.append((name, x, y - 32, x + size["width"], y + size["height"]))
    return [
        (a[0], b[0])
        for place, a in enumerate(boxes)
        for b in boxes[place + 1 :]
        if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]
    ]
