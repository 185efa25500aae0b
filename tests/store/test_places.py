import os
import shutil
import sys
from pathlib import Path

import pytest

from sidecar.store import places
from sidecar.store.places import Place, identity_of


def place_of(path: Path) -> Place:
    name = str(path)
    return Place(name, identity_of(name), identity_of(name + "-wal"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "größe.db"
    path.write_bytes(b"a")
    path.with_name(path.name + "-wal").write_bytes(b"b")
    return path


def test_the_commits_look_agrees_with_the_systems_own(path: Path) -> None:
    assert places.quiet_look()(str(path)) == identity_of(str(path)) is not None
    assert places.quiet_look()(str(path) + "x") is None
    assert places.quiet_look()("/dev/null") == identity_of("/dev/null")


@pytest.mark.parametrize("which", ["", "-wal"])
def test_a_place_is_held_until_a_name_leads_elsewhere(path: Path, which: str) -> None:
    place = place_of(path)
    assert place.is_held()
    file = path.with_name(path.name + which)

    shutil.copy(file, file.with_name("copy"))
    assert place.is_held()
    file.with_name("copy").replace(file)

    assert not place.is_held()


def test_a_place_without_a_wal_is_held_by_the_database_alone(path: Path) -> None:
    place = Place(str(path), identity_of(str(path)), None)
    path.with_name(path.name + "-wal").unlink()
    assert place.is_held()


@pytest.mark.skipif(sys.platform != "linux", reason="times are asked for on purpose on Linux alone")
def test_looking_at_the_wal_asks_for_no_times(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(path)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("stat asks for times too")

    monkeypatch.setattr(os, "stat", refuse)
    assert places.quiet_look()(place.path + "-wal") == place.wal_identity
