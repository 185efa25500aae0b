// The client against the sidecar itself.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  commit,
  newId,
  ProjectMirror,
  RequestError,
  sendCommand,
  StartError,
  type Payload,
  type ProjectChanged,
  type SidecarClient,
} from "../src/index.js";
import { startSidecar, temporaryFolder } from "./real-sidecar.js";

function addNode(nodeId: string, x = 0): Payload {
  const port = { name: "value", dataType: "*" };
  return {
    kind: "add-node",
    nodeId,
    componentId: "step",
    position: { x, y: 0 },
    inputs: [port],
    outputs: [port],
  };
}

function connect(edgeId: string, source: string, target: string): Payload {
  const end = (nodeId: string) => ({ nodeId, portId: "value" });
  return { kind: "connect", edgeId, source: end(source), target: end(target) };
}

async function project(client: SidecarClient) {
  const { projectId, revisionId } = await client.request("createProject", { title: "A" });
  let expectedRevisionId = revisionId;
  return {
    projectId,
    current: () => expectedRevisionId,
    async commit(payload: Payload) {
      const answer = await commit(client, { projectId, expectedRevisionId, payload });
      expectedRevisionId = answer.projection?.revisionId ?? expectedRevisionId;
      return answer;
    },
    async send(method: "undo" | "redo") {
      const answer = await sendCommand(client, method, { projectId, expectedRevisionId });
      expectedRevisionId = answer.projection?.revisionId ?? expectedRevisionId;
      return answer;
    },
  };
}

test("initialize tells the protocol version and the methods", async (t) => {
  const client = await startSidecar(t, join(temporaryFolder(), "graph.db"));

  const { protocolVersion, methods } = client.info.capabilities.experimental;
  assert.equal(protocolVersion, 1);
  assert.ok(methods.includes("commitCommand"));
});

test("a command is applied once, however often it is sent", async (t) => {
  const client = await startSidecar(t, join(temporaryFolder(), "graph.db"));
  const { projectId, revisionId } = await client.request("createProject", { title: "A" });
  const command = { projectId, actionId: newId(), expectedRevisionId: revisionId, payload: addNode("n") };

  const first = await commit(client, command);
  const second = await commit(client, command);

  assert.equal(first.status, "applied");
  assert.equal(second.status, "historical");
  assert.equal(second.revisionId, first.revisionId);
  assert.equal(second.projection?.graph?.nodes.length, 1);
});

test("a project survives a kill, a restart tells the host, and the client goes on", async (t) => {
  const client = await startSidecar(t, join(temporaryFolder(), "graph.db"), {
    restart: { initialDelayMs: 5 },
  });
  const p = await project(client);
  await p.commit(addNode("n"));
  const restarted = new Promise((resolve) => {
    client.onState((state) => state.name === "ready" && resolve(state.restarts));
  });

  process.kill(client.pid ?? -1, "SIGKILL");

  assert.equal(await restarted, 1);
  const { graph } = await client.request("getProject", { projectId: p.projectId });
  assert.equal(graph?.nodes[0]?.nodeId, "n");
});

test("a file that is no database is refused and stays as it was", async (t) => {
  const database = join(temporaryFolder(), "graph.db");
  const letter = "This is somebody's letter and no database at all. ".repeat(100);
  writeFileSync(database, letter);

  const error = await startSidecar(t, database).catch((e: unknown) => e);
  assert.ok(error instanceof RequestError, String(error));
  assert.ok(error.failedWith("storage-foreign", "storage-corrupt"));
  assert.ok(error.message.endsWith(`(${database})`), error.message);
  assert.equal(readFileSync(database, "utf8"), letter);
});

test("a wrong option is told in the sidecar's own words", async (t) => {
  const database = join(temporaryFolder(), "graph.db");

  const error = await startSidecar(t, database, { args: ["--no-such-option"] }).catch((e: unknown) => e);

  assert.ok(error instanceof StartError, String(error));
  assert.equal(error.ending?.exitCode, 2);
  assert.match(error.message, /--no-such-option/);
});

test("a mirror follows every command, its undo and its redo", async (t) => {
  const client = await startSidecar(t, join(temporaryFolder(), "graph.db"));
  const p = await project(client);
  const mirror = new ProjectMirror(client, p.projectId);
  await mirror.fetch();
  let fetched = 0;
  const counting = client.request.bind(client);
  client.request = ((method: never, ...rest: never[]) => {
    if (method === "getProject") fetched += 1;
    return (counting as (...all: never[]) => unknown)(method, ...rest);
  }) as typeof client.request;
  const taken = following(client, mirror);

  for (const payload of STORY) {
    const answer = await p.commit(payload);
    assert.equal(answer.status, "applied", JSON.stringify([payload, answer.reason]));
  }
  for (const method of [...UNDOS, ...UNDOS.map(() => "redo" as const)]) {
    assert.equal((await p.send(method)).status, "applied");
    await taken(p.current());
    const { graph, title, components, document } = await counting("getProject", {
      projectId: p.projectId,
    });
    const { revisionId: _, ...held } = mirror.state ?? assert.fail();
    assert.deepEqual(held, { title, document, components, graph });
  }
  assert.equal(fetched, 0);
});

/** Feed the mirror; the function returned resolves once it is at a version. */
function following(client: SidecarClient, mirror: ProjectMirror) {
  client.on("projectChanged", (change: ProjectChanged) => void mirror.take(change));
  return (revisionId: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (mirror.state?.revisionId === revisionId) resolve();
      };
      mirror.on(check);
      check();
    });
}

const STORY: readonly Payload[] = [
  addNode("a"),
  addNode("b", 400),
  addNode("c", 800),
  addNode("d", 1200),
  connect("ab", "a", "b"),
  connect("bc", "b", "c"),
  connect("cd", "c", "d"),
  { kind: "add-group", groupId: "g", name: "All", nodeIds: ["a", "d"] },
  { kind: "set-parameter", nodeId: "a", name: "seed", value: 7 },
  { kind: "create-subgraph", nodeIds: ["b", "c"], subgraphId: "s", instanceId: "i", name: "Middle" },
  {
    kind: "edit-in-subgraph",
    subgraphId: "s",
    payload: { kind: "move-node", nodeId: "b", position: { x: 5, y: 5 } },
  },
  { kind: "rename-node", nodeId: "a", name: "First" },
  { kind: "remove-node", nodeId: "i" },
  { kind: "move-nodes", nodeIds: ["a", "d"], delta: { x: 10, y: -10 } },
  {
    kind: "set-component",
    componentId: "kind",
    component: { componentId: "kind", name: "Kind", kind: "builtin" },
  },
  { kind: "remove-group", groupId: "g" },
  { kind: "remove-node", nodeId: "a", reconnect: true },
];
const UNDOS = STORY.map(() => "undo" as const);
