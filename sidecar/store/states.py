"""Whole states as JSON, put together from stored texts without decoding one.

Every function runs inside a transaction its caller opened.
"""

from collections.abc import Sequence
from typing import TypeAlias

from attrs import frozen

from sidecar.store import records
from sidecar.store.database import Transaction
from sidecar.store.faults import damaged
from sidecar.store.kinds import CODES
from sidecar.store.projects import ProjectRow
from sidecar.store.records import ListName
from sidecar.store.tables import MAX_RANK
from sidecar.store.walks import Standing, Walk

Named: TypeAlias = tuple[str | None, bytes]
"""Id and text of a thing."""


@frozen
class StateTexts:
    """A state's members, each a JSON text; ``document`` is ``null`` where none is open.

    ``components`` is an array, ``graph`` an object of the four arrays.
    """

    title: bytes
    document: bytes
    components: bytes
    graph: bytes

    def members(self) -> bytes:
        """Return ``"document": …, "components": …, "graph": …`` for an object that is under way."""
        return b'"document":%b,"components":%b,"graph":%b' % (
            self.document,
            self.components,
            self.graph,
        )

    def json(self) -> bytes:
        """Return ``{title, document, components, graph}``."""
        return b'{"title":%b,%b}' % (self.title, self.members())


def current_state(tx: Transaction, project: ProjectRow) -> StateTexts:
    """Return the state of the current version."""
    return _assembled(_Reader(tx, project, {}))


def state_at(tx: Transaction, project: ProjectRow, number: int) -> StateTexts:
    """Return the state of a version that is kept."""
    walk = Walk(tx, project)
    walk.back_to(number)
    touched: dict[ListName, dict[str | None, Standing]] = {}
    for (kind, scope, id_), standing in walk.things.items():
        touched.setdefault((scope, kind), {})[id_] = standing
    return _assembled(_Reader(tx, project, touched))


class _Reader:
    """Reads lists of the current version with the things of ``touched`` as they were."""

    def __init__(
        self,
        tx: Transaction,
        project: ProjectRow,
        touched: dict[ListName, dict[str | None, Standing]],
    ) -> None:
        self._tx = tx
        self._keys = records.list_names(tx, project.project_key)
        self._touched = touched

    def texts(self, name: ListName) -> list[bytes]:
        if name in self._touched:
            return [text for _, text in self.named(name)]
        return records.texts(self._tx, self._keys[name]) if name in self._keys else []

    def named(self, name: ListName) -> list[Named]:
        key = self._keys.get(name)
        rows = [] if key is None else list(records.rows(self._tx, key))
        return _overlaid(rows, self._touched.get(name, {}))


def _overlaid(
    rows: Sequence[tuple[int, str | None, bytes]], touched: dict[str | None, Standing]
) -> list[Named]:
    """Return a list with the things that were touched as they were."""
    kept = [(key & MAX_RANK, id_, text) for key, id_, text in rows if id_ not in touched]
    kept += [(rank, id_, text) for id_, (text, rank) in touched.items() if text is not None]
    kept.sort(key=lambda thing: thing[0])
    return [(id_, text) for _, id_, text in kept]


def _assembled(read: _Reader) -> StateTexts:
    title = read.texts((None, CODES["title"]))
    document = read.texts((None, CODES["document"]))
    if len(title) != 1 or len(document) > 1:
        raise damaged("record", kind="title" if len(title) != 1 else "document")
    subgraphs = [
        _definition(text, _contents(read, id_))
        for id_, text in read.named((None, CODES["subgraph"]))
    ]
    graph = b'{%b,"subgraphs":%b}' % (_contents(read, None), _array(subgraphs))
    components = _array(read.texts((None, CODES["component"])))
    return StateTexts(title[0], document[0] if document else b"null", components, graph)


def _contents(read: _Reader, scope: str | None) -> bytes:
    return b'"nodes":%b,"edges":%b,"groups":%b' % (
        _array(read.texts((scope, CODES["node"]))),
        _array(read.texts((scope, CODES["edge"]))),
        _array(read.texts((scope, CODES["group"]))),
    )


def _definition(text: bytes, contents: bytes) -> bytes:
    """Return a definition with its contents: its own text is an object that has members."""
    return b"%b,%b}" % (text[:-1], contents)


def _array(texts: Sequence[bytes]) -> bytes:
    return b"[%b]" % b",".join(texts)
