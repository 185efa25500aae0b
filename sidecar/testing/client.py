"""A small synchronous client with the calls that tests of hosts need most; the demo uses it too."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, cast

from sidecar.testing.answers import CommitAnswer, Projection, Run
from sidecar.testing.process import (
    SIDECAR,
    TIMEOUT,
    SidecarError,
    SidecarGoneError,
    SidecarProcess,
)

__all__ = ["SIDECAR", "TIMEOUT", "SidecarClient", "SidecarError", "SidecarGoneError"]

ProjectionMode = Literal["full", "changes", "none"]
_SERIOUS: Final = ("error", "critical")


class SidecarClient(SidecarProcess):
    """A sidecar to talk to.

    ``revisions`` has the version of each project that this client knows of: commands expect it
    unless they are told another one, as a host's window does.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", *, timeout: float = TIMEOUT) -> None:
        super().__init__(process, timeout=timeout)
        self.greeting: dict[str, Any] = {}
        self.revisions: dict[str, str] = {}
        self._actions = 0
        self._errors_read = 0

    def initialize(self, **options: Any) -> dict[str, Any]:
        """Open the session; return what the sidecar says of itself.

        ``options`` are initializationOptions (``database``: an absolute path).
        """
        self.greeting = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "capabilities": {},
                "initializationOptions": {"protocolVersion": 1, **options},
            },
        )
        self.notify("initialized", {})
        experimental: dict[str, Any] = self.greeting["capabilities"]["experimental"]
        return experimental

    def close(self, timeout: float = 10.0) -> int:
        """Shut the sidecar down; return its exit code."""
        if self.process.poll() is None:
            self.request("shutdown")
            self.notify("exit")
        code = self.process.wait(timeout)
        self.kill()
        return code

    @property
    def database(self) -> Path:
        """The file that is open."""
        return Path(self.greeting["capabilities"]["experimental"]["database"]["path"])

    def create_project(self, title: str, project_id: str | None = None) -> Projection:
        """Create a project, or get the one that was created under this id and title."""
        params = (
            {"title": title} if project_id is None else {"title": title, "projectId": project_id}
        )
        return self._seen(self.request("createProject", params))

    def get_project(self, project_id: str) -> Projection:
        """Get a project as it is now."""
        return self._seen(self.request("getProject", {"projectId": project_id}))

    def commit(  # noqa: PLR0913 -- what a command can be told
        self,
        project_id: str,
        payload: Mapping[str, Any],
        *,
        run_id: str | None = None,
        action_id: str | None = None,
        expected: str | None = None,
        projection: ProjectionMode = "full",
    ) -> CommitAnswer:
        """Send one command, the assistant's where there is a run; what became of it comes back.

        A conflict or a rejection is an answer, no exception: look at ``status``.
        """
        params = self._command(project_id, action_id, expected, projection)
        params |= {
            "actor": "manual" if run_id is None else "ai",
            "runId": run_id,
            "payload": dict(payload),
        }
        return self._landed(self.request("commitCommand", params))

    def undo(self, project_id: str, *, projection: ProjectionMode = "full") -> CommitAnswer:
        """Take the last step back."""
        params = self._command(project_id, None, None, projection)
        return self._landed(self.request("undo", params))

    def redo(self, project_id: str, *, projection: ProjectionMode = "full") -> CommitAnswer:
        """Bring back what the last undo took."""
        params = self._command(project_id, None, None, projection)
        return self._landed(self.request("redo", params))

    def start_run(self, project_id: str, **options: Any) -> Run:
        """Open a run; ``options`` are startRun's: ``runId``, ``stepLimit`` and so on."""
        return cast("Run", self.request("startRun", {"projectId": project_id, **options}))

    def close_run(self, run_id: str) -> Run:
        """Arrange what a run made and close it; the project may have another version then."""
        run = cast("Run", self.request("closeRun", {"runId": run_id}))
        self.get_project(run["projectId"])
        return run

    def take_errors(self) -> list[dict[str, Any]]:
        """Return the error lines that the sidecar logged since the last call."""
        errors = [line for line in self.log if line.get("level") in _SERIOUS]
        new, self._errors_read = errors[self._errors_read :], len(errors)
        return new

    def _command(
        self,
        project_id: str,
        action_id: str | None,
        expected: str | None,
        projection: ProjectionMode,
    ) -> dict[str, Any]:
        if action_id is None:
            self._actions += 1
            action_id = f"{self.process.pid}-{self._actions}"
        if expected is None and project_id not in self.revisions:
            self.get_project(project_id)
        return {
            "projectId": project_id,
            "actionId": action_id,
            "expectedRevisionId": expected or self.revisions[project_id],
            "projection": projection,
        }

    def _seen(self, projection: Projection) -> Projection:
        self.revisions[projection["projectId"]] = projection["revisionId"]
        return projection

    def _landed(self, answer: CommitAnswer) -> CommitAnswer:
        if answer["projection"] is not None:
            self._seen(answer["projection"])
        return answer
