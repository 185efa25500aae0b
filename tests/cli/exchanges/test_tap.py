import json
from pathlib import Path

from sidecar.cli.exchanges.player import play
from sidecar.cli.exchanges.script import read_script
from sidecar.testing.client import SidecarClient
from tests.cli.command_line import MODULE, run


def recorded(folder: Path) -> Path:
    """Record a session of a host that makes a project and edits it."""
    target = folder / "session.jsonl"
    command = [*MODULE, "record", "-o", str(target), "--", *MODULE]
    with SidecarClient.spawn(command=command) as client:
        client.initialize(database=str(folder / "app.db"))
        project = client.request("createProject", {"title": "Recorded"})
        client.request(
            "commitCommand",
            {
                "projectId": project["projectId"],
                "actionId": "first",
                "expectedRevisionId": project["revisionId"],
                "actor": "manual",
                "runId": None,
                "payload": {
                    "kind": "add-node",
                    "componentId": "X",
                    "parameters": {"odd": {"$any": 1}, "file": str(folder / "image.png")},
                },
            },
        )
        assert client.close() == 0
    return target


def test_a_recording_passes_when_it_is_played(tmp_path: Path) -> None:
    script = read_script(recorded(tmp_path))

    report = play(script, MODULE)

    assert [outcome for outcome in report.outcomes if outcome.verdict != "passed"] == []
    assert len(report.outcomes) >= 4


def test_a_host_that_only_closes_the_stream_is_recorded_as_it_is(tmp_path: Path) -> None:
    target = tmp_path / "session.jsonl"
    command = [*MODULE, "record", "-o", str(target), "--", *MODULE]
    with SidecarClient.spawn(command=command) as client:
        client.initialize(database=str(tmp_path / "app.db"))
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert client.process.wait() == 0

    script = read_script(target)

    assert "exit" not in target.read_text(encoding="utf-8").splitlines()[-1]
    assert play(script, MODULE, timeout=10).passed


def test_a_recording_holds_no_ids_and_no_folders(tmp_path: Path) -> None:
    text = recorded(tmp_path).read_text(encoding="utf-8")

    assert str(tmp_path) not in text
    assert '{"$bind": "revision1"}' in text
    assert json.loads(text.splitlines()[-1]) == {"exit": 0}


def test_a_recording_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert recorded(tmp_path).stat().st_mode & 0o077 == 0


def test_nothing_is_recorded_over(tmp_path: Path) -> None:
    target = tmp_path / "there.jsonl"
    target.write_text("mine", encoding="utf-8")

    done = run("record", "-o", target)

    assert done.returncode == 1
    assert target.read_text(encoding="utf-8") == "mine"


def test_the_code_of_the_recorded_process_is_the_recorder_s(tmp_path: Path) -> None:
    done = run("record", "-o", tmp_path / "file.jsonl", "--", *MODULE, "--no-such-option")

    assert done.returncode == 2
