"""What a fault run prints: how much was done, and which promises did not hold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tests.faults.history import Violation

_PROMISES: Final = {
    "lost": {"lost-message", "lost-update", "forgot-action", "read-went-back", "forked-chain"},
    "torn": {"torn-batch", "state-differs", "restore-differs", "version-changed", "damaged"},
    "twice": {"applied-twice", "answered-twice", "retold-differently"},
    "unanswered": {"unanswered", "internal-error"},
}


def show(counts: Mapping[str, int], found: Sequence[Violation]) -> int:
    """Print counts and violations; return the exit code."""
    print(", ".join(f"{name} {number}" for name, number in counts.items()))
    broken = Counter(violation.code for violation in found)
    sums = {name: sum(broken[code] for code in codes) for name, codes in _PROMISES.items()}
    sums["otherwise wrong"] = len(found) - sum(sums.values())
    print(", ".join(f"{number} {name}" for name, number in sums.items()))
    for violation in found[:20]:
        print(f"  {violation.code} at {violation.tick}: {violation.what}")
    return 1 if found else 0
