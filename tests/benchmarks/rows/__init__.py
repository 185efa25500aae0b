"""The rows of the table, each runnable alone."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tests.benchmarks.bench import Bench
from tests.benchmarks.measure import Result
from tests.benchmarks.rows import commits, history, process, reads, scale

Row = Callable[[Bench], Result]

ROWS: Final[Mapping[str, Row]] = MappingProxyType(
    {
        "start": process.start,
        "echo": process.echo,
        "memory": process.memory,
        "commit-1000": commits.at_1000,
        "commit-10000": commits.at_10000,
        "pipelined": commits.pipelined,
        "commit-scale": scale.set_parameter,
        "commands": scale.commands,
        "projection": reads.projection,
        "import": reads.largest_template,
        "history": history.bytes_of_edits,
        "revisions": history.distances,
        "long": history.long_run,
        "session": process.session,
    }
)
