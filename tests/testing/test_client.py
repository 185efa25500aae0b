import sys
import threading
from pathlib import Path

import apsw
import pytest

from sidecar.testing.client import SidecarClient, SidecarError, SidecarGoneError
from sidecar.testing.factory import SidecarFactory
from sidecar.testing.faults import full_disk, locked
from tests.patience import promised

ADD = {"kind": "add-node", "nodeId": "n", "componentId": "X"}


def test_commands_expect_the_version_that_the_client_knows(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")

    added = sidecar.commit("p", ADD)
    renamed = sidecar.commit("p", {"kind": "rename-node", "nodeId": "n", "name": "N"})
    undone = sidecar.undo("p")
    redone = sidecar.redo("p", projection="none")

    answers = added, renamed, undone, redone
    assert [answer["status"] for answer in answers] == ["applied"] * 4
    assert [
        answer["projection"]["revisionNumber"] for answer in answers if answer["projection"]
    ] == [
        2,
        3,
        4,
        5,
    ]


def test_a_window_that_lags_behind_gets_a_conflict_and_knows_then(sidecar: SidecarClient) -> None:
    first = sidecar.create_project("A", "p")["revisionId"]
    sidecar.commit("p", ADD)
    renaming = {"kind": "rename-node", "nodeId": "n", "name": "N"}

    late = sidecar.commit("p", renaming, expected=first, action_id="late")
    again = sidecar.commit("p", renaming, action_id="late")

    assert (late["status"], again["status"]) == ("conflict", "applied")


def test_what_no_json_can_hold_is_the_callers_fault_and_the_sidecar_serves_on(
    sidecar: SidecarClient,
) -> None:
    with pytest.raises(ValueError, match="surrogates"):
        sidecar.request("createProject", {"title": "\ud800"})

    assert sidecar.create_project("A", "p")["title"] == "A"


def test_the_assistant_edits_in_a_run(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")
    run = sidecar.start_run("p", stepLimit=5)

    answer = sidecar.commit("p", ADD, run_id=run["runId"])
    closed = sidecar.close_run(run["runId"])

    assert answer["status"] == "applied"
    assert closed["status"] == "closed"
    assert sidecar.commit("p", {"kind": "remove-node", "nodeId": "n"})["status"] == "applied"


def test_a_notification_can_be_waited_for(sidecar_factory: SidecarFactory) -> None:
    one, two = sidecar_factory("shared.db"), sidecar_factory("shared.db")
    one.create_project("A", "p")

    assert two.wait_for("projectCreated", projectId="p")["origin"] == "other"
    assert [note["method"] for note in two.notifications] == []


def test_a_wait_ends(tmp_path: Path) -> None:
    spawned = SidecarClient.spawn(tmp_path / "a.db", timeout=0.2)
    with spawned as client, pytest.raises(TimeoutError):
        client.wait_for("projectCreated")


def test_an_error_answer_is_an_exception(sidecar: SidecarClient) -> None:
    with pytest.raises(SidecarError) as caught:
        sidecar.get_project("nobody")

    assert (caught.value.code, caught.value.data["code"]) == (-32803, "unknown-project")


def test_a_process_that_is_gone_is_an_exception(sidecar: SidecarClient) -> None:
    sidecar.kill()

    with pytest.raises(SidecarGoneError):
        sidecar.request("getStatus")


def test_a_command_line_that_is_no_sidecar_is_an_exception() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(9)"]
    with SidecarClient.spawn(command=command) as client, pytest.raises(SidecarGoneError):
        client.initialize()


SAYS = """
import os, sys
sys.stdin.buffer.readline()
os.write(2, b"{'no': 'json'}\\n{cut}\\n[1]\\n" + b'{"level": "error", "event": "x"}\\n{"level": "err')
os.write(1, sys.argv[1].encode())
sys.stdin.buffer.read()
"""


@pytest.mark.parametrize(
    "words",
    ["Content-Length: many\r\n\r\n", "Content-Length: 6\r\n\r\n<html>"],
    ids=["frame", "json"],
)
def test_what_is_no_message_is_the_end_of_the_conversation(words: str) -> None:
    command = [sys.executable, "-c", SAYS, words]
    with SidecarClient.spawn(command=command, timeout=1) as client, promised(10):
        with pytest.raises(SidecarGoneError, match="goes on"):
            client.request("getStatus")
        assert [line["event"] for line in client.log] == ["x"]


HOLDS = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"], stdin=subprocess.DEVNULL)
if sys.argv[1] == "ends":
    os.close(1)
    sys.exit(9)
sys.stdin.buffer.read()
"""


@pytest.mark.parametrize("way", ["ends", "stays"])
def test_nobody_waits_for_a_child_of_the_sidecar_that_holds_its_pipes(way: str) -> None:
    command = [sys.executable, "-c", HOLDS, way]
    with promised(7), SidecarClient.spawn(command=command, timeout=0.5) as client:
        with pytest.raises(TimeoutError):
            client.wait_for("anything")
        client.kill()


def test_answers_can_be_awaited_in_any_order(sidecar: SidecarClient) -> None:
    ids = [sidecar.send("getSettings"), sidecar.send("listProjects", {})]

    assert sidecar.answer(ids[1])["items"] == []
    assert "maxRevisions" in sidecar.answer(ids[0])


def test_a_full_disk_refuses_and_the_same_action_lands_afterwards(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")

    with full_disk(sidecar):
        refused = sidecar.commit("p", ADD, action_id="a")
    landed = sidecar.commit("p", ADD, action_id="a")

    assert refused["reason"] is not None
    assert refused["reason"]["code"] == "storage-full"
    assert landed["status"] == "applied"


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set on Linux alone")
def test_a_full_disk_reaches_a_sidecar_that_a_launcher_started(tmp_path: Path) -> None:
    launcher = (
        "import subprocess, sys; "
        "sys.exit(subprocess.call([sys.executable, '-m', 'sidecar', *sys.argv[1:]]))"
    )
    command = [sys.executable, "-c", launcher]
    with SidecarClient.spawn(tmp_path / "app.db", command=command) as sidecar:
        sidecar.initialize()
        sidecar.create_project("A workflow", "p")

        with full_disk(sidecar):
            refused = sidecar.commit("p", ADD)

        assert refused["reason"] is not None
        assert refused["reason"]["code"] == "storage-full"
        assert sidecar.commit("p", ADD)["status"] == "applied"


def test_the_lock_is_waited_for_while_the_sidecar_writes(tmp_path: Path) -> None:
    database = tmp_path / "app.db"
    writer, late = apsw.Connection(str(database)), apsw.Connection(str(database))
    writer.execute("BEGIN IMMEDIATE")
    ends = threading.Timer(0.2, writer.execute, ["ROLLBACK"])
    ends.start()

    with locked(database), pytest.raises(apsw.BusyError):
        late.execute("BEGIN IMMEDIATE")
    ends.join()
    writer.close()
    late.close()


def test_a_locked_database_is_busy(sidecar_factory: SidecarFactory, tmp_path: Path) -> None:
    sidecar = sidecar_factory("app.db")
    sidecar.create_project("A", "p")

    with locked(tmp_path / "app.db"):
        refused = sidecar.commit("p", ADD)

    assert refused["reason"] is not None
    assert refused["reason"]["code"] == "storage-busy"


def test_what_was_acknowledged_survives_a_kill(sidecar_factory: SidecarFactory) -> None:
    first = sidecar_factory("app.db")
    first.create_project("A", "p")
    first.commit("p", ADD)
    first.kill()

    second = sidecar_factory("app.db")

    assert [node["nodeId"] for node in second.get_project("p")["graph"]["nodes"]] == ["n"]


def test_a_write_that_fails_in_another_way_tells_of_the_end_too(sidecar: SidecarClient) -> None:
    """Windows fails a write to a process that ended with EINVAL, not with EPIPE."""
    sidecar.process.kill()
    pipe, sidecar.process.stdin = sidecar.process.stdin, open("/dev/full", "wb")  # noqa: PTH123, SIM115

    with pytest.raises(SidecarGoneError):
        sidecar.request("getStatus")
    sidecar.kill()
    assert pipe is not None
    pipe.close()
