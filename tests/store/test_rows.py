"""The smaller tables: actions, drafts, settings, projects, cursors, migrations."""

from pathlib import Path

import apsw
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from sidecar.store import actions, drafts, migrations, projects, schema, settings
from sidecar.store.actions import AppliedAction
from sidecar.store.cursors import CursorError, decode_cursor, encode_cursor
from sidecar.store.drafts import DraftRow
from tests.store.builders import PROJECT, Store, put_node


@pytest.mark.parametrize("effects", [None, {"updated": {"nodes": ["a"]}}, {"x": ["y" * 50] * 900}])
def test_an_action_comes_back_as_it_was_recorded(store: Store, effects: object) -> None:
    action = AppliedAction("action", "commitCommand", b"h" * 16, 7, "revision", True, effects)

    with store.database.write() as tx:
        key = store.opened(tx).row.project_key
        actions.insert(tx, key, action)
    with store.database.read() as tx:
        assert actions.find(tx, key, "action") == action
        assert actions.is_recorded(tx, key, "action")
        assert actions.find(tx, key, "other") is None
        assert actions.find(tx, key + 1, "action") is None


def draft(name: str, key: int) -> DraftRow:
    return DraftRow(
        draft_id=name,
        project_key=key,
        title="Draft",
        node_ids=("a", "b"),
        document_id=None,
        base_revision=1,
        base_revision_id="first",
        payloads=({"kind": "add-node", "parameters": {"seed": 2**70}},),
        created_at=5,
    )


def test_drafts_are_kept_until_decided(store: Store) -> None:
    with store.database.write() as tx:
        key = store.opened(tx).row.project_key
        first = drafts.insert(tx, draft("first", key))
        second = drafts.insert(tx, draft("second", key))
        drafts.set_status(tx, evolve(first, status="stale", stale_reason="node-gone"))

    with store.database.read() as tx:
        assert drafts.all_open(tx, key) == [second]
        assert drafts.find(tx, "first") == evolve(first, status="stale", stale_reason="node-gone")
        assert [found.draft_id for found in drafts.page(tx, key)] == ["second", "first"]
        assert drafts.page(tx, key, before=second.draft_key, limit=1)[0].draft_id == "first"
        assert drafts.find(tx, "nowhere") is None


def test_settings_have_defaults_and_stay(store: Store) -> None:
    with store.database.write() as tx:
        before = settings.read(tx)
        settings.write(tx, {"maxRevisions": 300})
        settings.write(tx, {"maxRevisions": 400, "minRevisions": 7})

    with store.database.read() as tx:
        assert before["maxRevisions"] == 2_000
        assert settings.read(tx) == {**before, "maxRevisions": 400, "minRevisions": 7}
        limits = settings.history_limits(settings.read(tx))
    assert (limits.max_revisions, limits.min_revisions, limits.max_bytes) == (400, 7, 256 << 20)


def test_a_deleted_project_is_gone_and_its_id_retired(store: Store) -> None:
    store.create("second")
    store.edit(put_node("a"))
    store.edit(put_node("a", steps=1))
    with store.database.write() as tx:
        row = store.opened(tx).row
        drafts.insert(tx, draft("draft", row.project_key))
        projects.delete(tx, row, 9)

    with store.database.read() as tx:
        assert projects.find(tx, PROJECT) is None
        assert projects.is_retired(tx, PROJECT)
        assert store.cache.open(tx, PROJECT) is None
        assert [found.project_id for found in projects.page(tx)] == ["second"]
        for table in ("graph_records", "graph_lists", "graph_revisions", "drafts"):
            keys = tx.execute(f"SELECT count(*) FROM {table}").get
            assert keys == (0 if table == "drafts" else 1)
    assert store.state(1, "second")


def test_projects_are_listed_by_their_last_change(store: Store) -> None:
    for name in ("b", "c", "d"):
        store.create(name)
    store.edit(put_node("a"), project_id="c")

    with store.database.read() as tx:
        listed = projects.page(tx, limit=3)
        last = listed[-1]
        rest = projects.page(tx, before=(last.updated_at, last.project_key))
    assert [row.project_id for row in listed] == ["c", "d", "b"]
    assert [row.project_id for row in rest] == [PROJECT]


@given(st.lists(st.integers(-(2**61), 2**61), min_size=1, max_size=3))
def test_a_cursor_leads_back_to_its_place(place: list[int]) -> None:
    cursor = encode_cursor("list", *place)

    assert decode_cursor("list", cursor, length=len(place)) == tuple(place)
    with pytest.raises(CursorError):
        decode_cursor("other", cursor, length=len(place))
    with pytest.raises(CursorError):
        decode_cursor("list", cursor, length=len(place) + 1)


@given(st.text(max_size=20))
def test_a_made_up_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(CursorError):
        decode_cursor("revisions", cursor)


def test_a_migration_leaves_a_backup_that_opens(path: Path) -> None:
    store = Store.at(path)
    store.create()
    store.edit(put_node("a"))
    state = store.state()
    store.database.close()
    connection = apsw.Connection(str(path))

    migrations.migrate(connection, str(path), schema.SCHEMA_VERSION)
    migrations.migrate(connection, str(path), schema.SCHEMA_VERSION)
    connection.close()

    copies = sorted(found for found in path.parent.iterdir() if "backup" in found.name)
    assert len(copies) == 2
    for found in copies:
        copy = Store.at(found)
        assert copy.state() == state
        copy.database.close()
