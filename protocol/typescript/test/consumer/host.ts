// Type-checked as a host's own code, against the built package. It is never run.

import {
  commit,
  ProjectMirror,
  RequestError,
  SidecarClient,
  type CommitAnswer,
  type Node,
  type Payload,
} from "@graph-sidecar/client";
import { applyChanges } from "@graph-sidecar/client/browser";

export async function host(): Promise<readonly Node[]> {
  const client = await SidecarClient.start({ command: "graph-sidecar", database: "/data/graph.db" });
  const project = await client.request("createProject", { title: "A graph" });
  const mirror = await ProjectMirror.open(client, project.projectId);

  const payload: Payload = { kind: "add-node", componentId: "text", position: { x: 0, y: 0 } };
  const answer: CommitAnswer = await commit(client, {
    projectId: project.projectId,
    expectedRevisionId: project.revisionId,
    payload,
  });
  switch (answer.status) {
    case "applied":
    case "historical":
      answer.revisionId satisfies string;
      answer.effects.created.nodes satisfies readonly string[];
      break;
    case "conflict":
    case "rejected":
      if (answer.reason.code === "revision-moved") break;
      // @ts-expect-error -- a code that does not exist
      if (answer.reason.code === "revision-move") break;
      throw new Error(answer.reason.message);
    default:
      answer satisfies never;
  }
  // @ts-expect-error -- a kind that does not exist
  await commit(client, { projectId: "p", expectedRevisionId: "r", payload: { kind: "add-nodes" } });
  // @ts-expect-error -- a field that is missing
  await client.request("getRevision", { projectId: "p" });
  // @ts-expect-error -- a key that is unknown
  await client.request("createProject", { title: "A", name: "B" });
  // @ts-expect-error -- a method that does not exist
  await client.request("createProjects", {});

  try {
    await client.request("getProject", { projectId: "nobody's" });
  } catch (error) {
    if (!(error instanceof RequestError && error.failedWith("unknown-project"))) throw error;
  }
  client.on("sessionChanged", ({ changes }) => {
    for (const change of changes ?? []) {
      if (change.kind === "message") change.value?.content satisfies string | undefined;
    }
  });
  const state = await mirror.fetch();
  for (const change of answer.changes ?? []) {
    if (change.kind === "node" && change.after !== null) change.after.position.x satisfies number;
    if (change.kind === "title") change.after satisfies string | null;
  }
  await client.close();
  return applyChanges(state, answer.changes ?? []).graph.nodes;
}
