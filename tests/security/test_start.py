"""What a process is made of and where it takes its code from, whatever surrounds it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sidecar.store import versions
from tests.client import Client

ISOLATED = [sys.executable, "-I", "-m", "sidecar"]
SCRIPT = [str(Path(sys.executable).with_name("graph-sidecar"))]
EVIL = "import os\nos.write(2, b'hostile code ran')\nos._exit(99)\n"
NAMES = (
    *("json", "apsw", "msgspec", "attr", "attrs", "cattrs", "pygls", "lsprotocol", "zstandard"),
    *("asyncio", "sqlite3", "uuid", "psutil", "platformdirs", "uuid_utils", "sortedcontainers"),
)


def plant(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / f"{name}.py").write_text(EVIL, encoding="utf-8")
    return folder


def serves(command: list[str], folder: Path, **env: str) -> bool:
    database = folder / "graphs.db"
    with Client.spawn([*command, "--database", str(database)], cwd=folder, env=env) as client:
        client.initialize()
        client.request("createProject", {"projectId": "p", "title": "P"})
        client.request("exportProject", {"projectId": "p", "format": "graph"})
        client.request("listSessions", {})
        return client.close() == 0 and "hostile" not in client.stderr


@pytest.mark.parametrize("command", [ISOLATED, SCRIPT], ids=["isolated", "script"])
def test_code_in_the_working_directory_and_beside_the_database_does_not_run(
    tmp_path: Path, command: list[str]
) -> None:
    plant(tmp_path, *NAMES, "sidecar", "protocol", "sitecustomize", "usercustomize")

    assert serves(command, tmp_path)


def test_code_that_the_environment_names_does_not_run_when_isolated(tmp_path: Path) -> None:
    evil = plant(tmp_path / "evil", *NAMES, "sidecar", "protocol", "sitecustomize", "usercustomize")

    assert serves(
        ISOLATED,
        tmp_path,
        PYTHONPATH=str(evil),
        PYTHONHOME=str(evil),
        PYTHONSTARTUP=str(evil / "json.py"),
        PYTHONUSERBASE=str(evil),
        PYTHONBREAKPOINT="json.x",
        PYTHONWARNINGS="error",
        PYTHONINSPECT="1",
    )


def test_modules_that_pythonpath_names_do_not_stand_in_for_ours(tmp_path: Path) -> None:
    evil = plant(tmp_path / "evil", *NAMES)

    assert serves(SCRIPT, tmp_path, PYTHONPATH=str(evil))


def start_with_floor(floor: str, database: Path) -> subprocess.CompletedProcess[bytes]:
    script = (
        "import sys\n"
        "from sidecar.store import versions\n"
        f"versions.SQLITE_FLOOR = {floor!r}\n"
        "from sidecar.__main__ import main\n"
        "main(['--database', sys.argv[1]])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script, str(database)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env={**os.environ},
    )


def test_an_old_sqlite_ends_the_start_and_says_so(tmp_path: Path) -> None:
    database = tmp_path / "graphs.db"

    done = start_with_floor("999.0.0", database)

    found = versions.library_versions()["sqlite"]
    assert (done.returncode, done.stdout) == (70, b"")
    assert found in done.stderr.decode()
    assert b"999.0.0" in done.stderr
    assert not database.exists()


def test_the_sqlite_of_this_installation_is_new_enough(tmp_path: Path) -> None:
    assert versions.sqlite_fault() is None
    assert start_with_floor(versions.SQLITE_FLOOR, tmp_path / "graphs.db").returncode == 0


@pytest.mark.parametrize(
    ("found", "floor", "usable"),
    [
        ("3.53.2", "3.53.2", True),
        ("3.53.10", "3.53.2", True),
        ("3.54.0", "3.53.2", True),
        ("4.0", "3.53.2", True),
        ("3.53.1", "3.53.2", False),
        ("3.9.9", "3.53.2", False),
        ("3.53", "3.53.2", False),
    ],
)
def test_versions_are_compared_number_by_number(
    monkeypatch: pytest.MonkeyPatch, found: str, floor: str, *, usable: bool
) -> None:
    monkeypatch.setattr(versions, "SQLITE_FLOOR", floor)
    monkeypatch.setattr("apsw.sqlite_lib_version", lambda: found)

    assert (versions.sqlite_fault() is None) == usable
