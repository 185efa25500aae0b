"""``python -m protocol.schema``: write everything that is generated from the Python types.

That is ``openrpc.json`` and the TypeScript client's ``types.ts``; both are kept in version control,
and a test tells when they are not what the types give.
"""

import sys
from pathlib import Path
from typing import Final

import msgspec

from protocol.json_text import dumps
from protocol.openrpc import openrpc_document
from protocol.typescript_types import typescript_types

HERE: Final = Path(__file__).parent
OPENRPC_FILE: Final = HERE / "openrpc.json"
TYPES_FILE: Final = HERE / "typescript" / "src" / "types.ts"


def generated() -> dict[Path, str]:
    """Return the text of every generated file."""
    document = openrpc_document()
    text = msgspec.json.format(dumps(document), indent=2).decode()
    return {OPENRPC_FILE: text + "\n", TYPES_FILE: typescript_types(document)}


def stale() -> list[Path]:
    """Return the files that are not what the types give."""
    return [path for path, text in generated().items() if _read(path) != text]


def main(arguments: list[str]) -> int:
    """Write the files; with ``--check`` only tell which ones are stale (exit code 1)."""
    if arguments == ["--check"]:
        found = stale()
        sys.stderr.writelines(f"stale: {path.relative_to(HERE)}\n" for path in found)
        return 1 if found else 0
    for path, text in generated().items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
