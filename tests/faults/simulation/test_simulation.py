"""Simulated worlds: each seed is one, and what clients saw in it is checked."""

import itertools
import secrets
import sys
from pathlib import Path

import pytest

from tests.faults import checker
from tests.faults.simulation.script import script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")
pytest.importorskip("resource")


@pytest.mark.parametrize(
    "worlds", [3, pytest.param(200, marks=[pytest.mark.slow, pytest.mark.timeout(7_200)])]
)
def test_clients_of_two_processes_see_one_history_whatever_fails(
    tmp_path: Path, worlds: int
) -> None:
    from tests.faults.simulation.world import World  # noqa: PLC0415 -- Linux's alone

    first = secrets.randbits(31)
    for seed in range(first, first + worlds):
        folder = tmp_path / str(seed)
        folder.mkdir()
        world = World(folder, seed, commands=100 if worlds > 3 else 60)

        world.run()

        print(f"seed {seed}: {checker.counts(world.history)}, mirrored {world.mirrored}")
        assert checker.check(world.history) == []
        assert world.faults == []
        assert world.mirrored > 0


def test_the_decisions_of_a_seed_are_always_the_same() -> None:
    one, other = script(5), script(5)

    assert [*itertools.islice(one, 500)] == [*itertools.islice(other, 500)]
    assert [*itertools.islice(script(6), 50)] != [*itertools.islice(script(5), 50)]
