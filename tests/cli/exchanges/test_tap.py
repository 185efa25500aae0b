import json
import resource
import sys
from pathlib import Path

import pytest

from sidecar.cli.exchanges.player import play
from sidecar.cli.exchanges.raw import raw_body, raw_text
from sidecar.cli.exchanges.script import read_script
from sidecar.testing.client import SidecarClient
from tests.cli.command_line import MODULE, run
from tests.client import Client


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


def through_a_recorder(target: Path) -> Client:
    return Client.spawn([*MODULE, "record", "-o", target, "--", *MODULE])


NO_JSON = {
    "no-utf-8": (b'"\xff\xed\xa0\x80"', -32700),
    "half-a-surrogate": (b'"\\ud800"', -32700),
    "nan": (b"NaN", -32700),
    "beyond-a-double": (b"1e400", -32700),
    "digits": (b"1" * 5_000, -32700),
    "depth": (b"[" * 40_000 + b"]" * 40_000, -32602),
}


@pytest.mark.parametrize(("value", "code"), NO_JSON.values(), ids=NO_JSON.keys())
def test_what_is_no_json_passes_and_is_played_as_it_was(
    tmp_path: Path, value: bytes, code: int
) -> None:
    target = tmp_path / "session.jsonl"
    body = b'{"jsonrpc":"2.0","id":50,"method":"createProject","params":{"title":%b}}' % value
    with through_a_recorder(target) as client:
        client.initialize({"database": str(tmp_path / "app.db")})
        client.send(body)
        answer = client.read_message()
        while "error" not in answer:
            answer = client.read_message()
        assert client.request("listProjects", {})["items"] == []
        assert client.shutdown() == 0
        assert "Traceback" not in client.stderr

    assert answer["error"]["code"] == code
    sent = [json.loads(line).get("->") for line in target.read_text("utf-8").splitlines()]
    assert [raw_body(one["$raw"]) for one in sent if one and "$raw" in one] == [body]
    assert play(read_script(target), MODULE).passed


def test_any_bytes_come_back_from_their_text() -> None:
    every = bytes(range(256)) + "é\u2028😀".encode() + b"\xed\xb3\xbf"

    assert raw_body(raw_text(every)) == every
    assert raw_body("\ud800") == b"\xed\xa0\x80"


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that stands in for a full disk")
def test_a_recording_that_finds_no_room_stops_alone(tmp_path: Path) -> None:
    target = tmp_path / "session.jsonl"
    with through_a_recorder(target) as client:
        client.initialize({"database": str(tmp_path / "app.db")})
        room = target.stat().st_size + 100
        resource.prlimit(client.process.pid, resource.RLIMIT_FSIZE, (room, room))

        for number in range(3):
            made = client.request("createProject", {"title": f"{number}" * 200})
            assert made["revisionNumber"] == 1
        assert client.shutdown() == 0
        assert client.stderr == "graph-sidecar record: The recording ends here: File too large.\n"

    # What was written before is whole.
    lines = target.read_bytes().splitlines(keepends=True)
    assert all(line.endswith(b"\n") and json.loads(line) for line in lines)
    assert b"initialized" in lines[-1]


def test_a_host_without_readable_frames_is_the_end_of_the_stream(tmp_path: Path) -> None:
    target = tmp_path / "session.jsonl"
    with through_a_recorder(target) as client:
        client.initialize({"database": str(tmp_path / "app.db")})
        client.send_raw(b"Content-Length: many\r\n\r\n")

        assert client.wait() == 0
        assert client.stderr == ""
