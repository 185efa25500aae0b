import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path

import pytest

import sidecar
from sidecar.cli.app import EXAMPLES
from sidecar.cli.binary.build import DATA, HIDDEN, Form, build
from sidecar.cli.binary.smoke import checks
from sidecar.cli.binary.targets import target_triple


def test_whatever_is_imported_by_name_is_there() -> None:
    assert [name for name in HIDDEN if importlib.util.find_spec(name) is None] == []


def test_every_command_is_built_in() -> None:
    folder = Path(importlib.import_module("sidecar.cli.commands").__file__ or "").parent
    modules = {module.name for module in pkgutil.iter_modules([str(folder)])} - {"options"}

    assert modules == set(EXAMPLES)
    assert {f"sidecar.cli.commands.{name}" for name in modules} <= set(HIDDEN)


def test_every_data_file_is_built_in() -> None:
    root = Path(sidecar.__file__).parents[1]
    kept = {".json"}
    found = {
        path
        for package in ("protocol", "sidecar")
        for path in (root / package).rglob("*")
        if path.suffix in kept and "typescript" not in path.parts
    }

    assert {source for source, _ in DATA} == found


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    importlib.util.find_spec("PyInstaller") is None, reason="the group binary is not installed"
)
@pytest.mark.skipif(sys.platform == "win32", reason="the checks kill processes as Unix does")
@pytest.mark.parametrize("form", ["folder", "file"])
def test_what_is_built_is_the_sidecar(form: Form, tmp_path: Path) -> None:
    built = build(form, tmp_path, triple=target_triple())

    assert [check for check in checks(built) if check.fault is not None] == []
