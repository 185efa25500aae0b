// What is there when the app is opened for the first time: a small picture pipeline and a chat.

import { commit, type Payload, type PortInput, type SidecarClient } from "@graph-sidecar/client";

export async function ensureProject(client: SidecarClient): Promise<string> {
  const { items } = await client.request("listProjects", { limit: 1 });
  if (items[0] !== undefined) return items[0].projectId;
  const { projectId, revisionId } = await client.request("createProject", { title: "Postcard maker" });
  let expectedRevisionId = revisionId;
  for (const payload of FIRST_GRAPH) {
    const answer = await commit(client, { projectId, expectedRevisionId, payload, projection: "none" });
    if (answer.revisionId === null) throw new Error(`${payload.kind}: ${answer.reason?.message}`);
    expectedRevisionId = answer.revisionId;
  }
  return projectId;
}

export async function ensureSession(client: SidecarClient, projectId: string): Promise<string> {
  const { items } = await client.request("listSessions", { projectId, limit: 1 });
  if (items[0] !== undefined) return items[0].sessionId;
  const made = await client.request("createSession", { projectId, title: "Ideas" });
  return made.sessionId;
}

/** The node kinds that this app brings along. */
export const CATALOGUE = {
  load: component("load", "Load picture", "#3ba7ff", [], ["image:IMAGE"], { file: ["STRING", "beach.jpg"] }),
  prompt: component("prompt", "Text", "#b48cff", [], ["text:TEXT"], { text: ["STRING", "Greetings from the sea"] }),
  resize: component("resize", "Resize", "#2fc79a", ["image:IMAGE"], ["image:IMAGE"], { width: ["INT", 1800], height: ["INT", 1200] }),
  blur: component("blur", "Blur", "#2fc79a", ["image:IMAGE"], ["image:IMAGE"], { radius: ["FLOAT", 2.5] }),
  caption: component("caption", "Caption", "#ffb454", ["image:IMAGE", "text:TEXT"], ["image:IMAGE"], { size: ["INT", 48], colour: ["STRING", "#ffffff"] }),
  frame: component("frame", "Frame", "#ffb454", ["image:IMAGE"], ["image:IMAGE"], { border: ["INT", 24] }),
  save: component("save", "Save picture", "#ff7a90", ["image:IMAGE"], [], { name: ["STRING", "postcard"] }),
} as const;

const FIRST_GRAPH: readonly Payload[] = [
  ...Object.values(CATALOGUE),
  node("load-1", "load", 0, 40),
  node("prompt-1", "prompt", 0, 300),
  node("resize-1", "resize", 320, 40),
  node("caption-1", "caption", 640, 120),
  node("save-1", "save", 980, 120),
  edge("load-1", "image", "resize-1", "image"),
  edge("resize-1", "image", "caption-1", "image"),
  edge("prompt-1", "text", "caption-1", "text"),
  edge("caption-1", "image", "save-1", "image"),
  { kind: "add-group", groupId: "sources", name: "Sources", nodeIds: ["load-1", "prompt-1"] },
];

function component(
  componentId: string,
  name: string,
  color: string,
  inputs: readonly string[],
  outputs: readonly string[],
  parameters: Readonly<Record<string, readonly [string, unknown]>>,
): Payload {
  return {
    kind: "set-component",
    componentId,
    component: {
      componentId,
      name,
      kind: "builtin",
      color,
      inputs: inputs.map(port),
      outputs: outputs.map(port),
      parameters: Object.entries(parameters).map(([key, [dataType, value]]) => ({
        name: key,
        dataType,
        default: value,
      })),
    },
  };
}

function port(text: string): PortInput {
  const [name = "", dataType = "*"] = text.split(":");
  return { name, dataType };
}

function node(nodeId: string, componentId: string, x: number, y: number): Payload {
  return { kind: "add-node", nodeId, componentId, position: { x, y }, size: { width: 220, height: 110 } };
}

function edge(source: string, from: string, target: string, to: string): Payload {
  return {
    kind: "connect",
    source: { nodeId: source, portId: from },
    target: { nodeId: target, portId: to },
  };
}
