from typing import Any

import pytest

from sidecar.cli.exchanges.abstraction import Abstraction

ID = "01a22ad6-ffe4-72b9-af4e-e8d76ddc8887"


def test_a_minted_id_is_bound_once_and_referred_to_afterwards() -> None:
    abstraction = Abstraction()

    assert abstraction.incoming({"result": {"revisionId": ID}}) == {
        "result": {"revisionId": {"$bind": "revision1"}}
    }
    assert abstraction.incoming({"revisionId": ID}) == {"revisionId": {"$ref": "revision1"}}
    assert abstraction.outgoing({"expectedRevisionId": ID, "note": f"arrange:{ID}"}) == {
        "expectedRevisionId": {"$ref": "revision1"},
        "note": {"$text": "arrange:${revision1}"},
    }


def test_ids_in_a_list_are_named_after_it() -> None:
    assert Abstraction().incoming({"nodes": [ID]}) == {"nodes": [{"$bind": "node1"}]}


def test_what_a_host_chose_stays() -> None:
    assert Abstraction().incoming({"nodeId": "mine", "n": 3}) == {"nodeId": "mine", "n": 3}


@pytest.mark.parametrize(
    ("message", "pattern"),
    [
        ({"createdAt": 1796015062847}, {"createdAt": {"$any": "integer"}}),
        ({"endedAt": None}, {"endedAt": None}),
        ({"code": 1, "message": "text"}, {"code": 1, "message": {"$any": "string"}}),
        ({"path": "/a", "message": "text"}, {"path": "/a", "message": {"$any": "string"}}),
        ({"database": {"path": "/x"}}, {"database": {"path": {"$any": "string"}}}),
        ({"owner": {"pid": 7}}, {"owner": {"$any": "object"}}),
        ({"before": "cursor"}, {"before": {"$bind": "page1"}}),
        ({"before": None}, {"before": None}),
        ({"before": {"nodeId": "a"}}, {"before": {"nodeId": "a"}}),
        ({"p": {"$ref": "x"}}, {"p": {"$literal": {"$ref": "x"}}}),
        ({"p": {"$more": 1}}, {"p": {"$literal": {"$more": 1}}}),
    ],
)
def test_what_differs_from_run_to_run_becomes_a_type(message: Any, pattern: Any) -> None:
    assert Abstraction().incoming(message) == pattern


def test_the_folder_of_the_database_is_the_fresh_folder() -> None:
    abstraction = Abstraction()
    params = {"processId": 77, "initializationOptions": {"database": "/home/a/app.db"}}

    assert abstraction.outgoing({"method": "initialize", "params": params})["params"] == {
        "processId": {"$ref": "processId"},
        "initializationOptions": {"database": {"$path": "app.db"}},
    }
    assert abstraction.incoming({"path": "/home/a/copy.db"}) == {"path": {"$path": "copy.db"}}


def test_the_folder_is_known_however_windows_writes_it() -> None:
    abstraction = Abstraction()
    params = {"initializationOptions": {"database": r"C:\Users\me\app.db"}}

    sent = abstraction.outgoing({"method": "initialize", "params": params})["params"]

    assert sent == {"initializationOptions": {"database": {"$path": "app.db"}}}
    assert abstraction.incoming({"path": "C:/Users/me/a/b.db"}) == {"path": {"$path": "a/b.db"}}
    assert abstraction.incoming({"path": r"C:\Users\me\c.db"}) == {"path": {"$path": "c.db"}}
    assert abstraction.incoming({"title": r"a\b"}) == {"title": r"a\b"}
