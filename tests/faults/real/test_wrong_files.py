"""What stands in the database's place and is none of ours, or not as we left it."""

import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sidecar.store import schema
from tests.client import Client, RpcError
from tests.faults.real.host import (
    EXIT_STORAGE,
    SIDECAR,
    files_of,
    fill,
    refused,
    refused_start,
)
from tests.handlers.desk import Desk, Json, add, canonical, state_of

Make = Callable[[Path], None]


def ours(database: Path, count: int = 2) -> None:
    with Desk.begin(database) as desk:
        fill(desk, count)
        assert desk.client.close() == 0


def changed(*statements: str, before: str = "") -> Make:
    def make(database: Path) -> None:
        ours(database)
        connection = apsw.Connection(str(database))
        if before:
            connection.execute(before)
        for statement in statements:
            connection.execute(statement)
        connection.close()

    return make


def foreign(database: Path) -> None:
    connection = apsw.Connection(str(database))
    connection.execute("CREATE TABLE mail (body); INSERT INTO mail VALUES ('Dear all')")
    connection.close()


def empty(database: Path) -> None:
    database.touch()


def text(database: Path) -> None:
    database.write_text("Dear diary, this is no database at all.\n" * 200)


def garbage(database: Path) -> None:
    ours(database)
    content = bytearray(database.read_bytes())
    content[100:8192] = random.Random(1).randbytes(8092)
    database.write_bytes(content)


def cut_short(database: Path) -> None:
    ours(database)
    os.truncate(database, 4096)


TRIGGER = "CREATE TRIGGER planted AFTER INSERT ON graph_revisions BEGIN DELETE FROM projects; END"
WRONG = [
    ("foreign", foreign, {"storage-foreign"}),
    ("zero-length", empty, {"storage-corrupt"}),
    ("text", text, {"storage-corrupt"}),
    ("garbage", garbage, {"storage-corrupt"}),
    ("cut-short", cut_short, {"storage-corrupt"}),
    ("newer", changed(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}"), {"storage-newer"}),
    ("other-application", changed("PRAGMA application_id = 7"), {"storage-foreign"}),
    ("trigger", changed(TRIGGER), {"storage-foreign"}),
    ("view", changed("CREATE VIEW planted AS SELECT * FROM projects"), {"storage-foreign"}),
    ("index", changed("CREATE INDEX planted ON projects (title)"), {"storage-foreign"}),
    ("table-gone", changed("DROP TABLE drafts"), {"storage-foreign"}),
    (
        "virtual-table",
        changed("CREATE VIRTUAL TABLE planted USING fts5 (body)"),
        {"storage-foreign"},
    ),
    (
        "schema-rewritten",
        changed(
            "UPDATE sqlite_schema SET sql = replace(sql, 'settles >= 0', 'settles >= 9')"
            " WHERE name = 'meta'",
            before="PRAGMA writable_schema = 1",
        ),
        {"storage-foreign"},
    ),
]


@pytest.mark.parametrize(
    ("make", "codes"), [one[1:] for one in WRONG], ids=[one[0] for one in WRONG]
)
def test_it_is_refused_by_its_code_and_left_byte_by_byte(
    database: Path, make: Make, codes: set[str]
) -> None:
    make(database)
    before = files_of(database.parent)

    ended = [refused_start(database) for _ in range(2)]

    assert {one.data["code"] for one in ended} <= codes
    assert {(one.code, one.exit_code) for one in ended} == {(-32803, EXIT_STORAGE)}
    assert not any(one.data["retryable"] for one in ended)
    assert files_of(database.parent) == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "device", "link-to-folder", "link-to-pipe"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "target"
    database = tmp_path / "graphs.db"
    place = target if kind.startswith("link") else database
    match kind.removeprefix("link-to-"):
        case "folder":
            place.mkdir()
        case "pipe":
            os.mkfifo(place)
        case _:
            place.symlink_to("/dev/zero")
    if place is target:
        database.symlink_to(target)
    before = sorted(found.name for found in tmp_path.iterdir())

    ended = refused_start(database)

    assert (ended.code, ended.exit_code) == (-32602, EXIT_STORAGE)
    assert sorted(found.name for found in tmp_path.iterdir()) == before


def test_a_file_made_newer_while_it_is_open_is_left_alone(database: Path) -> None:
    with Desk.begin(database) as desk:
        fill(desk, 1)
        connection = apsw.Connection(str(database))
        connection.pragma("user_version", schema.SCHEMA_VERSION + 1)

        answers = [desk.commit(add("x"), actionId="x") for _ in range(2)]
        connection.pragma("user_version", schema.SCHEMA_VERSION)
        connection.close()
        again = desk.commit(add("x"), actionId="x", expectedRevisionId=_current(desk))

        assert [refused(answer) for answer in answers] == ["storage-newer"] * 2
        assert again["status"] == "applied"


def _current(desk: Desk) -> str:
    found: str = desk.look("none")["revisionId"]
    return found


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_are_noticed_or_harmless(database: Path, seed: int) -> None:
    ours(database, 8)
    rng = random.Random(seed)
    content = bytearray(database.read_bytes())
    for _ in range(rng.choice((1, 20, 400))):
        content[rng.randrange(100, len(content))] ^= 1 << rng.randrange(8)
    database.write_bytes(content)
    with Client.spawn([*SIDECAR, "--database", str(database)]) as client:
        if not opens(client):
            assert database.read_bytes() == content
            return
        told = {code(client, *request) for request in requests(database)}

        assert told <= {None, "storage-corrupt", "unknown-project"}
        assert client.close() == 0


def opens(client: Client) -> bool:
    """Whether the file is taken; else it has to be refused as damaged or as none of ours."""
    try:
        client.initialize()
    except RpcError as error:
        refusal = error.data["code"], client.wait()
    else:
        return True
    assert refusal[0] in {"storage-corrupt", "storage-foreign"}
    assert refusal[1] == EXIT_STORAGE
    return False


def requests(database: Path) -> list[tuple[str, Json]]:
    return [
        ("listProjects", {}),
        ("getProject", {"projectId": "p"}),
        ("listRevisions", {"projectId": "p"}),
        ("checkDatabase", {}),
        ("createProject", {"projectId": "q", "title": "Q"}),
        ("startRun", {"projectId": "p"}),
        ("createSession", {"projectId": "p", "sessionId": "s"}),
        ("backupDatabase", {"path": str(database.with_name("copy.db"))}),
    ]


def code(client: Client, method: str, params: Json) -> str | None:
    """Return the code a request is refused with; an internal error is none of them."""
    try:
        client.request(method, params)
    except RpcError as error:
        found: str = error.data.get("code", str(error.code))
        return found
    return None


def test_a_damaged_file_is_found_so_and_not_copied(database: Path) -> None:
    ours(database, 40)
    content = bytearray(database.read_bytes())
    for page in range(4096, len(content), 4096):
        if content.count(b'"annotation":"text', page, page + 4096) > 3:
            content[page : page + 100] = bytes(100)
    database.write_bytes(content)
    with Client.spawn([*SIDECAR, "--database", str(database)]) as client:
        client.initialize()

        found = client.request("checkDatabase", {})
        refusal = code(client, "backupDatabase", {"path": str(database.with_name("copy.db"))})

        assert not found["ok"]
        assert found["problems"]
        assert refusal == "storage-corrupt"
        assert [one.name for one in database.parent.glob("*copy*")] == []


def killed(database: Path, nodes: list[str]) -> str:
    """Leave a file with a WAL, as a killed process does; return the project's state as text."""
    with Desk.begin(database) as desk:
        desk.look()
        for name in nodes:
            desk.do(**add(name, annotation="text " * 300))
        state = canonical(desk.state())
        desk.client.signal(signal.SIGKILL)
        desk.client.wait()
    return state


@pytest.mark.parametrize("relation", ["another-file", "its-backup", "its-own-past"])
def test_a_stale_wal_beside_a_file_is_noticed_or_harmless(
    tmp_path: Path, database: Path, relation: str
) -> None:
    ours(database, 3)
    past = tmp_path / "past.db"
    shutil.copy(database, past)
    state = killed(database, ["late-1", "late-2"])
    other = tmp_path / "other.db"
    match relation:
        case "another-file":
            ours(other, 6)
        case "its-backup":
            with Desk.spawn(past) as desk:
                desk.request("backupDatabase", path=str(other))
        case _:
            shutil.copy(past, other)
    with Desk.spawn(other) as desk:
        states = {state, canonical(desk.state())}
        assert desk.client.close() == 0
    other.replace(database)
    database.with_name("graphs.db-shm").unlink(missing_ok=True)

    with Client.spawn([*SIDECAR, "--database", str(database)]) as client:
        if not opens(client):
            return
        found = client.request("checkDatabase", {})
        if found["ok"]:
            shown = state_of(client.request("getProject", {"projectId": "p"}))
            assert canonical(shown) in states
