"""What fuzzing found once."""

import sys
from pathlib import Path

import pytest

from tests.client import Client, RpcError


@pytest.mark.parametrize("member", ["result", "error"])
@pytest.mark.parametrize(
    "value",
    [b"null", b"1e999", b"9" * 4_400, b'"\\ud800"', b"[" * 900 + b"]" * 900],
    ids=["nothing", "beyond-a-double", "digits", "lone-surrogate", "deep"],
)
def test_a_reply_that_nobody_waits_for_is_ignored_and_not_told_of(
    tmp_path: Path, member: str, value: bytes
) -> None:
    command = [sys.executable, "-m", "sidecar", "--database", str(tmp_path / "graphs.db")]
    with Client.spawn(command) as client:
        client.initialize()
        client.send(b'{"jsonrpc":"2.0","id":"canary","%b":%b}' % (member.encode(), value))

        assert client.request("getSettings")["stepsPerAnswer"] > 0
        assert client.close() == 0
        assert "canary" not in client.stderr


@pytest.mark.parametrize("kind", [[], {}, [["restore-revision"]], {"a": 1}, 1.5, None])
def test_a_draft_whose_payload_has_no_kind_at_all_is_refused_with_its_place(
    tmp_path: Path, kind: object
) -> None:
    command = [sys.executable, "-m", "sidecar", "--database", str(tmp_path / "graphs.db")]
    with Client.spawn(command) as client:
        client.initialize()
        client.request("createProject", {"projectId": "p", "title": "P"})
        draft = {"projectId": "p", "title": "D", "nodeIds": [], "payloads": [{"kind": kind}]}

        with pytest.raises(RpcError) as caught:
            client.request("createDraft", draft)

        assert caught.value.code == -32602
        assert caught.value.data["issues"][0]["path"].startswith("/payloads/0")
