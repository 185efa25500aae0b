// A host's copy of a project against the sidecar itself: what it shows, and when.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import {
  ClosedError,
  ProjectMirror,
  RequestError,
  type MirrorState,
  type Payload,
  type SidecarClient,
} from "../src/index.js";
import { startSidecar, temporaryFolder } from "./real-sidecar.js";

function node(nodeId: string): Payload {
  return { kind: "add-node", nodeId, componentId: "step", position: { x: 0, y: 0 } };
}

function nodesOf(state: MirrorState | null): string[] {
  return (state?.graph.nodes ?? []).map(({ nodeId }) => nodeId);
}

async function opened(t: TestContext) {
  const database = join(temporaryFolder(), "graph.db");
  const client = await startSidecar(t, database, { restart: { initialDelayMs: 5 } });
  const { projectId } = await client.request("createProject", { title: "A" });
  return { database, client, projectId, mirror: await ProjectMirror.open(client, projectId) };
}

function shows(mirror: ProjectMirror, nodes: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const look = (state: MirrorState | null) => {
      if (JSON.stringify(nodesOf(state)) === JSON.stringify(nodes)) resolve();
    };
    mirror.on(look);
    look(mirror.state);
  });
}

function countFetches(client: SidecarClient): () => number {
  let fetches = 0;
  const request = client.request.bind(client) as (...all: never[]) => never;
  client.request = ((...all: never[]) => {
    if (all[0] === ("getProject" as never)) fetches += 1;
    return request(...all);
  }) as typeof client.request;
  return () => fetches;
}

test("a mirror shows what came of a command when its answer is there", async (t) => {
  const { client, mirror } = await opened(t);
  const fetches = countFetches(client);

  const first = await mirror.commit(node("a"));
  assert.deepEqual(nodesOf(mirror.state), ["a"]);
  assert.equal(mirror.state?.revisionId, first.revisionId);
  const second = await mirror.commit(node("b"));
  assert.equal(second.status, "applied");
  assert.equal((await mirror.send("undo", {})).status, "applied");
  assert.deepEqual(nodesOf(mirror.state), ["a"]);
  assert.equal((await mirror.send("renameProject", { title: "B" })).status, "applied");

  assert.equal(mirror.state?.title, "B");
  assert.equal(fetches(), 0);
});

test("commands sent at once go one after the other, each on what the one before made", async (t) => {
  const { client, mirror } = await opened(t);
  const fetches = countFetches(client);

  const answers = await Promise.all(["a", "b", "c"].map((id) => mirror.commit(node(id))));

  assert.deepEqual(answers.map(({ status }) => status), ["applied", "applied", "applied"]);
  assert.deepEqual(nodesOf(mirror.state), ["a", "b", "c"]);
  assert.equal(fetches(), 0);
});

test("a command for a version that a person looked at is a conflict, and the mirror shows why", async (t) => {
  const { mirror } = await opened(t);
  const seen = mirror.state?.revisionId ?? assert.fail();
  await mirror.commit(node("a"));

  const answer = await mirror.commit(node("b"), { expectedRevisionId: seen });

  assert.equal(answer.status, "conflict");
  assert.equal(answer.reason?.code, "revision-moved");
  assert.equal(answer.projection?.revisionId, mirror.state?.revisionId);
});

test("a conflict with another window leaves both with the same graph", async (t) => {
  const { client, database, mirror, projectId } = await opened(t);
  const other = await ProjectMirror.open(await startSidecar(t, database), projectId);

  const answers = await Promise.all([mirror.commit(node("a")), other.commit(node("b"))]);
  const lost = answers[0].status === "conflict" ? mirror : other;
  assert.deepEqual(nodesOf(lost.state).length, 1);
  const again = await lost.commit(node("c"));
  const nodes = nodesOf(lost.state);
  await Promise.all([shows(mirror, nodes), shows(other, nodes)]);

  assert.deepEqual(answers.map(({ status }) => status).sort(), ["applied", "conflict"]);
  assert.equal(again.status, "applied");
  const { graph } = await client.request("getProject", { projectId });
  assert.deepEqual(mirror.state?.graph, graph);
  assert.deepEqual(other.state?.graph, graph);
});

test("an opened mirror follows other windows, and its own sidecar's restarts", async (t) => {
  const { client, database, mirror, projectId } = await opened(t);
  const other = await ProjectMirror.open(await startSidecar(t, database), projectId);

  await other.commit(node("a"));
  await shows(mirror, ["a"]);
  process.kill(client.pid ?? -1, "SIGKILL");
  await other.commit(node("b"));
  await shows(mirror, ["a", "b"]);
  await mirror.commit(node("c"));

  assert.deepEqual(nodesOf(mirror.state), ["a", "b", "c"]);
});

test("a command whose answer a kill took is applied once, and shown", async (t) => {
  const { client, mirror } = await opened(t);

  const answer = mirror.commit(node("a"));
  await Promise.resolve();
  process.kill(client.pid ?? -1, "SIGKILL");

  assert.ok(["applied", "historical"].includes((await answer).status));
  assert.deepEqual(nodesOf(mirror.state), ["a"]);
});

test("a mirror that is closed is moved no longer", async (t) => {
  const { client, mirror, projectId } = await opened(t);
  const other = await ProjectMirror.open(client, projectId);
  mirror.close();

  await other.commit(node("a"));

  assert.deepEqual(nodesOf(mirror.state), []);
  assert.deepEqual(nodesOf(other.state), ["a"]);
});

test("a project that is not there, and a client that is closed, are told at once", async (t) => {
  const { client, projectId } = await opened(t);

  const unknown = await ProjectMirror.open(client, "nobody's").catch((error: unknown) => error);
  assert.ok(unknown instanceof RequestError && unknown.failedWith("unknown-project"));
  await client.close();
  await assert.rejects(ProjectMirror.open(client, projectId), ClosedError);
});
