"""Paths that nobody means well with: refused in every place that takes one, nothing made."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import Client, ProcessGoneError, RpcError
from tests.handlers.desk import Desk, add

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")


def hostile(there: Path) -> list[Any]:
    """Return 40 paths; those that are real lie in a prepared folder."""
    return [
        # No text, no path.
        *(None, 7, True, 1.5, [], {}, ["/tmp/a.db"], {"path": "/tmp/a.db"}),
        *(
            "",
            " ",
            "\0",
            f"{there}/a\0.db",
            f"{there}/a.db\0",
            f"/{'x' * 5_000}",
            f"{there}/{'x' * 240}",
        ),
        # Relative, whatever it looks like.
        *("a.db", "./a.db", "../a.db", "../../../../etc/a.db", "~/a.db", "$HOME/a.db", "..", "."),
        # Names that mean something else to SQLite.
        *("file:a.db", f"file:{there}/a.db?mode=memory", f"FILE://{there}/a.db", ":memory:"),
        *(":memory:?cache=shared", "C:\\a.db", "\\\\server\\share\\a.db", "\\\\.\\pipe\\a"),
        # Not files.
        *(
            "/",
            str(there),
            f"{there}/",
            f"{there}/a.db/",
            "/dev/null",
            "/dev/zero",
            "/proc/self/b/a",
        ),
        *(f"{there}/pipe", f"{there}/to-device", f"{there}/file/a.db"),
    ]


@pytest.fixture
def there(tmp_path: Path) -> Path:
    folder = tmp_path / "there"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "to-device").symlink_to("/dev/zero")
    (folder / "file").write_text("a file")
    return folder


def tree(folder: Path) -> list[tuple[str, int]]:
    return sorted(
        (str(found.relative_to(folder)), found.lstat().st_mode) for found in folder.rglob("*")
    )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "TMPDIR": str(home), "XDG_DATA_HOME": str(home)}
    with Desk.begin(tmp_path / "db" / "graphs.db", env=env, cwd=home) as desk:
        desk.do(**add("a"))
        desk.request("createSession", projectId="p", sessionId="s")
        yield desk
        assert desk.client.close() == 0


def refusal(client: Client, method: str, params: dict[str, Any]) -> int:
    with pytest.raises(RpcError) as caught:
        client.request(method, params)
    return caught.value.code


def test_there_are_40_of_them(there: Path) -> None:
    assert len(hostile(there)) >= 40


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("backupDatabase", {}),
        ("exportSession", {"sessionId": "s"}),
        ("importSession", {"projectId": "p", "sessionId": "t"}),
    ],
    ids=["backup", "export", "import"],
)
def test_no_request_takes_one(
    tmp_path: Path, there: Path, desk: Desk, method: str, params: dict[str, Any]
) -> None:
    before = tree(tmp_path)
    paths = [path for path in hostile(there) if path is not None or method == "backupDatabase"]

    codes = {
        str(path)[:60]: refusal(desk.client, method, {**params, "path": path}) for path in paths
    }

    assert {path: code for path, code in codes.items() if code != -32602} == {}
    assert tree(tmp_path) == before


def test_no_start_takes_one(tmp_path: Path, there: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "TMPDIR": str(home), "XDG_DATA_HOME": str(home)}
    before = tree(tmp_path)
    codes: dict[str, object] = {}
    paths = [path for path in hostile(there) if path is not None]
    for start in range(0, len(paths), 8):
        batch = paths[start : start + 8]
        clients = [
            Client.spawn([sys.executable, "-m", "sidecar"], env=env, cwd=home) for _ in batch
        ]
        for client, path in zip(clients, batch, strict=True):
            with client:
                codes[str(path)[:60]] = _start_code(client, path)

    assert {path: code for path, code in codes.items() if code != (-32602, 3)} == {}
    assert tree(tmp_path) == before


def _start_code(client: Client, path: object) -> tuple[int, int] | str:
    try:
        client.initialize({"database": path})
    except RpcError as error:
        return error.code, client.wait()
    except ProcessGoneError:
        return "gone"
    return "served"


def test_the_database_itself_is_no_target_and_no_source(tmp_path: Path, desk: Desk) -> None:
    database = tmp_path / "db" / "graphs.db"
    link = tmp_path / "link.db"
    link.symlink_to(database)
    names = [database, link, *(database.with_name(f"graphs.db{end}") for end in ("-wal", "-shm"))]
    for path in map(str, names):
        assert refusal(desk.client, "backupDatabase", {"path": path}) == -32602
        assert refusal(desk.client, "exportSession", {"sessionId": "s", "path": path}) == -32602
        imported = {"projectId": "p", "sessionId": "t", "path": path}
        assert refusal(desk.client, "importSession", imported) == -32602
    desk.do(**add("b"))
    assert desk.request("checkDatabase")["ok"]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_whatever_is_made_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    log = tmp_path / "log"
    try:
        with Desk.begin(tmp_path / "new" / "graphs.db", "--log-file", str(log)) as desk:
            desk.do(**add("a"))
            desk.request("createSession", projectId="p", sessionId="s")
            desk.request("backupDatabase", path=str(tmp_path / "copies" / "copy.db"))
            desk.request("exportSession", sessionId="s", path=str(tmp_path / "session.json"))
            made = tree(tmp_path)
            assert desk.client.close() == 0
    finally:
        os.umask(before)

    files = {name: mode & 0o777 for name, mode in made if mode & 0o170000 == 0o100000}
    folders = {name: mode & 0o777 for name, mode in made if mode & 0o170000 == 0o040000}
    assert set(files) == {
        "log",
        "session.json",
        "copies/copy.db",
        *(f"new/graphs.db{end}" for end in ("", "-wal", "-shm")),
    }
    assert set(files.values()) == {0o600}
    assert set(folders.values()) == {0o700}
