"""What stands in for pygls' imports must be all that pygls asks for."""

import ast
import json
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from sidecar.server.light_imports import DEFERRED, NAMES

PYGLS = Path(str(find_spec("pygls") and find_spec("pygls").origin)).parent  # type: ignore[union-attr]
LOADED = (
    "__init__.py",
    "constants.py",
    "exceptions.py",
    "feature_manager.py",
    "io_.py",
    "protocol/__init__.py",
    "protocol/json_rpc.py",
    "server.py",
)
ADDED = {"lsprotocol.types": {"ResponseError", "ResponseErrorMessage"}}


def imports_of(path: Path) -> set[tuple[str, str]]:
    """Names that a module takes from stood-in modules when it is imported."""
    taken: set[tuple[str, str]] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            taken |= {(node.module, alias.name) for alias in node.names}
    return {(module, name) for module, name in taken if module in NAMES or module in DEFERRED}


def test_pygls_is_the_version_that_was_looked_at() -> None:
    assert (version("pygls"), version("lsprotocol")) == ("2.1.1", "2025.0.0")


@pytest.mark.parametrize("name", LOADED)
def test_every_name_that_pygls_takes_is_there(name: str) -> None:
    for module, taken in imports_of(PYGLS / name):
        members = {*NAMES.get(module, ()), *ADDED.get(module, ())}
        submodule = f"{module}.{taken}"
        assert taken in members or submodule in NAMES, f"{name} takes {taken} from {module}"


SCRIPT = """
import json, sys
import sidecar.server.hosting
heavy = [name for name in ("asyncio", "lsprotocol", "lsprotocol.types", "cattrs", "typing_extensions",
    "psutil", "socket", "ssl", "pygls.lsp", "pygls.protocol.language_server") if name in sys.modules]
import pygls.server, pygls.protocol
loaded = sorted(name for name in sys.modules if name.split(".")[0] == "pygls")
real = sys.modules["pygls.server"].asyncio.Event.__module__
import asyncio, lsprotocol.types, typing_extensions
print(json.dumps([heavy, loaded, real, lsprotocol.types.__file__ is not None, asyncio.__file__ is not None]))
"""


def test_the_transport_loads_nothing_heavy_and_leaves_no_stand_in_behind() -> None:
    output = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, check=True, text=True
    ).stdout

    heavy, loaded, real, lsprotocol_is_real, asyncio_is_real = json.loads(output)
    assert heavy == []
    assert loaded == sorted(
        "pygls"
        if name == "__init__.py"
        else "pygls." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for name in LOADED
    )
    assert real == "asyncio.locks"
    assert lsprotocol_is_real
    assert asyncio_is_real
