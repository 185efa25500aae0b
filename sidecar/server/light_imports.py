"""Keeps what our libraries import, but this process never uses, off the way to the first answer.

msgspec asks for ``typing_extensions`` and is content with ``typing`` where there is none; it is
loaded here, before anyone else does it. ``lsprotocol.types`` alone takes longer to import than everything else together, and asyncio,
cattrs and uuid are of use to pygls' own loop and converter, which the pipe here replaces. While
pygls is imported, modules of the same names stand in for them; afterwards they are taken away, so
that nobody else can meet one. tests/server/test_light_imports.py fails when pygls asks for a name
that is not here.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

DEFERRED = ("asyncio", "uuid")
"""Modules that pygls names at import time and uses later, if ever."""

NAMES: dict[str, dict[str, Any]] = {
    "lsprotocol": {"__path__": []},
    "lsprotocol.types": {"CANCEL_REQUEST": "$/cancelRequest", "EXIT": "exit"},
    "lsprotocol.converters": {},
    "cattrs": {"__path__": []},
    "cattrs.errors": {"ClassValidationError": type("ClassValidationError", (Exception,), {})},
    "pygls.lsp": {"get_method_options_type": None, "is_instance": None},
    "pygls.protocol.language_server": {"LanguageServerProtocol": None, "lsp_method": None},
}
"""What stands in for each module. ResponseError is added where attrs is loaded anyway."""


class _Deferred(ModuleType):
    """Imports the real module when something of it is used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__name__), name)


@contextmanager
def _without(name: str) -> Iterator[None]:
    """Make ``import name`` fail for now, unless it is loaded already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # the documented way to forbid an import
    try:
        yield
    finally:
        del sys.modules[name]


with _without("typing_extensions"):
    import msgspec as _msgspec  # noqa: F401 -- loaded for everyone


@contextmanager
def stand_ins() -> Iterator[None]:
    """Let pygls be imported without what it does not need here.

    Where pygls or lsprotocol is loaded already (a test process), everything stays real.
    """
    if "pygls" in sys.modules or "lsprotocol" in sys.modules:
        yield
        return
    modules = _make_modules()
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _make_modules() -> dict[str, ModuleType]:
    modules: dict[str, ModuleType] = {}
    for name, members in NAMES.items():
        if name not in sys.modules:
            modules[name] = ModuleType(name)
            modules[name].__dict__.update(members)
    _add_responses(modules["lsprotocol.types"])
    modules["lsprotocol"].__dict__["converters"] = modules["lsprotocol.converters"]
    modules["lsprotocol"].__dict__["types"] = modules["lsprotocol.types"]
    modules |= {name: _Deferred(name) for name in DEFERRED if name not in sys.modules}
    return modules


def _add_responses(types: ModuleType) -> None:
    from attrs import define  # noqa: PLC0415 -- pygls loads it in any case

    @define
    class ResponseError:
        code: int
        message: str
        data: Any = None

    @define
    class ResponseErrorMessage:
        id: int | str | None = None
        error: ResponseError | None = None
        jsonrpc: str = "2.0"

    types.__dict__.update(ResponseError=ResponseError, ResponseErrorMessage=ResponseErrorMessage)
