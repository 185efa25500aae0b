"""Standard output, as every system has it: for people in its own encoding, for programs in UTF-8."""

import io
import sys


def replace_what_is_unknown() -> None:
    """Show a question mark for what the encoding does not have: a mark, on Windows, say."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def write(text: str) -> None:
    """Write to stdout what other programs read: UTF-8 and LF, whatever the system's own are."""
    stream = sys.stdout
    if stream.isatty() or not hasattr(stream, "buffer"):
        stream.write(text)
    else:
        stream.flush()
        stream.buffer.write(text.encode())
