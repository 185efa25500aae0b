"""An editor test harness against the unchanged server: pytest-lsp starts it and checks LSP's side."""

import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from protocol.errors import ErrorCode

CONFIG = ClientServerConfig(server_command=[sys.executable, "-m", "sidecar", "--stdio"])
pytestmark = pytest.mark.asyncio


@pytest_lsp.fixture(config=CONFIG)  # type: ignore[untyped-decorator]
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            initialization_options={
                "protocolVersion": 1,
                "database": str(tmp_path / "graph.db"),
            },
        )
    )
    yield
    await lsp_client.shutdown_session()


async def test_initialize_fits_the_language_server_protocol(client: LanguageClient) -> None:
    status = await _ask(client, "getStatus")

    assert status.process.pid > 0


async def test_a_graph_is_edited_over_a_language_client(client: LanguageClient) -> None:
    project = await _ask(client, "createProject", title="In an editor")
    command = {
        "projectId": project.projectId,
        "actionId": str(uuid.uuid4()),
        "expectedRevisionId": project.revisionId,
        "actor": "manual",
        "runId": None,
        "payload": {"kind": "add-node", "nodeId": "n", "componentId": "text"},
    }

    first = await _ask(client, "commitCommand", **command)
    second = await _ask(client, "commitCommand", **command)

    assert [first.status, second.status] == ["applied", "historical"]
    assert [node.nodeId for node in second.projection.graph.nodes] == ["n"]


async def test_an_unknown_method_is_an_error_and_the_session_goes_on(
    client: LanguageClient,
) -> None:
    with pytest.raises(JsonRpcException) as refused:
        await client.text_document_hover_async(
            types.HoverParams(
                text_document=types.TextDocumentIdentifier(uri="file:///a.txt"),
                position=types.Position(line=0, character=0),
            )
        )

    assert refused.value.code == ErrorCode.METHOD_NOT_FOUND
    assert (await _ask(client, "listProjects")).items == []


async def _ask(client: LanguageClient, method: str, **params: Any) -> Any:
    send: Any = client.protocol.send_request_async
    return await send(method, params)
