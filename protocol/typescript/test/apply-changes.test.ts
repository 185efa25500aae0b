import assert from "node:assert/strict";
import { test } from "node:test";
import { applyChanges, ChangesMismatchError, type ProjectContents } from "../src/browser.js";
import type { Change, Edge, Node, Subgraph, SubgraphDefinition } from "../src/types.js";

function node(nodeId: string, x = 0): Node {
  return {
    nodeId,
    componentId: "c",
    name: null,
    position: { x, y: 0 },
    size: null,
    enabled: "active",
    collapsed: false,
    pinned: false,
    inputs: [],
    outputs: [],
    parameters: {},
    annotation: null,
    process: null,
    status: "ok",
    native: null,
  };
}

function edge(edgeId: string, from: string, to: string): Edge {
  const end = (nodeId: string) => ({ nodeId, boundary: null, portId: "p" });
  return {
    edgeId,
    source: end(from),
    target: end(to),
    dataType: null,
    label: null,
    hidden: false,
    waypoints: [],
    native: null,
  };
}

function head(subgraphId: string): Subgraph {
  const anchor = { x: 0, y: 0 };
  return {
    subgraphId,
    name: subgraphId,
    description: null,
    inputs: [],
    outputs: [],
    inputAnchor: anchor,
    outputAnchor: anchor,
    native: null,
  };
}

function definition(subgraphId: string, ...nodes: readonly Node[]): SubgraphDefinition {
  return { ...head(subgraphId), nodes, edges: [], groups: [] };
}

function state(nodes: readonly Node[], subgraphs: readonly SubgraphDefinition[] = []): ProjectContents {
  return {
    title: "A",
    document: null,
    components: [],
    graph: { nodes, edges: [], groups: [], subgraphs },
  };
}

const root = (before: Node | null, after: Node | null, previousId?: string | null): Change => ({
  kind: "node",
  scope: null,
  id: (after ?? before)?.nodeId ?? "",
  before,
  after,
  ...(previousId === undefined ? {} : { previousId }),
});

function order(contents: ProjectContents): string[] {
  return contents.graph.nodes.map(({ nodeId }) => nodeId);
}

const [a, b, c, d] = [node("a"), node("b"), node("c"), node("d")];

test("things are put first, in between and last", () => {
  const changed = applyChanges(state([b]), [root(null, a, null), root(null, d, "b"), root(null, c, "b")]);

  assert.deepEqual(order(changed), ["a", "b", "c", "d"]);
});

test("a move alone has before equal to after", () => {
  assert.deepEqual(order(applyChanges(state([a, b, c]), [root(a, a, "c")])), ["b", "c", "a"]);
});

test("what is replaced stays where it is, and what is not touched keeps its identity", () => {
  const before = state([a, b], [definition("s", c)]);
  const changed = applyChanges(before, [root(b, node("b", 7))]);

  assert.deepEqual(order(changed), ["a", "b"]);
  assert.equal(changed.graph.nodes[1]?.position.x, 7);
  assert.equal(changed.graph.nodes[0], a);
  assert.equal(changed.graph.subgraphs[0], before.graph.subgraphs[0]);
  assert.equal(changed.graph.edges, before.graph.edges);
  assert.equal(before.graph.nodes[1], b);
});

test("a change of scope is a removal and an appearance", () => {
  const changed = applyChanges(state([a, b]), [
    { kind: "subgraph", scope: null, id: "s", before: null, after: head("s"), previousId: null },
    { kind: "node", scope: "s", id: "b", before: null, after: b, previousId: null },
    root(b, null),
  ]);

  assert.deepEqual(order(changed), ["a"]);
  assert.deepEqual(changed.graph.subgraphs, [definition("s", b)]);
});

test("a definition that goes takes its contents along, wherever they are listed", () => {
  const inner: Change = { kind: "node", scope: "s", id: "b", before: b, after: null };
  const gone: Change = { kind: "subgraph", scope: null, id: "s", before: head("s"), after: null };
  for (const changes of [[inner, gone], [gone, inner]]) {
    assert.deepEqual(applyChanges(state([a], [definition("s", b)]), changes), state([a]));
  }
});

test("removals come first, wherever they are listed", () => {
  const moved = node("a", 5);
  const put: Change = { kind: "node", scope: null, id: "a", before: null, after: moved, previousId: "b" };
  const gone: Change = { kind: "node", scope: null, id: "a", before: a, after: null };
  for (const changes of [[put, gone], [gone, put]]) {
    assert.deepEqual(applyChanges(state([a, b]), changes), state([b, moved]));
  }
});

test("a definition that goes and comes again has the contents that it comes with", () => {
  const inner: Change = { kind: "node", scope: "s", id: "b", before: b, after: null };
  const gone: Change = { kind: "subgraph", scope: null, id: "s", before: head("s"), after: null };
  const back: Change = { kind: "subgraph", scope: null, id: "s", before: null, after: head("s"), previousId: null };
  const put: Change = { kind: "node", scope: "s", id: "a", before: null, after: a, previousId: null };
  for (const changes of [[inner, gone, back, put], [gone, inner, back, put], [back, put, gone, inner]]) {
    assert.deepEqual(applyChanges(state([], [definition("s", b)]), changes), state([], [definition("s", a)]));
  }
});

test("no changes are the same state", () => {
  const before = state([a]);
  assert.equal(applyChanges(before, []), before);
});

test("a definition's own change leaves its contents alone", () => {
  const renamed = { ...head("s"), name: "other" };
  const changed = applyChanges(state([], [definition("s", b)]), [
    { kind: "subgraph", scope: null, id: "s", before: head("s"), after: renamed },
    { kind: "node", scope: "s", id: "a", before: null, after: a, previousId: "b" },
  ]);

  assert.deepEqual(changed.graph.subgraphs, [{ ...definition("s", b, a), name: "other" }]);
});

test("edges, title, document and components change too", () => {
  const document = {
    documentId: "d",
    format: "graph",
    formatVersion: null,
    nativeId: null,
    path: null,
    contentHash: null,
    native: null,
  };
  const changed = applyChanges(state([a, b]), [
    { kind: "edge", scope: null, id: "e", before: null, after: edge("e", "a", "b"), previousId: null },
    { kind: "title", scope: null, id: null, before: "A", after: "B" },
    { kind: "document", scope: null, id: null, before: null, after: document },
  ]);

  assert.equal(changed.graph.edges[0]?.edgeId, "e");
  assert.equal(changed.title, "B");
  assert.equal(changed.document, document);
  const closed: Change = { kind: "document", scope: null, id: null, before: document, after: null };
  assert.equal(applyChanges(changed, [closed]).document, null);
});

test("changes that begin elsewhere are refused and change nothing", () => {
  const before = state([a]);
  for (const change of [root(b, null), root(b, node("b", 1)), root(null, b, "c")]) {
    assert.throws(() => applyChanges(before, [change]), ChangesMismatchError);
  }
  const lost: Change = { kind: "node", scope: "s", id: "b", before: null, after: b, previousId: null };
  assert.throws(() => applyChanges(before, [lost]), ChangesMismatchError);
  assert.deepEqual(before, state([a]));
});
