"""What a process that is measured has around it: what a host gives it, nothing of a developer's."""

import os
import re

_STEERING = re.compile("^PYTHON(?!HOME$)")
"""PYTHONDONTWRITEBYTECODE, where a developer has it, lets every start compile what it imports."""


def host_environment() -> dict[str, str]:
    """Return this process's environment without what steers Python, as hosts start a sidecar.

    After one start that is not counted, each start finds its modules compiled.
    """
    return {name: value for name, value in os.environ.items() if not _STEERING.match(name)}
