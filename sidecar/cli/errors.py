"""What a command says when it cannot be carried out."""

from protocol.errors import InvalidParamsError, RequestFailedError
from sidecar.core.errors import RejectedError
from sidecar.store.faults import StorageError
from sidecar.store.paths import InvalidPathError
from sidecar.testing.client import SidecarError, SidecarGoneError


class CliError(Exception):
    """A command that cannot be carried out; its text is one sentence for the person."""


class CliUsageError(Exception):
    """Options that do not go together; its text is one sentence for the person."""


def sentence_of(error: Exception) -> str | None:
    """Return the sentence for an expected failure, None for a bug of ours."""
    match error:
        case CliError() | CliUsageError():
            return str(error)
        case InvalidParamsError():
            return "; ".join(issue.message for issue in error.issues)
        case RequestFailedError() | RejectedError() | StorageError() | InvalidPathError():
            return f"{error.message} ({error.code})"
        case SidecarGoneError():
            return str(error)
        case SidecarError():
            return f"{error.message} ({error.code})"
        case UnicodeDecodeError():
            return "This is not UTF-8 text."
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}"
        case _:
            return None
