"""What a process touches besides its file: nothing listens, nothing is left, nothing is run."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import protocol
import sidecar
from tests.client import Client
from tests.security.test_canary import Listener, requests

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

FORBIDDEN = {
    *("socket", "socketserver", "http", "urllib", "ssl", "ftplib", "smtplib", "xmlrpc"),
    *("pickle", "marshal", "shelve", "multiprocessing", "webbrowser", "pty", "code"),
    *("subprocess", "tempfile", "ctypes"),
}
EXCEPTED = {"places.py": {"ctypes"}}
"""One call of the C library that Python has no name for: which file a name leads to, no times."""
PEOPLE = ("cli", "testing")
"""Packages of commands for people and for tests: they start processes, and serve nobody."""
BUILTINS = {"eval", "exec", "compile", "__import__", "input", "open"}


def sources() -> Iterator[Path]:
    for package in (protocol, sidecar):
        root = Path(str(package.__file__)).parent
        for path in root.rglob("*.py"):
            if path.relative_to(root).parts[0] not in PEOPLE:
                yield path


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def test_nothing_that_serves_can_listen_run_or_unpickle() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sources()}

    assert len(trees) > 100
    assert {str(path): FORBIDDEN & {*imported(tree)} for path, tree in trees.items()} == {
        str(path): EXCEPTED.get(path.name, set()) for path in trees
    }
    assert {str(path): BUILTINS & {*called(tree)} for path, tree in trees.items()} == {
        str(path): set() for path in trees
    }


def test_a_process_that_did_everything_opened_nothing_else(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = dict.fromkeys(("TMPDIR", "SQLITE_TMPDIR", "HOME", "XDG_CACHE_HOME"), str(temporary))
    database = tmp_path / "graphs.db"
    command = [sys.executable, "-m", "sidecar", "--database", str(database)]
    with Client.spawn(command, env=env, cwd=tmp_path) as client:
        client.initialize()
        listener = Listener(client)
        for method, params in requests():
            listener.send(method, params)
        client.request("backupDatabase", {"path": str(tmp_path / "copy.db")})
        client.request("checkDatabase", {})
        process = psutil.Process(client.process.pid)
        targets = [str(link.readlink()) for link in Path(f"/proc/{process.pid}/fd").iterdir()]
        files = {target for target in targets if target.startswith(str(tmp_path))}

        assert listener.landed >= 25
        assert process.net_connections() == []
        assert [target for target in targets if target.startswith("socket:")] == []
        assert process.children(recursive=True) == []
        assert process.cwd() == "/"
        assert files == {str(database), f"{database}-wal", f"{database}-shm"}
        assert list(temporary.iterdir()) == []
        assert client.close() == 0
    assert {found.name for found in tmp_path.iterdir()} == {"graphs.db", "copy.db", "temporary"}
