"""What a host's author gets wrong at first, and what the answer says about it."""

from importlib import resources
from pathlib import Path

import pytest

from sidecar.formats.adapters import ADAPTERS
from sidecar.testing.client import SidecarClient, SidecarError
from sidecar.testing.factory import SidecarFactory


def test_a_format_that_is_none_is_told_with_those_there_are(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")

    with pytest.raises(SidecarError) as caught:
        sidecar.request("exportProject", {"projectId": "p", "format": "auto"})

    (issue,) = caught.value.data["issues"]
    assert issue["path"] == "/format"
    assert [name for name in ADAPTERS if name not in issue["message"]] == []


def test_the_path_of_a_backup_is_not_taken_for_the_database_s(sidecar: SidecarClient) -> None:
    with pytest.raises(SidecarError) as caught:
        sidecar.request("backupDatabase", {"path": "copy.db"})

    assert caught.value.data["issues"] == [
        {"path": "/path", "message": "The path has to be absolute."}
    ]


@pytest.mark.spec("G7")
def test_a_node_has_ports_once_its_component_is_known(sidecar: SidecarClient) -> None:
    workflow = resources.files("sidecar.cli").joinpath("sample.json").read_text("utf-8")
    sidecar.create_project("A", "p")
    opened = sidecar.commit("p", {"kind": "open-native", "content": workflow})
    assert opened["projection"] is not None
    assert opened["projection"]["components"] == []
    port = {"name": "image", "dataType": "IMAGE"}
    blur = {"componentId": "Blur", "name": "Blur", "kind": "builtin", "inputs": [port]}

    sidecar.commit("p", {"kind": "add-node", "nodeId": "before", "componentId": "Blur"})
    assert _ports(sidecar) == {"before": []}
    sidecar.commit("p", {"kind": "set-component", "componentId": "Blur", "component": blur})
    sidecar.commit("p", {"kind": "add-node", "nodeId": "after", "componentId": "Blur"})

    assert _ports(sidecar) == {"before": ["image"], "after": ["image"]}


def _ports(sidecar: SidecarClient) -> dict[str, list[str]]:
    return {
        node["nodeId"]: [port["name"] for port in node["inputs"]]
        for node in sidecar.get_project("p")["graph"]["nodes"]
        if node["componentId"] == "Blur"
    }


@pytest.mark.spec("L2")
def test_who_sends_no_options_gets_the_newest_protocol(
    sidecar_factory: SidecarFactory, tmp_path: Path
) -> None:
    sidecar = sidecar_factory(tmp_path / "app.db", initialize=False)

    answer = sidecar.request("initialize", {"processId": None, "capabilities": {}})

    experimental = answer["capabilities"]["experimental"]
    assert experimental["protocolVersion"] == 1
    assert experimental["database"]["created"] is True
    sidecar.close()
