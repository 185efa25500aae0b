"""Reroute points of ComfyUI links as waypoints of edges, and back.

A link names the reroute it comes through last, a reroute the one before it.  0.4 keeps both under
``extra``, objects of links and scopes of version 1 beside the links; several links may share one.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from protocol.graph import Edge, Json, JsonObject, Position
from sidecar.formats.comfyui.links import Form
from sidecar.formats.comfyui.names import FORMAT
from sidecar.formats.ids import Counter, id_key, residue
from sidecar.formats.residue import same
from sidecar.formats.values import id_text, plain, point

_LONGEST = 1_000
"""More reroutes than a link has; what is longer is a ring."""


@frozen(kw_only=True)
class Paths:
    """The reroutes of a scope of a file."""

    reroutes: Mapping[str, JsonObject]
    parents: Mapping[str, Json]
    """By link id, the reroute it comes through last, where the link does not say so itself."""
    presentation: Mapping[str, JsonObject]

    def path(self, link_id: Json, parent: Json) -> list[JsonObject]:
        """Return the reroutes of a link from its source to its target."""
        last = parent if parent is not None else self.parents.get(id_text(link_id) or "")
        found: list[JsonObject] = []
        while last is not None and len(found) < _LONGEST:
            reroute = self.reroutes.get(id_text(last) or "")
            if reroute is None or point(reroute.get("pos")) is None:
                return []
            found.append(reroute)
            last = reroute.get("parentId")
        return found[::-1] if len(found) < _LONGEST else []


def read_paths(scope: JsonObject) -> Paths:
    extra = scope.get("extra")
    beside: JsonObject = extra if isinstance(extra, dict) else {}
    reroutes = _objects(scope.get("reroutes")) or _objects(beside.get("reroutes"))
    extensions = _objects(beside.get("linkExtensions"))
    presentation = beside.get("linkPresentation")
    shown = presentation if isinstance(presentation, dict) else {}
    return Paths(
        reroutes={id_text(item.get("id")) or "": item for item in reroutes},
        parents={id_text(item.get("id")) or "": item.get("parentId") for item in extensions},
        presentation={key: value for key, value in shown.items() if isinstance(value, dict)},
    )


def waypoints(path: list[JsonObject]) -> tuple[Position, ...]:
    return tuple(spot for item in path if (spot := point(item.get("pos"))) is not None)


def _objects(value: Json) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@define
class Routes:
    """The reroutes of a scope as they are written: those of the file, moved, thinned, added to."""

    counter: Counter
    points: dict[bytes, JsonObject] = field(factory=dict)
    links: dict[bytes, list[Json]] = field(factory=dict)
    """By reroute, the links through it."""
    parents: dict[bytes, tuple[Json, Json]] = field(factory=dict)
    """By link, its id and the reroute it comes through last."""

    def lay(self, edge: Edge, link_id: Json, known: Mapping[bytes, JsonObject]) -> Json:
        """Note an edge's waypoints; returns the reroute it comes through last, if any."""
        if not edge.waypoints:
            return None
        path = self._path(edge, known)
        for reroute in path:
            key = id_key(reroute["id"])
            self.points[key] = reroute
            self.links.setdefault(key, []).append(link_id)
        last = path[-1]["id"]
        self.parents[id_key(link_id)] = (link_id, last)
        return last

    def _path(self, edge: Edge, known: Mapping[bytes, JsonObject]) -> list[JsonObject]:
        native = residue(edge.native, FORMAT)
        ids = native[FORMAT].get("path", []) if native else []
        found = [known[id_key(id_)] for id_ in ids if id_key(id_) in known]
        if len(found) == len(ids) == len(edge.waypoints):
            moved = [_moved(item, spot) for item, spot in zip(found, edge.waypoints, strict=True)]
            if all(self._free(item) for item in moved):
                return moved
        return self._fresh(edge.waypoints)

    def _free(self, reroute: JsonObject) -> bool:
        """Whether no other link leads the same reroute elsewhere."""
        other = self.points.get(id_key(reroute["id"]))
        return other is None or same(other, reroute)

    def _fresh(self, spots: Sequence[Position]) -> list[JsonObject]:
        path: list[JsonObject] = []
        for spot in spots:
            before = {"parentId": path[-1]["id"]} if path else {}
            position = [plain(spot.x), plain(spot.y)]
            path.append({"id": self.counter.mint(), **before, "pos": position, "linkIds": []})
        return path


def _moved(reroute: JsonObject, spot: Position) -> JsonObject:
    if point(reroute.get("pos")) == spot:
        return reroute
    return {**reroute, "pos": [plain(spot.x), plain(spot.y)]}


def write_paths(
    scope: JsonObject, routes: Routes, form: Form, stale: Collection[str]
) -> JsonObject:
    """Return a written scope with its reroutes; ``stale`` are link ids the file named in vain."""
    extra = scope.get("extra")
    beside: JsonObject = extra if isinstance(extra, dict) else {}
    place = scope if "reroutes" in scope or form == "object" else beside
    raw = place.get("reroutes")
    listed = _listed(raw, routes, stale)
    changed = dict(scope)
    if not same(listed, raw if raw is not None else []):
        if place is scope:
            changed["reroutes"] = listed
        else:
            beside = {**beside, "reroutes": listed}
    if form == "array":
        beside = _with_extensions(beside, routes, stale)
    if not same(beside, extra if isinstance(extra, dict) else {}):
        changed["extra"] = beside
    return changed


def _listed(raw: Json, routes: Routes, stale: Collection[str]) -> Json:
    if raw is not None and not isinstance(raw, list):
        return raw
    result: list[Any] = []
    known: set[bytes] = set()
    for item in raw or []:
        if not isinstance(item, dict):
            result.append(item)
            continue
        key = id_key(item.get("id"))
        known.add(key)
        kept = _thinned(routes.points.get(key, item), routes.links.get(key, []), stale)
        if kept is not None:
            result.append(kept)
    for key, item in routes.points.items():
        if key not in known:
            result.append({**item, "linkIds": routes.links[key]})
    return result


def _thinned(reroute: JsonObject, through: list[Json], stale: Collection[str]) -> JsonObject | None:
    """Return a reroute with the links through it, None where none is left."""
    listed = reroute.get("linkIds")
    if not isinstance(listed, list):
        return reroute
    live = {id_key(id_) for id_ in through}
    kept = [id_ for id_ in listed if id_key(id_) in live or id_text(id_) in stale]
    there = {id_key(id_) for id_ in kept}
    linked = kept + [id_ for id_ in through if id_key(id_) not in there]
    if listed and not linked and not reroute.get("floating"):
        return None
    return reroute if linked == listed else {**reroute, "linkIds": linked}


def _with_extensions(extra: JsonObject, routes: Routes, stale: Collection[str]) -> JsonObject:
    raw = extra.get("linkExtensions")
    if raw is not None and not isinstance(raw, list):
        return extra
    result: list[Any] = []
    known: set[bytes] = set()
    for item in raw or []:
        if not isinstance(item, dict) or id_text(item.get("id")) in stale:
            result.append(item)
            continue
        key = id_key(item.get("id"))
        if key not in routes.parents or key in known:
            continue
        known.add(key)
        parent = routes.parents[key][1]
        result.append(item if same(item.get("parentId"), parent) else {**item, "parentId": parent})
    for key, (link_id, parent) in routes.parents.items():
        if key not in known:
            result.append({"id": link_id, "parentId": parent})
    return extra if same(result, raw or []) else {**extra, "linkExtensions": result}


def write_presentation(
    extra: JsonObject, shown: Mapping[str, JsonObject], stale: Collection[str]
) -> JsonObject:
    """Return ``extra`` with how links are shown; ``shown`` says it of every link, by its id."""
    raw = extra.get("linkPresentation")
    if raw is not None and not isinstance(raw, dict):
        return extra
    result: JsonObject = {}
    for key, entry in (raw or {}).items():
        if key in stale or not isinstance(entry, dict):
            result[key] = entry
        elif key in shown:
            other = {k: v for k, v in entry.items() if k not in ("hidden", "label")}
            result[key] = entry if _says(entry) == shown[key] else other | shown[key]
    result.update({key: says for key, says in shown.items() if says and key not in result})
    return extra if same(result, raw or {}) else {**extra, "linkPresentation": result}


def read_shown(entry: JsonObject | None) -> tuple[str | None, bool]:
    """Return the label of a link and whether it is hidden."""
    says = _says(entry or {})
    return says.get("label"), says.get("hidden", False)


def make_shown(edge: Edge) -> JsonObject:
    label = {"label": edge.label} if edge.label is not None else {}
    return {"hidden": True, **label} if edge.hidden else label


def _says(entry: JsonObject) -> JsonObject:
    hidden, label = entry.get("hidden"), entry.get("label")
    said: JsonObject = {"hidden": True} if hidden is True else {}
    return {**said, "label": label} if isinstance(label, str) else said


def mentioned(scope: JsonObject) -> set[str]:
    """Return the ids of all links that the reroutes of a scope of a file speak of."""
    paths = read_paths(scope)
    listed = [item.get("linkIds") for item in paths.reroutes.values()]
    ids = [id_text(id_) for links in listed if isinstance(links, list) for id_ in links]
    return {id_ for id_ in ids if id_ is not None} | set(paths.parents) | set(paths.presentation)
