"""``graph-sidecar schema``."""

from importlib import resources

from sidecar.cli import streams
from sidecar.cli.commands.options import Json


def schema(*, as_json: Json = False) -> int:
    """Print the OpenRPC document: every method, its params and results as JSON Schema.

    Parameters
    ----------
    as_json
        It is JSON in any case.

    """
    del as_json
    streams.write(resources.files("protocol").joinpath("openrpc.json").read_text("utf-8"))
    return 0
