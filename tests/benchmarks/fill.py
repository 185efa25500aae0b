"""Projects of any size, written straight into a file before anything is measured."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from protocol.changes import ThingKind
from protocol.converter import make_trusting_converter
from sidecar.core.changes import Change
from sidecar.store.codec import CLASSES, Codec
from sidecar.store.database import Database
from sidecar.store.writing import About, NewProject, create_project, write_revision
from tests.benchmarks import graphs


def fill(path: Path, sizes: Iterable[int]) -> None:
    """Make the projects ``p<size>`` in a database, each of so many nodes."""
    database = Database.open(str(path))
    for size in sizes:
        _fill(database, f"p{size}", graphs.graph(size))
    database.checkpoint()
    database.close()


def _fill(database: Database, project_id: str, graph: dict[str, Any]) -> None:
    codec, converter = Codec(), make_trusting_converter()

    def change(kind: ThingKind, value: dict[str, Any], rank: int) -> Change:
        thing: Any = converter.structure(value, CLASSES[kind])
        return Change(kind, None, value[f"{kind}Id"], None, thing, 0, rank)

    changes = [change("node", one, rank) for rank, one in enumerate(graph["nodes"], 1)]
    changes += [change("edge", one, rank) for rank, one in enumerate(graph["edges"], 1)]
    new = NewProject(
        project_id=project_id, title=project_id, revision_id=f"{project_id}-1", created_at=1
    )
    about = About(
        revision_id=f"{project_id}-2",
        action_id=None,
        actor="manual",
        run_id=None,
        kind="open-native",
        label="Open",
        created_at=2,
    )
    with database.write() as tx:
        write_revision(tx, codec, create_project(tx, codec, new).head, changes, about)


def text_of(size: int) -> str:
    """Return the JSON text of a graph, as the peers are given it."""
    return json.dumps(graphs.graph(size), separators=(",", ":"))
