"""The play: a person and an assistant edit one workflow, and everything that can happen happens."""

from typing import Any

from sidecar.cli.demo.stage import Stage, shortened
from sidecar.cli.errors import CliError
from sidecar.cli.inspection.show import counted

STEP_LIMIT = 4


class Play:
    """The scenes, in order, on whatever workflow is open."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage

    def all(self, content: str) -> None:
        """Play everything."""
        self._open(content)
        self._person()
        self._run()
        self._trouble()
        self._undo()
        self._end()

    def _open(self, content: str) -> None:
        stage = self.stage
        with stage.chapter("A workflow is opened"):
            answer = stage.commit("open-native", {"kind": "open-native", "content": content})
            if answer["status"] != "applied":
                raise CliError("The file cannot be opened: " + answer["reason"]["message"])
            graph = stage.state["graph"]
            kinds = ("nodes", "edges", "groups", "subgraphs")
            stage.say(", ".join(counted(len(graph[kind]), kind) for kind in kinds))
            stage.picture("before.svg", "The workflow as it was opened")

    def _person(self) -> None:
        stage = self.stage
        with stage.chapter("The person edits"):
            node = self._tunable()
            name, value = self._parameter(node)
            stage.commit(
                f"set-parameter {name} of {self._title(node)}",
                {"kind": "set-parameter", "nodeId": node["nodeId"], "name": name, "value": value},
            )
            stage.commit(
                f"rename-node {self._title(node)}",
                {
                    "kind": "rename-node",
                    "nodeId": node["nodeId"],
                    "name": f"{self._title(node)} (tuned)",
                },
            )
            stage.commit(
                "annotate-node",
                {
                    "kind": "annotate-node",
                    "nodeId": node["nodeId"],
                    "annotation": "Worth another look.",
                },
            )

    def _run(self) -> None:
        stage = self.stage
        before = stage.state
        with stage.chapter(f"The assistant works in a run, {STEP_LIMIT} steps per answer"):
            run = stage.call("startRun", {"projectId": "demo", "stepLimit": STEP_LIMIT})["runId"]
            source, port = self._producer()
            spot = source["position"]
            made = [self._add(run, name, spot, port["dataType"]) for name in ("Upscale", "Sharpen")]
            self._connect(run, source["nodeId"], port["portId"], made[0])
            with stage.chapter("  Meanwhile the person edits, and the run goes on from there"):
                stage.commit(
                    "annotate-node",
                    {
                        "kind": "annotate-node",
                        "nodeId": source["nodeId"],
                        "annotation": "The assistant starts here.",
                    },
                )
            self._connect(run, made[0], "result", made[1])
            stage.say("The step limit is reached: the run is paused at a checkpoint.")
            payload = self._adding("Save", spot, port["dataType"])
            stage.commit("add-node Save, while paused", payload, run_id=run)
            stage.say("The person presses Continue.")
            stage.call("resumeRun", {"projectId": "demo"})
            made.append(self._add(run, "Save", spot, port["dataType"]))
            self._connect(run, made[1], "result", made[2])
            closed = stage.call("closeRun", {"runId": run})
            arrangement = closed["arrangement"]["status"]
            stage.say(f"closeRun: the new nodes are arranged ({arrangement}), the run is closed.")
            stage.refresh()
            stage.picture("run.svg", "What the run and the person changed", before)

    def _trouble(self) -> None:
        stage = self.stage
        node = stage.state["graph"]["nodes"][0]
        move = {
            "kind": "move-node",
            "nodeId": node["nodeId"],
            "position": {"x": node["position"]["x"] - 40, "y": node["position"]["y"]},
        }
        with stage.chapter("A window that lags behind, a lost answer, a mistake"):
            behind = stage.revision
            action = stage.next_action()
            stage.commit(f"move-node {self._title(node)}", move, action_id=action)
            stage.commit("the same action again: its answer was lost", move, action_id=action)
            stage.commit("move-node, made for an older version", move, expected=behind)
            stage.commit(
                "remove-node, of a node nobody knows", {"kind": "remove-node", "nodeId": "?"}
            )
            stage.guarantees()

    def _undo(self) -> None:
        stage = self.stage
        with stage.chapter(
            "Undo: a run's commits are one step, split where a person's edit stands between"
        ):
            for _ in range(3):
                step = stage.state["undo"]
                if step is None:
                    break
                what = f"undo {step['label']}" + _span(step)
                stage.step("undo", what)
            step = stage.state["redo"]
            stage.step("redo", f"redo {step['label']}" + _span(step))
            stage.step("undo", "undo it again")
            while stage.state["redo"] is not None:
                step = stage.state["redo"]
                stage.step("redo", f"redo {step['label']}" + _span(step))
            stage.picture("after.svg", "The workflow in the end")

    def _end(self) -> None:
        stage = self.stage
        with stage.chapter("The history"):
            stage.history()
        document = stage.state["document"]
        exported = stage.call("exportProject", {"projectId": "demo", "format": document["format"]})
        stage.say(
            f"exportProject: {document['format']}, {len(exported['content']):,} characters, "
            f"{len(exported['warnings'])} warnings"
        )

    def _add(self, run: str, name: str, spot: dict[str, float], data_type: str) -> str:
        answer = self.stage.commit(
            f"add-node {name}", self._adding(name, spot, data_type), run_id=run
        )
        node_id: str = answer["effects"]["created"]["nodes"][0]
        return node_id

    def _adding(self, name: str, spot: dict[str, float], data_type: str) -> dict[str, Any]:
        outputs = [] if name == "Save" else [{"name": "result", "dataType": data_type}]
        return {
            "kind": "add-node",
            "componentId": f"Demo{name}",
            "name": name,
            "position": spot,
            "inputs": [{"name": "source", "dataType": data_type}],
            "outputs": outputs,
        }

    def _connect(self, run: str, source: str, port: str, target: str) -> None:
        self.stage.commit(
            "connect",
            {
                "kind": "connect",
                "source": {"nodeId": source, "portId": port},
                "target": {"nodeId": target, "portId": "source"},
            },
            run_id=run,
        )

    def _title(self, node: dict[str, Any]) -> str:
        """Return what a person calls a node: its own name, else its component's."""
        graph = self.stage.state["graph"]
        names = {f"subgraph:{one['subgraphId']}": one["name"] for one in graph["subgraphs"]}
        names |= {one["componentId"]: one["name"] for one in self.stage.state["components"]}
        component = node["componentId"]
        return shortened(node["name"] or names.get(component) or component, 32)

    def _tunable(self) -> dict[str, Any]:
        """Return the node with a number to turn, else one with any parameter, else the first."""
        nodes: list[dict[str, Any]] = self.stage.state["graph"]["nodes"]
        numbers = [node for node in nodes if any(map(_is_number, node["parameters"].values()))]
        return (numbers or [node for node in nodes if node["parameters"]] or nodes)[0]

    def _parameter(self, node: dict[str, Any]) -> tuple[str, Any]:
        for name, value in node["parameters"].items():
            if _is_number(value):
                return name, value + 1
        return next(iter(node["parameters"]), "note"), "set by the demo"

    def _producer(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the node furthest to the right that has an output, and that output."""
        nodes = self.stage.state["graph"]["nodes"]
        makers = [node for node in nodes if node["outputs"]]
        if not makers:
            answer = self.stage.commit(
                "add-node Source, since nothing has an output",
                {
                    "kind": "add-node",
                    "componentId": "DemoSource",
                    "outputs": [{"name": "result", "dataType": "*"}],
                },
            )
            made = answer["effects"]["created"]["nodes"][0]
            makers = [n for n in self.stage.state["graph"]["nodes"] if n["nodeId"] == made]
        node = max(makers, key=lambda maker: maker["position"]["x"])
        return node, node["outputs"][0]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _span(step: dict[str, Any]) -> str:
    return f" and {step['commands'] - 1} more" if step["commands"] > 1 else ""
