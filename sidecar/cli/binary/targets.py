"""Names of machines, as Rust and thereby Tauri call them."""

import platform
import sys
from typing import Final

_MACHINES: Final = {
    "x86_64": "x86_64",
    "amd64": "x86_64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
    "i686": "i686",
    "x86": "i686",
    "armv7l": "armv7",
}


def target_triple(
    system: str = sys.platform, machine: str | None = None, libc: str | None = None
) -> str:
    """Return the target triple of a machine (default: this one).

    Raises ValueError for a machine that has no name here.
    """
    name = (machine or platform.machine()).lower()
    if name not in _MACHINES:
        raise ValueError(f"no target triple is known for the machine {name!r}")
    processor = _MACHINES[name]
    match system:
        case "darwin":
            return f"{processor}-apple-darwin"
        case "win32":
            return f"{processor}-pc-windows-msvc"
        case "linux":
            return f"{processor}-unknown-linux-{_abi(processor, libc)}"
        case _:
            raise ValueError(f"no target triple is known for the system {system!r}")


def _abi(processor: str, libc: str | None) -> str:
    found = platform.libc_ver()[0] if libc is None else libc
    base = "gnu" if found == "glibc" else "musl"
    return base + ("eabihf" if processor == "armv7" else "")
