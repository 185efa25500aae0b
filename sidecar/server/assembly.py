"""What serves requests, put together when the first one comes: the greeting needs none of it."""

import time

import uuid_utils
from attrs import frozen

from protocol.commands import Content
from protocol.converter import make_strict_converter
from sidecar.core.edit import Reading
from sidecar.handlers.background import Background
from sidecar.handlers.context import Context, Notify, Owners
from sidecar.handlers.watch import Watch
from sidecar.server.dispatcher import Dispatcher
from sidecar.server.engine_port import Peer
from sidecar.server.logs import Log
from sidecar.store.cache import GraphCache
from sidecar.store.codec import Codec
from sidecar.store.database import Database


@frozen(kw_only=True)
class Opened:
    """What a start leaves to be served."""

    database: Database
    watch: Watch
    owners: Owners
    notify: Notify
    started_at: int
    max_answer: int


@frozen(kw_only=True)
class Serving:
    """Handlers on an open database, and the work that waits for a quiet moment."""

    context: Context
    dispatcher: Dispatcher
    background: Background


def assemble(opened: Opened, peer: Peer, log: Log) -> Serving:
    """Put together what serves requests."""
    converter = make_strict_converter()
    codec = Codec()
    context = Context(
        database=opened.database,
        cache=GraphCache(codec),
        codec=codec,
        converter=converter,
        notify=opened.notify,
        now=now,
        new_id=_new_id,
        read=_read,
        owners=opened.owners,
        started_at=opened.started_at,
        watch=opened.watch,
        max_answer=opened.max_answer,
    )
    background = Background(context, time.monotonic)
    background.start()
    return Serving(
        context=context,
        dispatcher=Dispatcher(context, converter, peer, log),
        background=background,
    )


def now() -> int:
    """Return milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


def _new_id() -> str:
    return str(uuid_utils.uuid7())


def _read(content: Content, name: str) -> Reading:
    # Most processes open a file now and then at most; the first request need not pay for it.
    from sidecar.formats.reader import read  # noqa: PLC0415 -- start-up time

    return read(content, name)
