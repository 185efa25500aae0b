"""A host's copy of the project, led by the notifications of one process, in the order of its pipe."""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import define

from tests.faults.lives import Life
from tests.store.host import Host


@define
class Mirror:
    """What one life told. ``revision`` None: nothing was shown yet."""

    revision: str | None = None
    host: Host | None = None
    """None: the changes were too many to be told, and the state was not fetched yet."""
    told: int = 0
    applied: int = 0
    others: int = 0
    """How many of what was told came from another process."""


def follow(life: Life) -> tuple[Mirror, list[str]]:
    """Lead a mirror through all that a process sent; return it and what did not fit."""
    methods = {id_: call.method for id_, call in life.waiting.items()}
    mirror, faults = lead(list(life.client.received), methods)
    return mirror, [f"life {life.number}: {fault}" for fault in faults]


def lead(
    messages: Iterable[dict[str, Any]], methods: Mapping[int, str]
) -> tuple[Mirror, list[str]]:
    """Lead a mirror through messages; ``methods`` says what each answer's request asked for."""
    mirror, faults = Mirror(), []
    for message in messages:
        if message.get("method") == "projectChanged":
            fault = _change(mirror, message["params"])
            if fault is not None:
                faults.append(fault)
        elif message.get("method") == "projectCreated":
            _create(mirror, message["params"]["revisionId"])
        elif methods.get(message.get("id", 0)) == "getProject" and "result" in message:
            _show(mirror, message["result"])
    return mirror, faults


def _show(mirror: Mirror, state: dict[str, Any]) -> None:
    """A full projection is where a mirror begins, or is taken from where it lost its state."""
    if mirror.revision is None or (mirror.host is None and mirror.revision == state["revisionId"]):
        mirror.revision, mirror.host = state["revisionId"], Host(state)


def _create(mirror: Mirror, revision: str) -> None:
    """Another process's project is told of as it is by then: a host fetches it."""
    if mirror.revision != revision:
        mirror.revision, mirror.host = revision, None


def _change(mirror: Mirror, params: dict[str, Any]) -> str | None:
    if mirror.revision is None:
        return None
    if params["fromRevisionId"] != mirror.revision:
        if mirror.told > 0:
            return f"{params['fromRevisionId']} was told of, and {mirror.revision} is known"
        # The answer that the mirror began with overtook what is told now: a host fetches again.
        mirror.host = None
    mirror.told += 1
    mirror.others += params["origin"] == "other"
    mirror.revision = params["revisionId"]
    if params["changes"] is None:
        mirror.host = None
    elif mirror.host is not None:
        mirror.applied += 1
        try:
            mirror.host.apply(params["changes"])
        except (AssertionError, ValueError, KeyError) as error:
            return f"the changes to {mirror.revision} do not fit: {error!r}"
    return None
