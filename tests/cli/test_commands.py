import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.app import EXAMPLES
from sidecar.cli.inspection.show import local_time
from sidecar.testing.client import SidecarClient
from tests.cli.command_line import MODULE, is_picture, run

WORKFLOW = {
    "nodes": [
        {"id": "a", "position": {"x": 0, "y": 0}, "data": {"label": "First"}},
        {"id": "b", "position": {"x": 300, "y": 0}, "data": {"label": "Second"}},
    ],
    "edges": [{"id": "e", "source": "a", "target": "b"}],
}


PROMPT = {
    "id": "m",
    "role": "user",
    "content": "Why?",
    "status": "complete",
    "createdAt": 1,
    "updatedAt": 1,
}


def commit(client: SidecarClient, revision: str, payload: dict[str, Any], **more: Any) -> str:
    answer = client.request(
        "commitCommand",
        {
            "projectId": "p",
            "actionId": f"action-{payload['kind']}-{revision}",
            "expectedRevisionId": revision,
            "actor": "manual",
            "runId": None,
            "payload": payload,
            **more,
        },
    )
    assert answer["status"] == "applied", answer
    found: str = answer["revisionId"]
    return found


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with one project of five versions, two of them a run's."""
    path = tmp_path / "app.db"
    with SidecarClient.spawn(path) as client:
        client.initialize()
        revision = client.request("createProject", {"projectId": "p", "title": "P"})["revisionId"]
        content = json.dumps(WORKFLOW)
        opening = {"kind": "open-native", "content": content, "title": "My [bold]workflow[/]"}
        revision = commit(client, revision, opening)
        run_id = client.request("startRun", {"projectId": "p"})["runId"]
        for name in ("one", "two"):
            adding = {"kind": "add-node", "nodeId": name, "componentId": "X"}
            revision = commit(client, revision, adding, actor="ai", runId=run_id)
        client.request("cancelRun", {"runId": run_id})
        chat = {"projectId": "p", "sessionId": "chat", "title": "About [it]"}
        client.request("createSession", {**chat, "messages": [PROMPT]})
        commit(client, revision, {"kind": "rename-node", "nodeId": "one", "name": "Uno"})
        assert client.close() == 0
    return path


def test_inspect_tells_what_is_there(database: Path) -> None:
    done = run("inspect", database, "--json")

    facts = json.loads(done.stdout)
    (project,) = facts["projects"]
    assert done.returncode == 0
    assert project["title"] == "My [bold]workflow[/]"
    assert project["counts"] == {"nodes": 4, "edges": 1, "groups": 0, "subgraphs": 0}
    assert [revision["number"] for revision in project["revisions"]] == [5, 4, 3, 2, 1]
    assert project["historyBytes"] == sum(one["storedBytes"] for one in project["revisions"]) > 0
    assert [run["status"] for run in project["runs"]] == ["cancelled"]
    assert [(chat["title"], chat["messageCount"]) for chat in project["sessions"]] == [
        ("About [it]", 1)
    ]


def test_inspect_draws_versions_under_their_run(database: Path) -> None:
    done = run("inspect", database, "--limit", "4")

    (run_id,) = {
        run_["runId"]
        for run_ in json.loads(run("inspect", database, "--json").stdout)["projects"][0]["runs"]
    }
    lines = done.stdout.splitlines()
    under = lines.index(f"├── run {run_id}")
    assert "My [bold]workflow[/]" in done.stdout
    assert "About [it]" in done.stdout
    assert all(line.startswith("│   ") for line in lines[under + 1 : under + 3])
    assert any(line.startswith("└── … 1 older") for line in lines)


def test_inspect_changes_nothing_and_closes_nothing(database: Path) -> None:
    with SidecarClient.spawn(database) as client:
        client.initialize()
        run_id = client.request("startRun", {"projectId": "p"})["runId"]
        before = client.request("getProject", {"projectId": "p"})

        assert run("inspect", database).returncode == 0
        assert run("check", database).returncode == 0

        assert client.request("getProject", {"projectId": "p"}) == before
        assert client.request("getRun", {"runId": run_id})["status"] == "running"


def test_an_empty_database_can_be_inspected(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with SidecarClient.spawn(path) as client:
        client.initialize()
        client.close()

    done = run("inspect", path, "--json")

    assert (done.returncode, json.loads(done.stdout)["projects"]) == (0, [])


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["p"], id="by id"),
        pytest.param(["My [bold]workflow[/]"], id="by title"),
        pytest.param(["p", "--revision", "2"], id="version by number"),
        pytest.param(["p", "--diff", "2", "5"], id="difference"),
    ],
)
def test_render_draws_a_version(database: Path, tmp_path: Path, words: list[str]) -> None:
    target = tmp_path / "picture.svg"

    done = run("render", database, *words, "-o", target, "--json")

    facts = json.loads(done.stdout)
    assert (done.returncode, facts["file"]) == (0, str(target))
    assert facts["nodes"] == (2 if "--revision" in words else 4)
    assert is_picture(target)


def test_render_draws_a_workflow_file(tmp_path: Path) -> None:
    file = tmp_path / "flow.json"
    file.write_text(json.dumps(WORKFLOW), encoding="utf-8")
    target = tmp_path / "picture.svg"

    assert run("render", file, "-o", target).returncode == 0
    assert "Second" in target.read_text(encoding="utf-8")


def test_check_says_that_a_sound_file_is_sound(database: Path) -> None:
    done = run("check", database, "--json")

    assert (done.returncode, json.loads(done.stdout)["ok"]) == (0, True)


def test_check_finds_what_was_changed_behind_our_back(database: Path) -> None:
    content = database.read_bytes()
    place = content.index(b'"Uno"')
    database.write_bytes(content[:place] + b'"Ono"' + content[place + 5 :])

    done = run("check", database, "--json")

    assert (done.returncode, json.loads(done.stdout)["ok"]) == (1, False)
    assert run("check", database).returncode == 1


def test_backup_makes_a_private_copy_that_is_sound(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"

    done = run("backup", database, target, "--json")

    assert (done.returncode, json.loads(done.stdout)["path"]) == (0, str(target))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert run("check", target).returncode == 0


def test_backup_overwrites_nothing(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "there"
    target.write_text("mine", encoding="utf-8")

    assert run("backup", database, target).returncode == 1
    assert target.read_text(encoding="utf-8") == "mine"


def test_export_writes_the_format_that_was_opened(database: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"

    first = run("export", database, "p", "--revision", "2")
    second = run("export", database, "p", "--revision", "2", "-o", target, "--json")

    assert (first.returncode, second.returncode) == (0, 0)
    assert json.loads(first.stdout) == WORKFLOW == json.loads(target.read_text(encoding="utf-8"))
    assert json.loads(second.stdout)["format"] == "react-flow"


def test_export_can_write_our_own_format(database: Path) -> None:
    done = run("export", database, "p", "--format", "graph")

    assert json.loads(done.stdout)["schemaVersion"] == 1


def test_schema_prints_the_document_of_rpc_discover(tmp_path: Path) -> None:
    with SidecarClient.spawn(tmp_path / "a.db") as client:
        client.initialize()
        discovered = client.request("rpc.discover")

    assert json.loads(run("schema").stdout) == discovered


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "{folder}/nowhere.db"],
        ["inspect", "{folder}"],
        ["inspect", "{text}"],
        ["inspect", "{database}", "--project", "nobody"],
        ["check", "{folder}/nowhere.db"],
        ["render", "{database}", "nobody", "-o", "{folder}/x.svg"],
        ["render", "{database}", "p", "--revision", "99", "-o", "{folder}/x.svg"],
        ["render", "{database}", "p", "-o", "{folder}/no/such/folder.svg"],
        ["render", "{text}", "-o", "{folder}/x.svg"],
        ["replay", "{text}"],
        ["replay", "{folder}/nowhere.jsonl"],
        ["record", "-o", "{folder}/nowhere.db", "--", "{folder}/no-program"],
        ["demo", "{folder}/nowhere.json"],
        ["demo", "{text}", "-o", "{folder}/pictures"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_one_sentence_and_code_1(
    database: Path, tmp_path: Path, words: list[str]
) -> None:
    text = tmp_path / "text"
    text.write_text("no workflow, no database, no exchanges", encoding="utf-8")
    places = {"folder": tmp_path, "text": text, "database": database}

    done = run(*(word.format(**places) for word in words))

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize("name", ["inspect", "check"])
def test_a_file_that_is_refused_is_named(tmp_path: Path, name: str) -> None:
    letter = tmp_path / "letter"
    letter.write_text("no database", encoding="utf-8")

    assert run(name, letter).stderr.startswith(f"graph-sidecar: {letter}: ")


@pytest.mark.parametrize(
    "words",
    [
        ["no-such-command"],
        ["inspect"],
        ["inspect", "a.db", "--no-such-option"],
        ["inspect", "a.db", "--limit", "-1"],
        ["inspect", "a.db", "--", "x"],
        ["export", "{database}", "p", "--format", "word"],
        ["render", "{database}", "-o", "x.svg"],
        ["render", "{database}", "p"],
        ["render", "{database}", "p", "--revision", "1", "--diff", "1", "2", "-o", "x.svg"],
        ["render", "{workflow}", "p", "-o", "x.svg"],
        ["replay"],
        ["record"],
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_is_code_2(database: Path, tmp_path: Path, words: list[str]) -> None:
    workflow = tmp_path / "flow.json"
    workflow.write_text(json.dumps(WORKFLOW), encoding="utf-8")

    done = run(*(word.format(database=database, workflow=workflow) for word in words), cwd=tmp_path)

    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("graph-sidecar: ")


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_shows_how_a_command_is_used(name: str) -> None:
    lines = run(name, "--help").stdout.splitlines()

    assert lines[0].startswith(f"Usage: graph-sidecar {name}")
    assert "ARGS" not in lines[0]
    assert lines[lines.index("Examples:") + 2].startswith(f"  graph-sidecar {name}")


def test_help_lists_the_commands() -> None:
    help_ = run("--help").stdout

    assert [name for name in EXAMPLES if f"│ {name} " not in help_] == []


def test_long_work_shows_a_bar_on_a_terminal_alone(database: Path) -> None:
    terminal, end = pytest.importorskip("pty").openpty()
    with os.fdopen(terminal, "rb", buffering=0) as shown:
        command = [*MODULE, "check", str(database)]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=end, check=True, timeout=60)
        bar = os.read(shown.fileno(), 1 << 16)
        os.close(end)

    assert b"Checking" in bar
    assert run("check", database).stderr == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_only_be_read_can_be_inspected(database: Path) -> None:
    database.chmod(0o400)

    assert run("inspect", database).returncode == 0


WINDOWS = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
"""What Python takes for stdout on Windows where it is no console."""


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A database whose only project has names that no code page of Windows has."""
    path = tmp_path / "größe 图.db"
    with SidecarClient.spawn(path) as client:
        client.initialize()
        client.create_project("图 größe", "p")
        node = {"kind": "add-node", "componentId": "X", "name": "节点 é"}
        assert client.commit("p", node)["status"] == "applied"
        assert client.close() == 0
    return path


@pytest.mark.parametrize(
    ("words", "name"), [(("export", "p"), "节点 é"), (("inspect", "--json"), "图 größe")]
)
def test_programs_get_utf_8_on_every_system(
    foreign: Path, words: tuple[str, ...], name: str
) -> None:
    command, *rest = words

    done = run(command, foreign, *rest, env=WINDOWS)

    assert done.returncode == 0
    assert name in done.stdout
    assert json.loads(done.stdout)


@pytest.mark.parametrize("command", ["inspect", "check"])
def test_a_mark_that_the_console_does_not_have_is_no_fault(foreign: Path, command: str) -> None:
    done = subprocess.run(
        [*MODULE, command, foreign],
        capture_output=True,
        check=False,
        env={**os.environ, **WINDOWS},
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert "größe".encode("cp1252") in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_what_cannot_be_written_is_told(foreign: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*MODULE, "export", foreign, "p"], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert done.returncode == 1
    assert done.stderr == b"graph-sidecar: No space left on device\n"


@pytest.mark.parametrize(("milliseconds", "shown"), [(2**80, f"{2**80} ms"), (86_400_000, "1970-")])
def test_a_time_that_no_clock_here_shows_is_a_number(milliseconds: int, shown: str) -> None:
    assert local_time(milliseconds).startswith(shown)
