import subprocess
import sys
from pathlib import Path

from protocol.methods import METHODS, NOTIFICATIONS
from tests.protocol import tee
from tests.protocol.traffic import faults

CONFORMANCE = Path(__file__).parents[2] / "protocol" / "conformance"
# A process in between does not die when it is told to, so what kills is not played here.
PLAYED = [path for path in CONFORMANCE.glob("*.jsonl") if '"restart"' not in path.read_text()]


def test_whatever_the_sidecar_says_in_the_conformance_files_fits_the_document(
    tmp_path: Path,
) -> None:
    sidecar = [sys.executable, "-m", "sidecar"]
    between = [sys.executable, tee.__file__, str(tmp_path), *sidecar]
    replayed = subprocess.run(
        [*sidecar, "replay", *map(str, sorted(PLAYED)), "--", *between],
        capture_output=True,
        text=True,
        check=False,
    )
    assert replayed.returncode == 0, replayed.stdout[-3000:]

    seen: set[str] = set()
    found: list[str] = []
    for kept in tmp_path.iterdir():
        methods, misfits = faults((kept / "said").read_bytes(), (kept / "answered").read_bytes())
        seen |= methods
        found += misfits
    assert sorted(set(found)) == []
    assert seen >= {*METHODS, *NOTIFICATIONS, "initialize", "shutdown", "rpc.discover"}
