"""Contenders in turns, medians of rounds, ratios with the spread that the run itself had."""

import statistics
from collections.abc import Callable, Mapping, Sequence

from attrs import field, frozen

Turn = Callable[[int], Sequence[float]]
"""Do something so many times; return the seconds of each."""


@frozen(kw_only=True)
class Ratio:
    """A ratio of two medians, what it may be, and how much the run's noise moved it.

    ``noise`` is the relative spread of the floor's rounds: half the distance between their
    quartiles.  ``at_most`` tells on which side of ``bound`` the ratio has to be; ``goal`` is where
    it ought to be, where that is not reached.
    """

    name: str
    value: float
    low: float
    high: float
    noise: float
    bound: float | None = None
    goal: float | None = None
    at_most: bool = True

    @property
    def holds(self) -> bool:
        if self.bound is None:
            return True
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    @property
    def reaches_goal(self) -> bool:
        if self.goal is None:
            return self.holds
        return self.value <= self.goal if self.at_most else self.value >= self.goal

    @property
    def holds_but_for_noise(self) -> bool:
        """Whether the bound holds once the noise of this very run is granted."""
        if self.bound is None:
            return True
        if self.at_most:
            return self.value <= self.bound * (1 + self.noise)
        return self.value >= self.bound / (1 + self.noise)


@frozen(kw_only=True)
class Result:
    """What one row found: plain figures by name, each with its unit, and ratios."""

    figures: Mapping[str, tuple[float, str]] = field(factory=dict)
    ratios: Sequence[Ratio] = ()
    skipped: Sequence[str] = ()


def in_turns(turns: Mapping[str, Turn], *, rounds: int, times: int) -> dict[str, list[float]]:
    """Return the medians of ``rounds`` rounds, in seconds, by contender.

    Each does ``times`` in a row, so that all are as warm as a process at work.  A first round warms
    up and is not counted; every other round goes through them backwards.
    """
    medians: dict[str, list[float]] = {name: [] for name in turns}
    for round_number in range(rounds + 1):
        order = list(turns)
        if round_number % 2:
            order.reverse()
        for name in order:
            median = statistics.median(turns[name](times))
            if round_number:
                medians[name].append(median)
    return medians


def ratio(
    name: str,
    over: Sequence[float],
    floor: Sequence[float],
    *,
    bound: float | None = None,
    goal: float | None = None,
    at_most: bool = True,
) -> Ratio:
    """Return the median of the rounds' ratios."""
    found = sorted(one / other for one, other in zip(over, floor, strict=True))
    low, middle, high = quartiles(found)
    return Ratio(
        name=name,
        value=middle,
        low=low,
        high=high,
        noise=spread(floor),
        bound=bound,
        goal=goal,
        at_most=at_most,
    )


def spread(values: Sequence[float]) -> float:
    """Return half the distance between the quartiles, relative to the median."""
    low, middle, high = quartiles(sorted(values))
    return (high - low) / 2 / middle


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def milliseconds(medians: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, str]]:
    """Return the medians of medians as figures."""
    return {name: (statistics.median(found) * 1000, "ms") for name, found in medians.items()}
