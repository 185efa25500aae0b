"""What the system says of a failure, in our words: its numbers, and files that others hold."""

import errno
from pathlib import Path

import apsw
import pytest

from sidecar.store.connection import connect
from sidecar.store.faults import StorageError, fault_of, fault_of_os
from sidecar.store.held_files import patiently
from sidecar.store.places import is_same


def sqlite_error(tmp_path: Path) -> apsw.Error:
    """An error of SQLite's that leaves it to the system to say what was wrong."""
    with pytest.raises(StorageError) as caught:
        connect(str(tmp_path), busy_timeout_ms=0)
    error = caught.value.__cause__
    assert isinstance(error, apsw.CantOpenError)
    return error


def windows_error(number: int) -> PermissionError:
    """What Python raises on Windows; it makes one errno of many numbers."""
    error = PermissionError(errno.EACCES, "Permission denied")
    error.winerror = number  # type: ignore[attr-defined, unused-ignore]
    return error


@pytest.mark.parametrize(
    ("windows", "number", "code"),
    [
        (False, errno.ENOSPC, "storage-full"),
        (False, errno.EACCES, "storage-readonly"),
        (False, errno.EIO, "storage-io"),
        (True, 112, "storage-full"),
        (True, 39, "storage-full"),
        (True, 1295, "storage-full"),
        (True, 5, "storage-readonly"),
        (True, 19, "storage-readonly"),
        (True, 32, "storage-busy"),
        (True, 33, "storage-busy"),
        # ENOSPC and EACCES mean other things there: out of paper, invalid data.
        (True, 28, "storage-io"),
        (True, 13, "storage-io"),
    ],
)
def test_a_number_is_read_as_its_system_means_it(
    tmp_path: Path, *, windows: bool, number: int, code: str
) -> None:
    fault = fault_of(sqlite_error(tmp_path), number, windows=windows)

    assert fault is not None
    assert fault.code == code
    assert fault.details["winerror" if windows else "errno"] == number


@pytest.mark.parametrize("number", [32, 33])
def test_a_write_that_another_program_broke_is_no_lock_that_was_waited_for(
    tmp_path: Path, number: int
) -> None:
    error = sqlite_error(tmp_path)
    error.extendedresult = apsw.SQLITE_IOERR_WRITE  # type: ignore[attr-defined]
    fault = fault_of(error, number, windows=True)

    assert fault is not None
    assert fault.code == "storage-io"


@pytest.mark.parametrize(
    ("number", "code"),
    [(5, "storage-readonly"), (32, "storage-busy"), (112, "storage-full"), (1117, "storage-io")],
)
def test_windows_numbers_tell_more_than_its_errno(number: int, code: str) -> None:
    assert fault_of_os(windows_error(number)).code == code


@pytest.mark.parametrize("number", [5, 32, 33])
def test_a_file_that_another_program_looks_at_is_waited_for(number: int) -> None:
    failures = [windows_error(number), windows_error(number)]

    def rename() -> None:
        if failures:
            raise failures.pop()

    patiently(rename)

    assert not failures


def test_what_waiting_does_not_help_is_told_at_once() -> None:
    tries = []

    def rename() -> None:
        tries.append(1)
        raise PermissionError(errno.EACCES, "Permission denied")

    with pytest.raises(PermissionError):
        patiently(rename)
    assert tries == [1]


@pytest.mark.parametrize(
    ("found", "known", "same"),
    [
        ((1, 2), (1, 2), True),
        ((1, 2), (1, 3), False),
        (None, (1, 2), False),
        (None, None, True),
        ((1, 2), None, False),
        # Windows, where the file cannot be opened just then.
        ((0, 0), (1, 2), True),
        ((0, 0), None, False),
        # macOS: a WAL on exFAT or FAT before the first commit, and after one.
        ((1, 5_163_394), (1, 1), True),
        ((1, 57), (1, 999_999_999), True),
        ((1, 1), (1, 57), True),
        ((2, 1), (1, 57), False),
    ],
)
def test_a_name_leads_elsewhere_only_where_that_is_known(
    found: tuple[int, int] | None, known: tuple[int, int] | None, *, same: bool
) -> None:
    assert is_same(found, known) is same
