"""What Windows makes of a path, told from its text alone.

Windows opens other things than files under names that look like theirs, and other files than the
name says: it drops dots and spaces at the end, and takes what follows a colon for a stream.
https://learn.microsoft.com/windows/win32/fileio/naming-a-file is the source.
"""

from pathlib import PureWindowsPath
from typing import Final

_VERBATIM: Final = "\\\\?\\"
_VOLUME: Final = "\\\\?\\volume{"
"""How real paths begin on a disk that has no letter."""
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {port + digit for port in ("com", "lpt") for digit in "123456789¹²³"}
)
_NEVER: Final = frozenset('<>"|?*') | frozenset(map(chr, range(32)))


def plain(path: str) -> str:
    r"""Return a path of a drive without the prefix ``\\?\``.

    Rust's ``canonicalize`` puts it before every path, so a Tauri host may well send one.
    """
    rest = path.removeprefix(_VERBATIM)
    return rest if rest != path and _has_drive(rest) and rest[2:3] == "\\" else path


def fault_of(path: str) -> str | None:
    """Return the code of an InvalidPathError where a path leads to no file of its name, or None."""
    if not _is_unicode(path):
        return "not-text"
    slashed = path.replace("/", "\\")
    if slashed.startswith(("\\\\.\\", _VERBATIM, "\\??\\")):
        return "device"
    if is_remote(slashed):
        return "network"
    if ":" in (slashed[2:] if _has_drive(slashed) else slashed):
        return "stream"
    for name in PureWindowsPath(slashed).parts:
        if _is_device(name):
            return "device"
        if not _is_kept(name):
            return "reserved"
    return None


def is_remote(path: str) -> bool:
    """Whether a real path is another machine's: those of mapped drives are by their server's name."""
    return path.startswith("\\\\") and not path.lower().startswith(_VOLUME)


def _has_drive(path: str) -> bool:
    return path[:1].isascii() and path[:1].isalpha() and path[1:2] == ":"


def _is_unicode(path: str) -> bool:
    """Names may be any 16-bit units there; SQLite takes UTF-8, and would open another file."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_device(name: str) -> bool:
    """A device stays one whatever its extension, and whatever folder it is looked for in."""
    return name.partition(".")[0].rstrip(" ").lower() in _DEVICES


def _is_kept(name: str) -> bool:
    if name in (".", "..") or name.endswith("\\"):
        # A step, or the root.
        return True
    return name[-1:] not in (".", " ") and not _NEVER.intersection(name)
