"""What the author of a test reads when the sidecar does something else than was thought."""

import sys
import time
from pathlib import Path

import pytest

from sidecar.testing.client import SidecarClient, SidecarError
from sidecar.testing.faults import locked


def test_a_notification_that_does_not_come_is_named_with_those_that_came(
    sidecar: SidecarClient,
) -> None:
    sidecar.create_project("A", "p")
    began = time.monotonic()

    with pytest.raises(TimeoutError) as caught:
        sidecar.wait_for("projectDeleted", timeout=0.1, projectId="p")

    assert time.monotonic() - began < sidecar.timeout / 2
    assert "projectDeleted projectId='p' within 0.1 s" in str(caught.value)
    assert "projectCreated" in str(caught.value)


def test_an_answer_that_does_not_come_is_named() -> None:
    mute = [sys.executable, "-c", "import sys; sys.stdin.read()"]

    with (
        SidecarClient.spawn(command=mute, timeout=0.2) as client,
        pytest.raises(TimeoutError, match=r"no answer to initialize within 0\.2 s"),
    ):
        client.initialize()


def test_an_error_answer_names_its_method_and_says_no_more_than_there_is(
    sidecar: SidecarClient,
) -> None:
    with pytest.raises(SidecarError) as unknown:
        sidecar.request("getProjet")
    with pytest.raises(SidecarError) as missing:
        sidecar.request("getProject", {})

    assert str(unknown.value) == "getProjet: There is no such method. (-32601)"
    assert str(missing.value).startswith("getProject: ")
    assert "/projectId" in str(missing.value)


def test_the_file_that_is_open_can_be_locked(sidecar: SidecarClient, tmp_path: Path) -> None:
    sidecar.create_project("A", "p")
    assert sidecar.database.parent == tmp_path

    with locked(sidecar.database):
        add = {"kind": "add-node", "componentId": "Blur"}
        answer = sidecar.commit("p", add, action_id="a")

    assert answer["reason"] is not None
    assert answer["reason"]["code"] == "storage-busy"
    assert sidecar.commit("p", add, action_id="a")["status"] == "applied"
