// What the scripted assistant does about a prompt: a few lines of text and of commands.

import { newId, type Edge, type Graph, type Node, type Payload } from "@graph-sidecar/client";

export interface ScriptStep {
  readonly title: string;
  readonly saying: string;
  readonly payloads: readonly Payload[];
}

export interface Script {
  readonly opening: string;
  readonly steps: readonly ScriptStep[];
  readonly closing: string;
}

/** Choose a script by the words of the prompt; each is made for the graph as it is. */
export function scriptFor(prompt: string, graph: Graph): Script {
  if (/blur|soft|dream/i.test(prompt)) return soften(graph);
  if (/tidy|name|clean/i.test(prompt)) return tidy(graph);
  return frame(graph);
}

function frame(graph: Graph): Script {
  const nodeId = newId();
  return {
    opening: "A frame would make it look like a real postcard. I put one in front of the end.",
    steps: [
      ...insertion(graph, nodeId, "frame", "Frame", "First the frame itself, next to where the picture comes out."),
      parameter(nodeId, "border", 36, "A slightly wider border holds the picture better."),
      note(nodeId, "The border is measured in pixels of the finished picture."),
    ],
    closing: "That is the frame. Undo takes all of it back in one step.",
  };
}

function soften(graph: Graph): Script {
  const last = lastImageEdge(graph);
  const [first, second] = [newId(), newId()];
  return {
    opening: "Two light blurs look softer than a single strong one, so I chain them.",
    steps: [
      ...insertion(graph, first, "blur", "Soft focus", "The first blur goes in front of the end."),
      {
        title: "Add a second blur",
        saying: "And the second right behind it.",
        payloads: [
          { kind: "add-node", nodeId: second, componentId: "blur", name: "Glow", near: { nodeId: first, side: "below" } },
          ...between(first, "image", second, "image", last?.target),
        ],
      },
      parameter(first, "radius", 1.2, "Gentle radii keep the edges."),
    ],
    closing: "Softer, but still sharp where it matters.",
  };
}

function tidy(graph: Graph): Script {
  const unnamed = graph.nodes.filter((node) => node.name === null).slice(0, 4);
  return {
    opening: "I give the nodes names that say what they are for.",
    steps: unnamed.map((node) => ({
      title: `Rename ${node.componentId}`,
      saying: `${node.componentId} becomes “${PURPOSE[node.componentId] ?? "Step"}”.`,
      payloads: [{ kind: "rename-node", nodeId: node.nodeId, name: PURPOSE[node.componentId] ?? "Step" }],
    })),
    closing: unnamed.length === 0 ? "Everything has a name already." : "Now it reads like a recipe.",
  };
}

const COLUMN = 320;
const PURPOSE: Readonly<Record<string, string>> = {
  load: "The photograph",
  prompt: "The greeting",
  resize: "Print size",
  caption: "Write on it",
  save: "Finished card",
};

function insertion(
  graph: Graph,
  nodeId: string,
  componentId: string,
  name: string,
  saying: string,
): ScriptStep[] {
  const edge = lastImageEdge(graph);
  const from = edge?.source.nodeId ?? null;
  const room = makingRoom(graph, edge);
  const near = from === null ? {} : { near: { nodeId: from, side: "right" as const } };
  const wiring = from === null ? [] : between(from, edge?.source.portId ?? "image", nodeId, "image", edge?.target);
  return [
    {
      title: `Add ${name}`,
      saying,
      payloads: [...room, { kind: "add-node", nodeId, componentId, name, ...near }],
    },
    {
      title: `Connect ${name}`,
      saying: "Then I lead the picture through it; the old connection is replaced.",
      payloads: wiring,
    },
  ];
}

/** Push the end of the edge to the right where nothing fits in between. */
function makingRoom(graph: Graph, edge: Edge | undefined): Payload[] {
  const from = graph.nodes.find(({ nodeId }) => nodeId === edge?.source.nodeId);
  const to = graph.nodes.find(({ nodeId }) => nodeId === edge?.target.nodeId);
  if (from === undefined || to === undefined) return [];
  const wanted = from.position.x + 2 * COLUMN;
  if (to.position.x >= wanted) return [];
  return [{ kind: "move-node", nodeId: to.nodeId, position: { x: wanted, y: to.position.y } }];
}

/** Lead `from` into `to`, and `to` into where `from` led. */
function between(
  from: string,
  fromPort: string,
  to: string,
  toPort: string,
  onward: Edge["target"] | undefined,
): Payload[] {
  const into: Payload = {
    kind: "connect",
    source: { nodeId: from, portId: fromPort },
    target: { nodeId: to, portId: toPort },
  };
  if (onward?.nodeId == null) return [into];
  return [into, { kind: "connect", source: { nodeId: to, portId: "image" }, target: { nodeId: onward.nodeId, portId: onward.portId } }];
}

function parameter(nodeId: string, name: string, value: number, saying: string): ScriptStep {
  return {
    title: `Set ${name} to ${value}`,
    saying,
    payloads: [{ kind: "set-parameter", nodeId, name, value }],
  };
}

function note(nodeId: string, annotation: string): ScriptStep {
  return {
    title: "Leave a note",
    saying: "A note for later.",
    payloads: [{ kind: "annotate-node", nodeId, annotation }],
  };
}

function lastImageEdge(graph: Graph): Edge | undefined {
  const ends = new Set(graph.nodes.filter(isEnd).map((node) => node.nodeId));
  return (
    graph.edges.find(({ target }) => target.nodeId !== null && ends.has(target.nodeId)) ??
    graph.edges.at(-1)
  );
}

function isEnd(node: Node): boolean {
  return node.outputs.length === 0;
}
