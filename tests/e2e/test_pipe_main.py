"""The process's own entry: flags, exit codes, and an environment that cannot be trusted."""

import contextlib
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client import Client, RpcError
from tests.server.processes import spawn_sidecar


def run(*words: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sidecar", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
        check=False,
    )


def test_the_version_is_told_to_programs(tmp_path: Path) -> None:
    done = run("--version", "--json", cwd=tmp_path)

    assert done.returncode == 0
    assert set(json.loads(done.stdout)) == {"sidecar", "sqlite", "apsw", "python"}


def test_the_version_is_told_to_people(tmp_path: Path) -> None:
    done = run("--version", cwd=tmp_path)

    assert done.returncode == 0
    assert done.stdout.startswith("graph-sidecar ")


@pytest.mark.parametrize(
    "words",
    [
        ("--unknown",),
        ("--max-message", "1"),
        ("--log-level", "loud"),
        ("--log-file", "/nowhere/at/all/log"),
        ("--database",),
    ],
    ids=" ".join,
)
def test_a_bad_command_line_is_a_usage_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run(*words, cwd=tmp_path)

    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_relative_paths_are_of_the_directory_it_was_started_in(tmp_path: Path) -> None:
    with spawn_sidecar(
        *("--database", "a.db", "--log-file", "log", "--log-level", "info"), cwd=tmp_path
    ) as client:
        client.initialize()
        assert (tmp_path / "a.db").exists()
        assert Path(f"/proc/{client.process.pid}/cwd").readlink() == Path("/")
        assert client.close() == 0

    assert '"event":"exit"' in (tmp_path / "log").read_text(encoding="utf-8")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_what_it_creates_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with spawn_sidecar(
            "--database", "deep/er/a.db", "--log-file", "log", cwd=tmp_path
        ) as client:
            client.initialize()
            created = [path for path in tmp_path.rglob("*") if path.is_file()]
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in created}
            folder = stat.S_IMODE((tmp_path / "deep/er").stat().st_mode)
            assert client.close() == 0
    finally:
        os.umask(before)

    assert {"a.db", "log"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert folder == 0o700


EVIL = "import os; os.write(2, b'hostile module ran'); os._exit(99)\n"
HOSTILE = ("json", "sqlite3", "apsw", "msgspec", "attrs", "pygls", "asyncio", "uuid", "psutil")


def plant(folder: Path) -> None:
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(EVIL, encoding="utf-8")


def serves(client: Client) -> bool:
    client.initialize()
    code = client.close()
    return code == 0 and "hostile" not in client.stderr


def test_modules_of_the_working_directory_are_not_loaded(tmp_path: Path) -> None:
    plant(tmp_path)

    with spawn_sidecar("--database", "a.db", cwd=tmp_path) as client:
        assert serves(client)


def test_modules_of_pythonpath_are_not_loaded(tmp_path: Path) -> None:
    plant(tmp_path)
    env = {
        "PYTHONPATH": str(tmp_path),
        "PYTHONSTARTUP": str(tmp_path / "json.py"),
        "PYTHONBREAKPOINT": "json.x",
    }

    with spawn_sidecar("--database", str(tmp_path / "a.db"), env=env) as client:
        assert serves(client)


def test_modules_beside_the_database_are_not_loaded(tmp_path: Path) -> None:
    plant(tmp_path)

    with spawn_sidecar("--database", str(tmp_path / "a.db")) as client:
        assert serves(client)


def test_it_serves_isolated_from_the_environment(tmp_path: Path) -> None:
    plant(tmp_path)
    command = [sys.executable, "-I", "-m", "sidecar", "--database", "a.db"]

    with Client.spawn(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}) as client:
        assert serves(client)


def test_the_console_script_serves(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("graph-sidecar")

    with Client.spawn([script, "--database", "a.db"], cwd=tmp_path) as client:
        assert serves(client)


def test_a_database_that_is_refused_ends_it_with_its_code(tmp_path: Path) -> None:
    target = tmp_path / "a.db"
    target.write_bytes(b"this is a text of somebody else\n" * 100)

    with spawn_sidecar("--database", str(target)) as client:
        with pytest.raises(RpcError):
            client.initialize()
        assert client.wait() == 3

    assert target.read_bytes() == b"this is a text of somebody else\n" * 100


def test_no_socket_is_opened(tmp_path: Path) -> None:
    with spawn_sidecar("--database", str(tmp_path / "a.db")) as client:
        client.initialize()
        descriptors = Path(f"/proc/{client.process.pid}/fd")
        targets = []
        for link in descriptors.iterdir():
            # Modules that are loaded meanwhile come and go.
            with contextlib.suppress(FileNotFoundError):
                targets.append(str(link.readlink()))

        assert not [target for target in targets if target.startswith("socket:")]


CLOSED = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-m", "sidecar"]
"""As a GUI of Windows starts it: there is no stderr."""


def test_it_serves_without_a_stderr(tmp_path: Path) -> None:
    with Client.spawn([*CLOSED, "--database", str(tmp_path / "a.db")]) as client:
        client.initialize()

        assert client.close() == 0


@pytest.mark.parametrize(("words", "code"), [(["--version"], 0), (["--no-such-option"], 2)])
def test_without_a_stderr_the_exit_code_is_the_same(words: list[str], code: int) -> None:
    done = subprocess.run([*CLOSED, *words], stdout=subprocess.DEVNULL, check=False)

    assert done.returncode == code
