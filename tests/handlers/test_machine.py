"""Random histories: whatever is done in whatever order, the engine is what the model says."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.handlers.machine import Machine

CALM = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)


def play(random: Random, steps: int, *, processes: int = 1) -> None:
    with TemporaryDirectory() as folder:
        Machine(Path(folder) / "graphs.db", random, processes=processes).run(steps)


@pytest.mark.spec("V2", "V3", "V4", "V6", "C12", "C13", "D1", "D4", "R7", "G26")
@settings(max_examples=25, suppress_health_check=CALM)
@given(st.randoms(use_true_random=False))
def test_short_histories_are_what_the_model_says(random: Random) -> None:
    play(random, 10)


@pytest.mark.spec("V2", "V7", "V8", "D1", "D6")
@settings(max_examples=3, suppress_health_check=CALM)
@given(st.integers(0, 2**32))
def test_longer_histories_are_what_the_model_says(seed: int) -> None:
    play(Random(seed), 100)


@pytest.mark.spec("C16", "R9")
@settings(max_examples=3, suppress_health_check=CALM)
@given(st.integers(0, 2**32))
def test_processes_that_take_turns_on_one_file_are_what_the_model_says(seed: int) -> None:
    play(Random(seed), 100, processes=3)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("seed", "steps"), [(1, 1_000), (2, 1_000), (3, 30_000)])
def test_long_histories_are_what_the_model_says(seed: int, steps: int) -> None:
    play(Random(seed), steps, processes=1 + seed % 2)
