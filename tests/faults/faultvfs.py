"""A SQLite VFS that fails on demand and knows what a power cut would leave on the disk.

https://www.sqlite.org/vfs.html.  Every call that changes a file is a step; the step that is asked
for fails, once or from then on.  Beside the real files, a model keeps for each file what was
synced and what was only written, so that images of the disk after a crash can be made.
"""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import apsw
from attrs import define, field, frozen

Kind = Literal["full", "ioerr", "short", "late"]
Survival = Literal["synced", "written", "torn"]
SECTOR: Final = 512
CONTROLS: Final = frozenset({apsw.SQLITE_FCNTL_SIZE_HINT, apsw.SQLITE_FCNTL_SYNC})
"""What SQLite tells a file before it writes; the other controls are questions."""


@frozen
class Step:
    """A call that changes a file: its name, the file's name, where and how much."""

    call: str
    file: str
    detail: Any = None


@frozen(kw_only=True)
class Fault:
    """Which step fails (counted from 1 after arming), how, and whether all later ones do too.

    ``full`` is SQLITE_FULL, ``ioerr`` the IOERR of the call, ``short`` writes half and reports
    SQLITE_FULL, ``late`` does all of it and reports the IOERR all the same.
    """

    at: int
    kind: Kind = "ioerr"
    forever: bool = False
    calls: frozenset[str] | None = None
    """Only calls of these names count, where given."""


@define
class Image:
    """One file: what is on the disk for sure, what the system holds, and what lies between."""

    durable: bytes | None
    current: bytearray | None
    pending: list[tuple[Any, ...]] = field(factory=list)

    def write(self, offset: int, data: bytes) -> None:
        assert self.current is not None
        _put(self.current, offset, data)
        self.pending.append(("write", offset, data))

    def truncate(self, size: int) -> None:
        assert self.current is not None
        _cut(self.current, size)
        self.pending.append(("truncate", size))

    def sync(self) -> None:
        self.durable = None if self.current is None else bytes(self.current)
        self.pending.clear()

    def delete(self, *, durably: bool) -> None:
        self.current = None
        if durably:
            self.sync()
        else:
            self.pending.append(("delete",))

    def after_crash(self, survival: Survival, rng: random.Random) -> bytes | None:
        if survival == "synced":
            return self.durable
        if survival == "written":
            return None if self.current is None else bytes(self.current)
        return self._torn(rng)

    def _torn(self, rng: random.Random) -> bytes | None:
        """Let each unsynced call land whole, in part (sector by sector), or not at all."""
        if self.current is None and rng.random() < 0.5:
            return None
        content = bytearray(self.durable or b"")
        for call, *arguments in self.pending:
            chance = rng.random()
            if call == "write" and chance < 0.7:
                offset, data = arguments
                for start, piece in _sectors(offset, data):
                    if chance < 0.4 or rng.random() < 0.5:
                        _put(content, start, piece)
            elif call == "truncate" and chance < 0.5:
                _cut(content, arguments[0])
        return bytes(content)


@define
class Controller:
    """Counts steps, fails the one that was asked for, keeps the images."""

    images: dict[str, Image] = field(factory=dict)
    steps: list[Step] = field(factory=list)
    hit: Step | None = None
    armed: bool = False
    _fault: Fault | None = None
    _count: int = 0

    def arm(self, fault: Fault | None = None) -> None:
        """Begin to count; without a fault, to count only."""
        self.steps, self.hit, self._count = [], None, 0
        self._fault, self.armed = fault, True

    def disarm(self) -> None:
        self.armed = False

    @property
    def count(self) -> int:
        """Steps since arming that the fault could have hit."""
        return self._count

    def reads(self, path: str) -> bool:
        """Whether a read fails; reads are steps only where the fault asks for them by name."""
        fault = self._fault
        if fault is None or fault.calls is None or "xRead" not in fault.calls:
            return False
        return self.check("xRead", path) is not None

    def check(self, call: str, path: str, detail: Any = None) -> Kind | None:
        """Count a step; return how it fails, None where it does not."""
        if not self.armed:
            return None
        step = Step(call, Path(path).name, detail)
        self.steps.append(step)
        fault = self._fault
        if fault is not None and fault.calls is not None and call not in fault.calls:
            return None
        self._count += 1
        if (
            fault is None
            or self._count < fault.at
            or (self._count > fault.at and not fault.forever)
        ):
            return None
        self.hit = self.hit or step
        return fault.kind

    def image(self, path: str) -> Image:
        found = self.images.get(path)
        if found is None:
            target = Path(path)
            content = target.read_bytes() if target.exists() else None
            current = None if content is None else bytearray(content)
            found = self.images[path] = Image(content, current)
        return found

    def crash_into(self, folder: Path, survival: Survival, seed: int = 0) -> None:
        """Write what a power cut now would leave into an empty folder, without the shared memory."""
        rng = random.Random(seed)
        for path, image in sorted(self.images.items()):
            content = image.after_crash(survival, rng)
            if content is not None and not path.endswith("-shm"):
                (folder / Path(path).name).write_bytes(content)


class FaultVFS(apsw.VFS):
    """The default VFS with faults; unregister it when done."""

    def __init__(self, controller: Controller, name: str) -> None:
        self.controller = controller
        super().__init__(name, "")

    def excepthook(self, *_: object) -> bool:
        """Keep raised faults to SQLite, which reports their code."""
        return True

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 -- SQLite's name
        path = _path(name)
        if path is None:
            return apsw.VFSFile("", name, flags)
        if self.controller.check("xOpen", path) is not None:
            raise apsw.exception_for(apsw.SQLITE_CANTOPEN)
        image = self.controller.image(path)
        opened = FaultFile(self.controller, path, name, flags)
        if image.current is None:
            image.current = bytearray()
            image.pending.append(("create",))
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802, FBT001 -- SQLite's signature
        if self.controller.check("xDelete", filename, syncdir) is not None:
            raise apsw.exception_for(apsw.SQLITE_IOERR_DELETE)
        super().xDelete(filename, syncdir)
        self.controller.image(filename).delete(durably=syncdir)


class FaultFile(apsw.VFSFile):
    """A file whose changing calls may fail."""

    def __init__(self, controller: Controller, path: str, name: Any, flags: list[int]) -> None:
        self.controller = controller
        self.path = path
        super().__init__("", name, flags)

    def excepthook(self, *_: object) -> bool:
        """Keep raised faults to SQLite, which reports their code."""
        return True

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 -- SQLite's name
        content = bytes(data)
        kind = self.controller.check("xWrite", self.path, (offset, len(content)))
        if kind == "short":
            half = content[: len(content) // 2]
            super().xWrite(half, offset)
            self.controller.image(self.path).write(offset, half)
        if kind in ("full", "short"):
            raise apsw.exception_for(apsw.SQLITE_FULL)
        if kind == "ioerr":
            raise apsw.exception_for(apsw.SQLITE_IOERR_WRITE)
        super().xWrite(content, offset)
        self.controller.image(self.path).write(offset, content)
        if kind == "late":
            raise apsw.exception_for(apsw.SQLITE_IOERR_WRITE)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 -- SQLite's name
        if self.controller.reads(self.path):
            raise apsw.exception_for(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 -- SQLite's name
        kind = self.controller.check("xTruncate", self.path, newsize)
        if kind in (None, "late"):
            super().xTruncate(newsize)
            self.controller.image(self.path).truncate(newsize)
        if kind is not None:
            raise apsw.exception_for(apsw.SQLITE_IOERR_TRUNCATE)

    def xSync(self, flags: int) -> None:  # noqa: N802 -- SQLite's name
        kind = self.controller.check("xSync", self.path, flags)
        if kind in (None, "late"):
            super().xSync(flags)
            self.controller.image(self.path).sync()
        if kind is not None:
            raise apsw.exception_for(apsw.SQLITE_IOERR_FSYNC)

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: N802 -- SQLite's name
        if op in CONTROLS and self.controller.check("xFileControl", self.path, op) is not None:
            raise apsw.exception_for(apsw.SQLITE_IOERR)
        return super().xFileControl(op, pointer)


def step_names(steps: Iterable[Step]) -> Sequence[str]:
    """Return steps as ``call file``, for messages."""
    return [f"{step.call} {step.file}" for step in steps]


def _path(name: Any) -> str | None:
    return name.filename() if isinstance(name, apsw.URIFilename) else name


def _put(content: bytearray, offset: int, data: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def _cut(content: bytearray, size: int) -> None:
    if len(content) > size:
        del content[size:]
    else:
        content.extend(bytes(size - len(content)))


def _sectors(offset: int, data: bytes) -> Iterable[tuple[int, bytes]]:
    start = offset
    end = offset + len(data)
    while start < end:
        stop = min((start // SECTOR + 1) * SECTOR, end)
        yield start, data[start - offset : stop - offset]
        start = stop
