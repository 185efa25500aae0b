"""Natives may come from anyone: what no reader of ours has made never keeps a file from being written."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.json_text import dumps
from sidecar.core.errors import RejectedError
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.remint import reminted
from tests.formats.samples import SAMPLES
from tests.formats.test_round_trips import JUNK, places

FORMATS = sorted(set(SAMPLES) - {"graph"})


def file_of(name: str) -> Any:
    """Return a sample as a file of this model, which carries the natives of the sample's things."""
    return write(read(SAMPLES[name]).state, "graph")[0]


def residues(file: Any) -> Iterator[tuple[Any, ...]]:
    return (path for path in places(file) if "native" in path[:-1])


@pytest.mark.spec("F5")
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_natives_say_a_project_is_written_and_opens_again(
    name: str, data: st.DataObject
) -> None:
    file = deepcopy(file_of(name))
    *head, last = data.draw(st.sampled_from(list(residues(file))))
    holder = file
    for step in head:
        holder = holder[step]
    holder[last] = deepcopy(data.draw(JUNK))
    try:
        state = reminted(read(file).state)
    except RejectedError:
        return

    value, _ = write(state, name)

    assert len(read(dumps(value).decode(), name).state.graph.nodes) > 0


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_written_anew_says_so(name: str) -> None:
    file = file_of(name)
    file["document"]["native"] = {name: {"rest": [1], "tabs": 7, "order": [[{}]], "keys": [[]]}}

    value, notices = write(read(file).state, name)

    assert "residue-dropped" in [one.code for one in notices]
    assert value


@pytest.mark.parametrize("version", [2, "1", None, True, [0.4]])
def test_a_version_that_no_file_was_read_with_is_not_written(version: Any) -> None:
    file = file_of("comfyui")
    file["document"]["native"]["comfyui"]["rest"]["version"] = version

    value, _ = write(read(file).state, "comfyui")

    assert value["version"] == 0.4
