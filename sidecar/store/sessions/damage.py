"""What a session whose rows say what nobody wrote is answered with: others are not concerned."""

from zlib import crc32

from protocol.errors import RequestFailedError


def damaged_session(session_id: str, what: str) -> RequestFailedError:
    """Return the error for rows of one session that were changed from outside or by the disk."""
    return RequestFailedError(
        "session-damaged",
        "This session is damaged in the file, so it cannot be shown. Others are not concerned;"
        " restore a backup to get it back.",
        {"sessionId": session_id, "what": what},
    )


def checksum_of(data: bytes) -> int:
    """Return what tells a row that was written from one that a disk made up."""
    return crc32(data)
