from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.handlers.desk import Desk


@pytest.fixture(scope="module")
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One process for the tests of a module."""
    with Desk.begin(tmp_path_factory.mktemp("engine") / "graphs.db") as desk:
        yield desk
        assert desk.client.close() == 0


@pytest.fixture
def desk(sidecar: Desk) -> Desk:
    """A new project in the module's process."""
    fresh = Desk(sidecar.client, f"p-{uuid4()}")
    fresh.create()
    return fresh


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "graphs.db"
