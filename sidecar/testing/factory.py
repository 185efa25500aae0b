"""Starts sidecars for one test, and says in the end what was wrong with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from sidecar.testing.client import SIDECAR, SidecarClient
from sidecar.testing.process import SidecarError, SidecarGoneError


@define
class SidecarFactory:
    """Call it to start a sidecar.

    ``folder`` is where databases are that are given by a bare name.
    """

    folder: Path
    command: Sequence[str] | None = None
    clients: list[SidecarClient] = field(factory=list)

    def __call__(
        self,
        database: str | Path | None = None,
        *,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        initialize: bool = True,
        **initialization_options: Any,
    ) -> SidecarClient:
        """Start a sidecar on a database (a name in ``folder``, a path, or a fresh one).

        ``options`` are flags of the process, ``env`` is added to its environment;
        ``initialize=False`` leaves that to the test.
        """
        path = self.folder / (database or f"sidecar-{len(self.clients) + 1}.db")
        client = SidecarClient.spawn(
            path, command=self.command or SIDECAR, options=options, env=env
        )
        self.clients.append(client)
        if initialize:
            client.initialize(**initialization_options)
        return client

    def close(self) -> list[str]:
        """End all of them; return what was wrong, a sentence each."""
        return [fault for client in self.clients for fault in _ended(client)]


def _ended(client: SidecarClient) -> list[str]:
    faults = []
    name = f"the sidecar (process {client.process.pid})"
    if client.process.poll() is None:
        try:
            code = client.close() if client.greeting else _given_up(client)
            if code != 0:
                faults.append(f"{name} ended with exit code {code}")
        except (SidecarError, SidecarGoneError, TimeoutError) as error:
            faults.append(f"{name} could not be shut down: {error}")
    client.kill()
    faults += [f"{name} logged an error: {line}" for line in client.take_errors()]
    return faults


def _given_up(client: SidecarClient) -> int:
    """End a sidecar that was never initialized, by closing its stdin."""
    assert client.process.stdin is not None
    client.process.stdin.close()
    return client.process.wait(client.timeout)
