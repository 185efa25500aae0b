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
    """A state's members as JSON texts; ``document`` is ``null`` where none is open.

    ``components`` is an array.  The graph, which may be large, stays in pieces until the whole
    answer is put together: every copy of it costs as much as reading it.
    """

    title: bytes
    document: bytes
    components: bytes
    graph_pieces: Sequence[bytes]

    @property
    def graph(self) -> bytes:
        """The object of the four arrays."""
        return b"".join(self.graph_pieces)

    def pieces(self) -> list[bytes]:
        """Return ``"document": …, "components": …, "graph": …`` in pieces that follow each other.

        To be joined, not formatted: ``%`` takes nine times as long for large texts.
        """
        return [
            b'"document":',
            self.document,
            b',"components":',
            self.components,
            b',"graph":',
            *self.graph_pieces,
        ]

    def json(self) -> bytes:
        """Return ``{title, document, components, graph}``."""
        return b"".join([b'{"title":', self.title, b",", *self.pieces(), b"}"])


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
    parts = [b"{", *_contents(read, None), b',"subgraphs":[']
    for place, (id_, text) in enumerate(read.named((None, CODES["subgraph"]))):
        # A definition's own text is an object that has members.
        parts += (b"," if place else b"", text[:-1], b",", *_contents(read, id_), b"}")
    parts.append(b"]}")
    components = _array(read.texts((None, CODES["component"])))
    return StateTexts(title[0], document[0] if document else b"null", components, parts)


def _contents(read: _Reader, scope: str | None) -> list[bytes]:
    return [
        b'"nodes":[',
        *_separated(read.texts((scope, CODES["node"]))),
        b'],"edges":[',
        *_separated(read.texts((scope, CODES["edge"]))),
        b'],"groups":[',
        *_separated(read.texts((scope, CODES["group"]))),
        b"]",
    ]


def _separated(texts: Sequence[bytes]) -> list[bytes]:
    """Return texts with commas between them, for one join of everything later."""
    pieces = [b","] * max(0, 2 * len(texts) - 1)
    pieces[::2] = texts
    return pieces


def _array(texts: Sequence[bytes]) -> bytes:
    return b"".join([b"[", *_separated(texts), b"]"])
