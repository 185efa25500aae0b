"""The engine's tables, as the first migration step creates them.

Two tables pack their place into the rowid, which makes one B-tree do for row and order:
``graph_records.record_key`` is ``list_key << 32 | rank`` and ``graph_revisions.revision_key`` is
``project_key << 40 | number``.  WITHOUT ROWID tables with the same columns as primary key were
measured slower and up to three times as large, since their rows may fill a quarter of a page only.
"""

from typing import Final

RANK_BITS: Final = 32
NUMBER_BITS: Final = 40
MAX_RANK: Final = (1 << RANK_BITS) - 1
MAX_NUMBER: Final = (1 << NUMBER_BITS) - 1

ENGINE_TABLES: Final = """
CREATE TABLE meta (
    meta_key INTEGER PRIMARY KEY CHECK (meta_key = 1),
    settles INTEGER NOT NULL CHECK (settles >= 0)
) STRICT;
INSERT INTO meta VALUES (1, 0);

CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    project_key INTEGER PRIMARY KEY CHECK (project_key BETWEEN 1 AND 8388607),
    project_id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    created_title TEXT NOT NULL,
    current_revision INTEGER NOT NULL CHECK (current_revision >= 1),
    current_revision_id TEXT NOT NULL,
    floor INTEGER NOT NULL CHECK (floor BETWEEN 1 AND current_revision),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE retired_projects (
    project_id TEXT PRIMARY KEY,
    deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_lists (
    list_key INTEGER PRIMARY KEY CHECK (list_key BETWEEN 1 AND 2147483647),
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    scope TEXT NOT NULL,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 0 AND 6),
    UNIQUE (project_key, scope, kind)
) STRICT;

CREATE TABLE graph_records (
    record_key INTEGER PRIMARY KEY,
    id TEXT,
    json BLOB NOT NULL
) STRICT;

CREATE TABLE graph_revisions (
    revision_key INTEGER PRIMARY KEY,
    project_key INTEGER NOT NULL AS (revision_key >> 40) VIRTUAL REFERENCES projects (project_key),
    revision_id TEXT NOT NULL,
    parent_revision_id TEXT,
    action_id TEXT,
    actor TEXT NOT NULL CHECK (actor IN ('manual', 'ai')),
    run_id TEXT,
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    restored_from TEXT,
    undo_target INTEGER,
    undo_run TEXT,
    undo_label TEXT,
    undo_commands INTEGER,
    redo_target INTEGER,
    redo_run TEXT,
    redo_label TEXT,
    redo_commands INTEGER,
    digest BLOB NOT NULL CHECK (length(digest) = 16),
    chain BLOB NOT NULL CHECK (length(chain) = 16),
    folded BLOB CHECK (length(folded) = 16),
    stored_bytes INTEGER NOT NULL CHECK (stored_bytes >= 0),
    changes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX graph_revisions_by_id ON graph_revisions (project_key, revision_id);

CREATE TABLE applied_commands (
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    action_id TEXT NOT NULL,
    method TEXT NOT NULL,
    payload_hash BLOB NOT NULL CHECK (length(payload_hash) = 16),
    revision INTEGER NOT NULL,
    revision_id TEXT NOT NULL,
    changed INTEGER NOT NULL CHECK (changed IN (0, 1)),
    effects BLOB,
    PRIMARY KEY (project_key, action_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE used_ids (
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    kind TEXT NOT NULL CHECK (kind IN ('node', 'edge', 'group', 'subgraph', 'revision')),
    id TEXT NOT NULL,
    PRIMARY KEY (project_key, kind, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    run_key INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    status TEXT NOT NULL CHECK (status IN ('running', 'paused', 'closed', 'cancelled')),
    pause_reason TEXT CHECK (pause_reason IN ('requested', 'checkpoint')),
    start_revision INTEGER NOT NULL,
    start_revision_id TEXT NOT NULL,
    expected_revision_id TEXT NOT NULL,
    steps INTEGER NOT NULL CHECK (steps >= 0),
    step_limit INTEGER CHECK (step_limit >= 1),
    session_id TEXT,
    prompt_message_id TEXT,
    owner TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    end_reason TEXT,
    arrangement_status TEXT CHECK (arrangement_status IN ('applied', 'nothing', 'failed')),
    arrangement_revision_id TEXT,
    arrangement_code TEXT,
    CHECK ((status = 'paused') = (pause_reason IS NOT NULL)),
    CHECK ((status IN ('closed', 'cancelled')) = (ended_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX runs_open ON runs (project_key) WHERE status IN ('running', 'paused');
CREATE INDEX runs_by_project ON runs (project_key, run_key);

CREATE TABLE run_nodes (
    run_key INTEGER NOT NULL REFERENCES runs (run_key),
    node_id TEXT NOT NULL,
    PRIMARY KEY (run_key, node_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE explanations (
    explanation_key INTEGER PRIMARY KEY,
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    explanation_id TEXT NOT NULL,
    subject_kind TEXT NOT NULL
        CHECK (subject_kind IN ('graph', 'node', 'edge', 'group', 'subgraph')),
    subject_id TEXT,
    text TEXT NOT NULL,
    author TEXT NOT NULL CHECK (author IN ('manual', 'ai')),
    created_revision INTEGER NOT NULL,
    created_revision_id TEXT NOT NULL,
    explained_digest BLOB NOT NULL CHECK (length(explained_digest) = 16),
    current_digest BLOB CHECK (length(current_digest) = 16),
    UNIQUE (project_key, explanation_id),
    CHECK ((subject_kind = 'graph') = (subject_id IS NULL))
) STRICT;

CREATE INDEX explanations_by_subject ON explanations (project_key, subject_kind, subject_id);

CREATE TABLE explanation_states (
    explanation_key INTEGER NOT NULL REFERENCES explanations (explanation_key),
    revision INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('current', 'outdated', 'absent')),
    PRIMARY KEY (explanation_key, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
    draft_key INTEGER PRIMARY KEY,
    draft_id TEXT NOT NULL UNIQUE,
    project_key INTEGER NOT NULL REFERENCES projects (project_key),
    title TEXT NOT NULL,
    node_ids BLOB NOT NULL,
    document_id TEXT,
    base_revision INTEGER NOT NULL,
    base_revision_id TEXT NOT NULL,
    payloads BLOB NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'stale', 'applied', 'discarded')),
    stale_reason TEXT CHECK (stale_reason IN ('document-changed', 'node-gone')),
    created_at INTEGER NOT NULL,
    CHECK ((status = 'stale') = (stale_reason IS NOT NULL))
) STRICT;
CREATE INDEX drafts_by_project ON drafts (project_key, draft_key);
CREATE INDEX drafts_open ON drafts (project_key) WHERE status = 'open';
"""
