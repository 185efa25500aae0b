"""The tables of chat sessions, as the first migration step creates them.

``thing_key`` is ``session_key << 35 | kind << 32 | rank``: the things of a session lie side by
side, in list order, so that opening one is a single walk over small rows.  Bodies of messages and
activities, and activities' large values, lie elsewhere and are read one by one.  A session that
comes in pieces has no row yet: under its key, made negative, ``session_values`` has who brings it.
"""

from typing import Final

from sidecar.core.conversation.kinds import LISTS, Kind

RANK_BITS: Final = 32
KIND_BITS: Final = 3
TEXT_INDEX: Final = "session_texts"
"""The search index; the names of its own tables begin with this name too."""

KIND_NUMBERS: Final[dict[Kind, int]] = {kind: number for number, kind in enumerate(LISTS)}
KINDS: Final[tuple[Kind, ...]] = tuple(LISTS)
MAX_RANK: Final = (1 << RANK_BITS) - 1


def thing_key(session_key: int, kind: Kind, rank: int) -> int:
    """Return the key of a thing's rows."""
    return ((session_key << KIND_BITS) | KIND_NUMBERS[kind]) << RANK_BITS | rank


def keys_of(session_key: int) -> tuple[int, int]:
    """Return the lowest and the highest key that a thing of a session may have."""
    low = session_key << (KIND_BITS + RANK_BITS)
    return low, low + (1 << (KIND_BITS + RANK_BITS)) - 1


def keys_of_kind(session_key: int, kind: Kind) -> tuple[int, int]:
    """Return the lowest and the highest key that a thing of a kind may have."""
    low = thing_key(session_key, kind, 0)
    return low, low + MAX_RANK


def session_key_of(key: int) -> int:
    """Return the session that a thing's key belongs to."""
    return key >> (KIND_BITS + RANK_BITS)


SESSION_TABLES: Final = """
CREATE TABLE session_clock (
    clock_key INTEGER PRIMARY KEY CHECK (clock_key = 1),
    time INTEGER NOT NULL CHECK (time >= 0),
    texts_complete INTEGER NOT NULL CHECK (texts_complete IN (0, 1))
) STRICT;
INSERT INTO session_clock VALUES (1, 0, 1);

CREATE TABLE sessions (
    session_key INTEGER PRIMARY KEY CHECK (session_key BETWEEN 1 AND 134217727),
    session_id TEXT NOT NULL UNIQUE,
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    revision INTEGER NOT NULL CHECK (revision >= 0),
    transcript_time INTEGER NOT NULL,
    change_time INTEGER NOT NULL CHECK (change_time >= transcript_time),
    token INTEGER NOT NULL,
    cause TEXT NOT NULL,
    title TEXT,
    archived INTEGER NOT NULL CHECK (archived IN (0, 1)),
    listed_commands INTEGER NOT NULL CHECK (listed_commands >= 0),
    created_hash BLOB CHECK (length(created_hash) = 16),
    owner TEXT,
    summary BLOB NOT NULL,
    runs BLOB NOT NULL,
    head BLOB NOT NULL,
    head_checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX sessions_by_transcript ON sessions (transcript_time);
CREATE INDEX sessions_by_project ON sessions (project_key, transcript_time);
CREATE UNIQUE INDEX sessions_by_change ON sessions (change_time);
CREATE INDEX sessions_at_work ON sessions (session_key) WHERE owner IS NOT NULL;

CREATE TABLE session_things (
    thing_key INTEGER PRIMARY KEY,
    text_key INTEGER,
    checksum INTEGER NOT NULL,
    value BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX session_things_by_text ON session_things (text_key)
    WHERE text_key IS NOT NULL;

CREATE TABLE session_bodies (
    thing_key INTEGER PRIMARY KEY,
    large INTEGER NOT NULL CHECK (large IN (0, 1)),
    checksum INTEGER NOT NULL,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE session_values (
    value_key INTEGER PRIMARY KEY,
    thing_key INTEGER NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL CHECK (size >= 0),
    checksum INTEGER NOT NULL,
    value BLOB NOT NULL,
    UNIQUE (thing_key, name)
) STRICT;

CREATE TABLE session_commands (
    session_key INTEGER NOT NULL REFERENCES sessions (session_key),
    position INTEGER NOT NULL,
    command_id TEXT NOT NULL,
    digest BLOB CHECK (length(digest) = 16),
    PRIMARY KEY (session_key, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_commands_by_id ON session_commands (session_key, command_id);

CREATE TABLE prompt_revisions (
    session_key INTEGER NOT NULL REFERENCES sessions (session_key),
    message_id TEXT NOT NULL,
    start_revision_id TEXT,
    end_revision_id TEXT,
    PRIMARY KEY (session_key, message_id)
) STRICT, WITHOUT ROWID;
"""
TEXT_INDEX_TABLE: Final = """CREATE VIRTUAL TABLE session_texts USING fts5 (
    text, content='', contentless_delete=1, detail=none, tokenize='trigram'
)"""
