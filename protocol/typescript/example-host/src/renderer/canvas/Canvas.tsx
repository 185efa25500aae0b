import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  Controls,
  MiniMap,
  Panel,
  ReactFlow,
  useReactFlow,
  type Connection,
  type EdgeChange,
  type NodeChange,
} from "@xyflow/react";
import type { Payload } from "@graph-sidecar/client/browser";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useActions, useView } from "../model/hooks.js";
import { flowEdges, flowNodes, type AnyFlowNode } from "./flow.js";
import { FrameNode, GraphNode } from "./GraphNode.js";
import { Inspector } from "./Inspector.js";
import { Palette } from "./Palette.js";

const NODE_TYPES = { graph: GraphNode, frame: FrameNode };
const DELETE_KEYS = ["Delete", "Backspace"];
const FIT = { padding: 0.12, maxZoom: 1 };
const MINIMAP = { width: 150, height: 104 };

export function Canvas() {
  const { project, touched, openRun } = useView();
  const actions = useActions();
  const { graph, components } = project;
  const [nodes, setNodes] = useState<AnyFlowNode[]>([]);
  const [chosenEdges, setChosenEdges] = useState<ReadonlySet<string>>(new Set());

  useEffect(() => {
    setNodes((shown) => keepingHand(flowNodes(graph, components, touched), shown));
  }, [graph, components, touched]);
  const flow = useReactFlow();
  const following = openRun?.status === "running";
  useEffect(() => {
    // While the assistant works, what it builds stays in view.
    if (following && touched.size > 0) void flow.fitView({ ...FIT, duration: 350 });
  }, [flow, following, touched]);
  const edges = useMemo(
    () => flowEdges(graph, components).map((edge) => ({ ...edge, selected: chosenEdges.has(edge.id) })),
    [graph, components, chosenEdges],
  );

  const onNodesChange = useCallback((changes: NodeChange<AnyFlowNode>[]) => {
    setNodes((shown) => applyNodeChanges(changes, shown));
  }, []);
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    setChosenEdges((chosen) => afterSelection(chosen, changes));
  }, []);
  const onConnect = ({ source, sourceHandle, target, targetHandle }: Connection) => {
    void actions.commit({
      kind: "connect",
      source: { nodeId: source, portId: sourceHandle ?? "" },
      target: { nodeId: target, portId: targetHandle ?? "" },
    });
  };
  const onDragged = async (_: unknown, __: unknown, moved: readonly AnyFlowNode[]) => {
    const landed = await actions.commit(moving(moved));
    // Where it did not land, the node goes back to where it is.
    if (!landed) setNodes((shown) => keepingHand(flowNodes(graph, components, touched), shown));
  };
  const onDelete = async ({ nodes: gone, edges: cut }: { nodes: AnyFlowNode[]; edges: { id: string }[] }) => {
    const removed = gone.filter(({ type }) => type === "graph").map(({ id }) => id);
    const loose = cut.filter(({ id }) => !touches(graph.edges, id, removed));
    await actions.commitAll([
      ...loose.map(({ id }): Payload => ({ kind: "remove-edge", edgeId: id })),
      ...removed.map((nodeId): Payload => ({ kind: "remove-node", nodeId })),
    ]);
    return false; // The graph's own changes take them off the canvas.
  };

  const chosen = nodes.filter(({ selected, type }) => selected && type === "graph").map(({ id }) => id);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      onConnect={onConnect}
      onNodeDragStop={(event, node, moved) => void onDragged(event, node, moved)}
      onBeforeDelete={onDelete}
      fitView
      fitViewOptions={FIT}
      minZoom={0.15}
      proOptions={{ hideAttribution: true }}
      colorMode="dark"
      deleteKeyCode={DELETE_KEYS}
    >
      <Background variant={BackgroundVariant.Dots} gap={22} size={1.4} color="#28303d" />
      <MiniMap pannable zoomable style={MINIMAP} nodeColor={colourOf} maskColor="rgba(11, 14, 20, 0.72)" />
      <Controls showInteractive={false} />
      <Palette chosen={chosen} />
      {graph.nodes.length === 0 && <Empty />}
      {chosen.length === 1 && <Inspector key={chosen[0]} nodeId={chosen[0] ?? ""} />}
    </ReactFlow>
  );
}

function Empty() {
  return (
    <Panel position="center-left" className="empty">
      <p>Nothing here yet.</p>
      <p>Add a node, ask the assistant, or go back in the history.</p>
    </Panel>
  );
}

/** The graph's nodes, with the selection, the measured sizes and a drag that is under way kept. */
function keepingHand(next: AnyFlowNode[], shown: readonly AnyFlowNode[]): AnyFlowNode[] {
  const held = new Map(shown.map((node) => [node.id, node]));
  return next.map((node) => {
    const before = held.get(node.id);
    if (before === undefined) return node;
    const { selected, measured, dragging } = before;
    const kept = { ...node, ...(selected && { selected }), ...(measured && { measured }) };
    return (dragging ? { ...kept, dragging, position: before.position } : kept) as AnyFlowNode;
  });
}

function moving(moved: readonly AnyFlowNode[]): Payload {
  const moves = moved.map(({ id, position }) => ({ nodeId: id, position: rounded(position) }));
  const [only] = moves;
  if (moves.length === 1 && only !== undefined) return { kind: "move-node", ...only };
  return { kind: "move-nodes", moves };
}

function rounded({ x, y }: { x: number; y: number }) {
  return { x: Math.round(x), y: Math.round(y) };
}

function touches(
  edges: readonly { edgeId: string; source: { nodeId: string | null }; target: { nodeId: string | null } }[],
  edgeId: string,
  nodeIds: readonly string[],
): boolean {
  const edge = edges.find((one) => one.edgeId === edgeId);
  return nodeIds.includes(edge?.source.nodeId ?? "") || nodeIds.includes(edge?.target.nodeId ?? "");
}

function afterSelection(chosen: ReadonlySet<string>, changes: readonly EdgeChange[]): ReadonlySet<string> {
  const next = new Set(chosen);
  for (const change of changes) {
    if (change.type !== "select") continue;
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  return next;
}

function colourOf(node: AnyFlowNode): string {
  return node.type === "graph" ? (node.data.colour) : "rgba(120, 140, 170, 0.14)";
}
