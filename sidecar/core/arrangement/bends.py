"""The layered graph with its bends: where a long edge passes a layer, an invisible vertex stands."""

from sidecar.core.arrangement.model import Layered, Link

_BENDS_PER_VERTEX = 8
_MOST_BENDS = 40_000


def layered(layer: list[int], links: list[Link]) -> Layered:
    """Vertices on their layers, long edges cut into segments, shortest first.

    Once the bends outnumber the vertices eight to one, the longest edges are left out: they have
    no say in the order and are drawn straight.
    """
    graph = Layered(
        layers=[[] for _ in range(max(layer, default=-1) + 1)],
        real=len(layer),
    )
    for number in layer:
        _add_vertex(graph, number, len(graph.up))
    out_ports, in_ports = _Ports(graph, graph.out_slots), _Ports(graph, graph.in_slots)
    room = min(_BENDS_PER_VERTEX * len(layer), _MOST_BENDS)
    by_length = sorted(links, key=lambda link: layer[link.target] - layer[link.source])
    for link in by_length:
        room -= layer[link.target] - layer[link.source] - 1
        if room < 0:
            break
        start = out_ports.slot(link.source, link.source_order)
        for number in range(layer[link.source] + 1, layer[link.target]):
            bend = len(graph.up)
            _add_vertex(graph, number, bend)
            _join(graph, start, in_ports.slot(bend, 0))
            start = out_ports.slot(bend, 0)
        _join(graph, start, in_ports.slot(link.target, link.target_order))
    out_ports.sort()
    in_ports.sort()
    return graph


class _Ports:
    """The slots of one direction by vertex and port order."""

    def __init__(self, graph: Layered, slots: list[list[int]]) -> None:
        self._graph = graph
        self._slots = slots
        self._known: dict[tuple[int, int], int] = {}
        self._orders: dict[int, int] = {}

    def slot(self, vertex: int, order: int) -> int:
        known = self._known.get((vertex, order))
        if known is not None:
            return known
        slot = len(self._graph.owners)
        self._graph.owners.append(vertex)
        self._known[vertex, order] = slot
        self._orders[slot] = order
        self._slots[vertex].append(slot)
        return slot

    def sort(self) -> None:
        for slots in self._slots:
            if len(slots) > 1:
                slots.sort(key=self._orders.__getitem__)


def _add_vertex(graph: Layered, layer: int, vertex: int) -> None:
    graph.layers[layer].append(vertex)
    for lists in (graph.in_slots, graph.out_slots, graph.up, graph.down):
        lists.append([])


def _join(graph: Layered, start: int, end: int) -> None:
    graph.down[graph.owners[start]].append(end)
    graph.up[graph.owners[end]].append(start)
    graph.targets.setdefault(start, []).append(end)
