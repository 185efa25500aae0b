"""The entry of the frozen program.

The single file unpacks itself into a temporary folder and runs from there as a child of the
process that the host started.  That outer process removes the folder in the end; where it was
killed, the inner one, which then ends by itself, does it in its place.
"""

import os
import sys

from sidecar.__main__ import main

FOLDER_PREFIX = "_MEI"
"""How the folders begin that a single file unpacks itself into."""


def _run() -> None:
    outer = os.getppid()

    def leave_nothing() -> None:
        if os.getppid() != outer:
            _remove_folder()

    main(last=leave_nothing)


def _remove_folder() -> None:
    folder = getattr(sys, "_MEIPASS", "")
    if sys.platform == "win32" or not os.path.basename(folder).startswith(FOLDER_PREFIX):  # noqa: PTH119 -- pathlib is not loaded yet
        return
    import shutil  # noqa: PLC0415 -- rarely wanted

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    _run()
