"""What is written is read back as it was, every field of it."""

from typing import Any

import pytest
from attrs import NOTHING, Factory, fields

from protocol.changes import Thing, ThingKind
from protocol.graph import (
    Bounds,
    Component,
    Document,
    Edge,
    Endpoint,
    Group,
    Node,
    ParameterSpec,
    Port,
    Position,
    Process,
    Size,
    Subgraph,
)
from sidecar.store.codec import Codec
from sidecar.store.faults import StorageError

NATIVE = {"id": 2**70, "rest": [1, 1.0, True, None, "é", {"": []}]}
PORT = Port(
    name="in",
    port_id="port",  # type: ignore[arg-type]
    label="Input",
    data_type="A,B",
    multiple=True,
    required=True,
    parameter="p",
    native=NATIVE,
)
PLAIN = Port(name="out", data_type="*", label="Out", multiple=True)
PROCESS = Process(
    kind="script",
    language="python",
    code="1",
    argv=("a",),
    model={"m": 1},
    request=[1],
    environment={"e": "f"},
    inputs=(PORT,),
    outputs=(PLAIN,),
    timeout_ms=5,
)
SPEC = ParameterSpec(
    name="p",
    data_type="INT",
    default=2**65,
    required=True,
    minimum=1,
    maximum=2.5,
    options=(1, "x"),
    multiline=True,
    secret=True,
)
FULL: list[tuple[ThingKind, Any]] = [
    (
        "node",
        Node(
            node_id="node",  # type: ignore[arg-type]
            component_id="component",  # type: ignore[arg-type]
            name="Name",
            position=Position(1, -2.5),
            size=Size(3, 4.5),
            enabled="bypassed",
            collapsed=True,
            pinned=True,
            inputs=(PORT, PLAIN),
            outputs=(PLAIN, PLAIN),
            parameters={"seed": 2**66, "cfg": 7.0, "steps": 7},
            annotation="Note",
            process=PROCESS,
            status="missing",
            native=NATIVE,
        ),
    ),
    (
        "edge",
        Edge(
            edge_id="edge",  # type: ignore[arg-type]
            source=Endpoint(boundary="input", port_id="a"),  # type: ignore[arg-type]
            target=Endpoint(node_id="node", port_id="b"),  # type: ignore[arg-type]
            data_type="A",
            label="Label",
            hidden=True,
            waypoints=(Position(1, 2), Position(3.5, 4)),
            native=NATIVE,
        ),
    ),
    (
        "group",
        Group(
            group_id="group",  # type: ignore[arg-type]
            name="Group",
            node_ids=("a", "b"),  # type: ignore[arg-type]
            parent_group_id="parent",  # type: ignore[arg-type]
            bounds=Bounds(1, 2, 3, 4.5),
            color="#fff",
            native=NATIVE,
        ),
    ),
    (
        "subgraph",
        Subgraph(
            subgraph_id="subgraph",  # type: ignore[arg-type]
            name="Definition",
            description="Text",
            inputs=(PORT,),
            outputs=(PLAIN,),
            input_anchor=Position(1, 1),
            output_anchor=Position(2, 2),
            native=NATIVE,
        ),
    ),
    (
        "component",
        Component(
            component_id="component",  # type: ignore[arg-type]
            name="Component",
            kind="script",
            version="1",
            source={"a": 1},
            inputs=(PORT,),
            outputs=(PLAIN,),
            parameters=(SPEC,),
            process=PROCESS,
            open_schema=True,
            color="red",
            description="Text",
            native=NATIVE,
        ),
    ),
    (
        "document",
        Document(
            document_id="document",
            format="comfyui",
            format_version="1",
            native_id="n",
            path="/p",
            content_hash="h",
            native=NATIVE,
        ),
    ),
]


@pytest.mark.parametrize(("kind", "thing"), FULL, ids=[kind for kind, _ in FULL])
def test_every_field_comes_back(kind: ThingKind, thing: Thing) -> None:
    codec = Codec()
    text = codec.encode(thing)

    again = codec.decode(kind, text)
    assert again == thing
    assert codec.encode(again) == text


@pytest.mark.parametrize(("kind", "thing"), FULL, ids=[kind for kind, _ in FULL])
def test_the_examples_leave_no_field_at_its_default(kind: ThingKind, thing: Any) -> None:
    del kind
    for field in fields(type(thing)):
        default = field.default
        if default is NOTHING or isinstance(default, Factory):  # type: ignore[arg-type]
            continue
        assert getattr(thing, field.name) != default


def test_a_title_is_a_json_text() -> None:
    assert Codec().encode('Say "é"') == '"Say \\"é\\""'.encode()
    assert Codec().decode("title", b'"x"') == "x"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("node", b"{}"),
        ("node", b"[]"),
        ("node", b"nonsense"),
        ("node", b'{"nodeId":1}'),
        ("edge", b"null"),
        ("edge", b'{"edgeId":"e","source":1}'),
        ("group", b"{}"),
        ("title", b"1"),
        ("document", b"\xff"),
    ],
)
def test_a_text_nobody_wrote_is_storage_corrupt(kind: ThingKind, text: bytes) -> None:
    with pytest.raises(StorageError) as caught:
        Codec().decode(kind, text)
    assert caught.value.code == "storage-corrupt"
