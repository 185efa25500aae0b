"""Which process this is, and whether another one still lives.

An owner is told by boot, pid namespace, pid and start, so that a pid given away again is not taken
for the process that had it.  Where a start is a time of day it tells boots apart by itself; the
time of the boot would not do, being computed from a clock that is set and that drifts.
"""

import os
import sys
from pathlib import Path
from typing import Any, Final

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE: Final = Path("/proc/self/ns/pid")
_ZOMBIE: Final = ("Z", "X")


def current_owner() -> dict[str, Any]:
    """Return the owner record of this process (JSON).

    ``start`` counts clock ticks since boot on Linux, milliseconds since 1970 elsewhere.
    """
    pid = os.getpid()
    return {
        "bootId": _boot_id(),
        "pidNamespace": _pid_namespace(),
        "pid": pid,
        "start": start_of(pid),
    }


def is_gone(owner: dict[str, Any]) -> bool:
    """Return whether the process of an owner record is certainly gone.

    An owner of another pid namespace cannot be seen from here: it is never called gone.
    """
    if owner.get("bootId") != _boot_id():
        return True
    if owner.get("pidNamespace") != _pid_namespace():
        return False
    try:
        start = start_of(int(owner["pid"]))
    except PermissionError:
        return False
    return start is None or start != owner.get("start")


def start_of(pid: int) -> int | None:
    """Return when the process of a number started; None where there is none, or only its remains.

    Raises PermissionError where the system does not tell.
    """
    if sys.platform == "linux":
        # Ticks since boot do not move when somebody sets the clock.
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            return None
        fields = stat.rpartition(")")[2].split()
        return None if fields[0] in _ZOMBIE else int(fields[19])
    import psutil  # noqa: PLC0415 -- only where the system has no cheaper way

    try:
        process = psutil.Process(pid)
        if sys.platform == "win32":
            return round(process.create_time() * 1000)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        # As the kernel noted it. What psutil tells of it else moves with the clock, by how far
        # that was set since *this* process loaded psutil: two processes would see two starts.
        inner: Any = process._proc  # type: ignore[attr-defined, unused-ignore]  # noqa: SLF001
        started: float = inner.create_time(monotonic=True)
        return round(started * 1000)
    except psutil.NoSuchProcess:
        return None
    except psutil.AccessDenied as error:
        raise PermissionError(str(error)) from error


def _boot_id() -> str | None:
    return _BOOT_ID.read_text(encoding="ascii").strip() if sys.platform == "linux" else None


def _pid_namespace() -> str | None:
    return str(_PID_NAMESPACE.readlink()) if sys.platform == "linux" else None
