// The graph as React Flow wants it: nodes, edges, and groups as frames behind their members.

import type { Component, Edge, Graph, Group, Node } from "@graph-sidecar/client/browser";
import type { Edge as FlowEdge, Node as FlowNode } from "@xyflow/react";

export interface NodeData extends Record<string, unknown> {
  readonly node: Node;
  readonly title: string;
  readonly colour: string;
  readonly touched: boolean;
}
export interface FrameData extends Record<string, unknown> {
  readonly group: Group;
}
export type GraphFlowNode = FlowNode<NodeData, "graph">;
export type FrameFlowNode = FlowNode<FrameData, "frame">;
export type AnyFlowNode = GraphFlowNode | FrameFlowNode;

export const NODE_WIDTH = 220;
const SUBGRAPH = "subgraph:";
const PADDING = 22;
const FRAME_TITLE = 26;
const NODE_HEIGHT = 150;

export function flowNodes(
  graph: Graph,
  components: readonly Component[],
  touched: ReadonlySet<string>,
): AnyFlowNode[] {
  const known = new Map(components.map((component) => [component.componentId, component]));
  const nodes = graph.nodes.map((node): GraphFlowNode => ({
    id: node.nodeId,
    type: "graph",
    position: node.position,
    data: {
      node,
      title: titleOf(node, graph, known.get(node.componentId)),
      colour: known.get(node.componentId)?.color ?? (isInstance(node) ? "#8b7bff" : "#6b7a96"),
      touched: touched.has(node.nodeId),
    },
  }));
  return [...graph.groups.flatMap((group) => frame(group, graph)), ...nodes];
}

export function isInstance(node: Node): boolean {
  return node.componentId.startsWith(SUBGRAPH);
}

/** A node's own name, else its component's or definition's. */
export function titleOf(node: Node, graph: Graph, component: Component | undefined): string {
  const definition = graph.subgraphs.find(({ subgraphId }) => node.componentId === SUBGRAPH + subgraphId);
  return node.name ?? component?.name ?? definition?.name ?? node.componentId;
}

export function flowEdges(graph: Graph, components: readonly Component[]): FlowEdge[] {
  const colours = new Map(components.map(({ componentId, color }) => [componentId, color]));
  const sources = new Map(graph.nodes.map((node) => [node.nodeId, node]));
  return graph.edges.flatMap((edge) => flowEdge(edge, (id) => colours.get(sources.get(id)?.componentId ?? "")));
}

function flowEdge(edge: Edge, colourOf: (nodeId: string) => string | null | undefined): FlowEdge[] {
  const { source, target } = edge;
  if (source.nodeId === null || target.nodeId === null) return [];
  return [
    {
      id: edge.edgeId,
      source: source.nodeId,
      sourceHandle: source.portId,
      target: target.nodeId,
      targetHandle: target.portId,
      style: { stroke: colourOf(source.nodeId) ?? "#7c8aa5" },
    },
  ];
}

function frame(group: Group, graph: Graph): FrameFlowNode[] {
  const box = group.bounds ?? around(graph.nodes.filter(({ nodeId }) => group.nodeIds.includes(nodeId)));
  if (box === null) return [];
  return [
    {
      id: `group:${group.groupId}`,
      type: "frame",
      position: { x: box.x, y: box.y },
      data: { group },
      style: { width: box.width, height: box.height },
      draggable: false,
      selectable: false,
      zIndex: -1,
    },
  ];
}

function around(members: readonly Node[]) {
  if (members.length === 0) return null;
  const left = Math.min(...members.map(({ position }) => position.x));
  const top = Math.min(...members.map(({ position }) => position.y));
  const right = Math.max(...members.map(({ position, size }) => position.x + Math.max(size?.width ?? 0, NODE_WIDTH)));
  const bottom = Math.max(...members.map(({ position, size }) => position.y + Math.max(size?.height ?? 0, NODE_HEIGHT)));
  return {
    x: left - PADDING,
    y: top - PADDING - FRAME_TITLE,
    width: right - left + 2 * PADDING,
    height: bottom - top + 2 * PADDING + FRAME_TITLE,
  };
}
