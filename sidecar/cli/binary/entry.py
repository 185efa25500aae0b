"""The entry of the frozen program.

The single file unpacks itself into a temporary folder and runs from there as a child of the
process that the host started.  That outer process removes the folder in the end; where it was
killed, the inner one, which then ends by itself, does it in its place.  It may be killed before
this line runs: then the parent is another process already, and only the folder tells.

What is started from here, ``replay`` and ``record`` do so, is started as from a shell: not out of
the same folder, which may be gone before it, and not with our libraries before its own.
"""

import os
import sys

from sidecar.__main__ import main

FOLDER_PREFIX = "_MEI"
"""How the folders begin that a single file unpacks itself into; the outer one's number follows."""
_RANDOM = 6
"""Characters at the end of such a name that tell nothing."""


def _run() -> None:
    _free_children()
    outer = _outer()
    if outer is None:
        main()

    def leave_nothing() -> None:
        if os.getppid() != outer:
            _remove_folder()

    main(parent=outer, last=leave_nothing)


def _outer() -> int | None:
    """Return the process that unpacked this one; None for a folder, on Windows, or if untold.

    On Windows the number of a parent that is gone stays, and files in use cannot be removed.
    """
    name = os.path.basename(getattr(sys, "_MEIPASS", ""))  # noqa: PTH119 -- pathlib is not loaded yet
    if sys.platform == "win32" or not name.startswith(FOLDER_PREFIX):
        return None
    number = name[len(FOLDER_PREFIX) : -_RANDOM]
    return int(number, 16) if number else None


def _free_children() -> None:
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    if sys.platform == "linux":
        original = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
        os.environ.pop("LD_LIBRARY_PATH", None)
        if original is not None:
            os.environ["LD_LIBRARY_PATH"] = original


def _remove_folder() -> None:
    import shutil  # noqa: PLC0415 -- rarely wanted

    shutil.rmtree(sys._MEIPASS, ignore_errors=True)  # type: ignore[attr-defined]  # noqa: SLF001 -- PyInstaller's word for it


if __name__ == "__main__":
    _run()
