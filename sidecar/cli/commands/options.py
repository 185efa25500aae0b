"""Options that several commands share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False)]
Output = Annotated[Path, Parameter(name=["--output", "-o"])]
OptionalOutput = Annotated[Path | None, Parameter(name=["--output", "-o"])]
Forwarded = Annotated[Sequence[str], Parameter(parse=False)]
"""What stands behind ``--``: a command line that is not ours to read."""
