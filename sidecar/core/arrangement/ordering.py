"""The order within the layers: sweeps by median and barycentre, and exchanges of neighbours.

All work is counted in visited segments, never timed, so the result is the same on every machine.
Method: Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs" (1993),
section 3, with several starts.
"""

from collections.abc import Iterator

from attrs import frozen

from sidecar.core.arrangement.crossings import crossings_below, number_slots
from sidecar.core.arrangement.exchange import exchange_neighbours
from sidecar.core.arrangement.model import Layered
from sidecar.core.arrangement.starts import Layers, starts

WORK = 1_000_000
_SWEEPS = 30
_PATIENCE = 8
_ROUNDS = 8
_LOOKS_PER_VERTEX = 16


@frozen(slots=True)
class Order:
    """An order of all layers, and how many segments cross in it."""

    crossings: int
    layers: Layers


def orders(graph: Layered, work: int = WORK) -> Iterator[Order]:
    """One good order of the layers from each start that the work allows, one at least."""
    search = _Search(graph, work)
    for number, start in enumerate(starts()):
        if number and search.work <= 0:
            return
        graph.layers[:] = start(graph)
        order = search.improve()
        yield order
        if not order.crossings:
            return


class _Search:
    """The layers as they stand, the places of all slots in them, and the work that is left."""

    def __init__(self, graph: Layered, work: int) -> None:
        self._graph = graph
        self._position = [0] * len(graph.owners)
        self._segments = sum(len(ends) for ends in graph.up)
        self.work = work

    def improve(self) -> Order:
        """Sweep to and fro from the layers as they stand; the fewest crossings and their layers."""
        layers = self._graph.layers
        for layer in layers:
            self._number(layer)
        least, best = self._crossings(), _copy(layers)
        idle = 0
        for turn in range(_SWEEPS):
            if not least or idle >= _PATIENCE or self.work <= 0:
                break
            self._sweep(turn)
            self._exchange(rounds=1)
            found = self._crossings()
            idle = 0 if found < least else idle + 1
            if found < least:
                least, best = found, _copy(layers)
        layers[:] = _copy(best)
        for layer in layers:
            self._number(layer)
        least -= self._exchange(rounds=_ROUNDS)
        return Order(least, _copy(layers))

    def _crossings(self) -> int:
        self.work -= self._segments
        return sum(
            crossings_below(self._graph, layer, self._position)
            for layer in range(len(self._graph.layers) - 1)
        )

    def _number(self, layer: list[int]) -> None:
        number_slots(self._graph.in_slots, layer, self._position)
        number_slots(self._graph.out_slots, layer, self._position)

    def _sweep(self, turn: int) -> None:
        """Sort each layer by its neighbours in the one before.

        The bits of the turn choose the direction, median or barycentre, and the side of ties.
        """
        graph = self._graph
        to_right = turn % 2 == 0
        ends = graph.up if to_right else graph.down
        for layer in graph.layers if to_right else reversed(graph.layers):
            self._sort(layer, ends, by_median=not turn & 2, ties_turned=bool(turn & 4))
            self._number(layer)
        self.work -= self._segments

    def _sort(
        self, layer: list[int], ends: list[list[int]], *, by_median: bool, ties_turned: bool
    ) -> None:
        """Sort the vertices that have neighbours; the others keep their places."""
        position = self._position
        places: list[int] = []
        keyed: list[tuple[float, int, int]] = []
        centre = _median if by_median else _barycentre
        for place, vertex in enumerate(layer):
            slots = ends[vertex]
            if not slots:
                continue
            key = (
                position[slots[0]]
                if len(slots) == 1
                else centre([position[slot] for slot in slots])
            )
            places.append(place)
            keyed.append((key, -place if ties_turned else place, vertex))
        keyed.sort()
        for place, (_, _, vertex) in zip(places, keyed, strict=True):
            layer[place] = vertex

    def _exchange(self, *, rounds: int) -> int:
        """Exchange neighbours in all layers, to and fro; the crossings saved."""
        total = 0
        layers = self._graph.layers
        for turn in range(rounds):
            saved = 0
            for layer in layers if turn % 2 == 0 else reversed(layers):
                if self.work <= 0:
                    return total + saved
                ups, downs = self._ends(layer, up=True), self._ends(layer)
                most = min(self.work, _LOOKS_PER_VERTEX * len(layer))
                gain, used = exchange_neighbours(layer, ups, downs, most)
                self.work -= used
                if gain:
                    saved += gain
                    self._number(layer)
            total += saved
            if not saved:
                break
        return total

    def _ends(self, layer: list[int], *, up: bool = False) -> list[list[int]]:
        """The sorted places of the segment ends of each vertex of a layer, on one side."""
        ends = self._graph.up if up else self._graph.down
        position = self._position
        found: list[list[int]] = []
        for vertex in layer:
            places = [position[slot] for slot in ends[vertex]]
            if len(places) > 1:
                places.sort()
            found.append(places)
            self.work -= len(places)
        return found


def _copy(layers: Layers) -> Layers:
    return [list(layer) for layer in layers]


def _barycentre(places: list[int]) -> float:
    return sum(places) / len(places)


def _median(places: list[int]) -> float:
    places.sort()
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    return (places[middle - 1] + places[middle]) / 2
