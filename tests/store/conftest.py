from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.builders import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "graphs.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    made = Store.at(path)
    made.create()
    yield made
    made.database.close()
