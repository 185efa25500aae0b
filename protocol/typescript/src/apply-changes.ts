// A host's copy of a project, brought forward by the changes of an answer or a notification.
//
// All removals first, then the rest in the order listed; afterwards every array holds what the
// projection holds, in the same order. What no change touches keeps its identity.

import { ChangesMismatchError, ThingList } from "./thing-list.js";
import type {
  Change,
  Edge,
  EdgeChange,
  Graph,
  Group,
  GroupChange,
  Node,
  NodeChange,
  RevisionState,
  Subgraph,
  SubgraphDefinition,
} from "./types.js";

export { ChangesMismatchError } from "./thing-list.js";

/** Title, document, components and graph: what changes are about. */
export type ProjectContents = RevisionState;

/**
 * Return the state after the changes. The state itself stays as it is.
 *
 * Throws `ChangesMismatchError` where the changes begin at another state.
 */
export function applyChanges<S extends ProjectContents>(state: S, changes: readonly Change[]): S {
  if (changes.length === 0) return state;
  const edit = new Edit(state);
  for (const change of changes) if (change.after === null) edit.remove(change);
  for (const change of changes) if (change.after !== null) edit.put(change);
  return { ...state, ...edit.finish() };
}

type ScopedChange = NodeChange | EdgeChange | GroupChange;
interface Contents {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly groups: readonly Group[];
}

/** Lists of one scope that were touched. */
class ScopeEdit {
  #nodes: ThingList<Node> | null = null;
  #edges: ThingList<Edge> | null = null;
  #groups: ThingList<Group> | null = null;

  constructor(private readonly contents: Contents) {}

  remove(change: ScopedChange): void {
    this.#list(change.kind).remove(change.id);
  }

  put(change: ScopedChange): void {
    const list = this.#list(change.kind) as ThingList<unknown>;
    list.put(change.id, change.after, change.previousId);
  }

  finish(): Contents {
    return {
      nodes: this.#nodes?.toArray() ?? this.contents.nodes,
      edges: this.#edges?.toArray() ?? this.contents.edges,
      groups: this.#groups?.toArray() ?? this.contents.groups,
    };
  }

  #list(kind: ScopedChange["kind"]): ThingList<Node> | ThingList<Edge> | ThingList<Group> {
    switch (kind) {
      case "node":
        return (this.#nodes ??= new ThingList(this.contents.nodes, (node) => node.nodeId));
      case "edge":
        return (this.#edges ??= new ThingList(this.contents.edges, (edge) => edge.edgeId));
      case "group":
        return (this.#groups ??= new ThingList(this.contents.groups, (group) => group.groupId));
    }
  }
}

const NOTHING: Contents = { nodes: [], edges: [], groups: [] };

class Edit {
  readonly #state: ProjectContents;
  readonly #scopes = new Map<string | null, ScopeEdit>();
  readonly #gone = new Set<string>();
  readonly #components: ThingList<ProjectContents["components"][number]>;
  readonly #definitions: ThingList<SubgraphDefinition>;
  #document: ProjectContents["document"];
  #title: string;

  constructor(state: ProjectContents) {
    this.#state = state;
    this.#document = state.document;
    this.#title = state.title;
    this.#components = new ThingList(state.components, (component) => component.componentId);
    this.#definitions = new ThingList(state.graph.subgraphs, (subgraph) => subgraph.subgraphId);
  }

  remove(change: Change): void {
    switch (change.kind) {
      case "document":
        this.#document = null;
        return;
      case "title":
        throw new ChangesMismatchError("A title cannot be removed.");
      case "component":
        return this.#components.remove(change.id);
      case "subgraph":
        this.#gone.add(change.id);
        return this.#definitions.remove(change.id);
      default:
        // The contents of a definition that goes are listed too, before it or behind it.
        if (!this.#isGone(change.scope)) this.#scope(change.scope).remove(change);
    }
  }

  put(change: Change): void {
    switch (change.kind) {
      case "document":
        this.#document = change.after;
        return;
      case "title":
        this.#title = change.after ?? this.#title;
        return;
      case "component":
        return this.#components.put(change.id, present(change.after), change.previousId);
      case "subgraph":
        return this.#putDefinition(change.id, present(change.after), change.previousId);
      default:
        return this.#scope(change.scope).put(change);
    }
  }

  finish(): ProjectContents {
    return {
      title: this.#title,
      document: this.#document,
      components: this.#components.toArray(),
      graph: this.#graph(),
    };
  }

  #graph(): Graph {
    for (const [id, scope] of this.#scopes) {
      if (id !== null && !this.#isGone(id)) this.#fill(id, scope);
    }
    const root = this.#scopes.get(null)?.finish() ?? this.#state.graph;
    const { nodes, edges, groups } = root;
    return { nodes, edges, groups, subgraphs: this.#definitions.toArray() };
  }

  #fill(id: string, scope: ScopeEdit): void {
    const definition = this.#definitions.get(id);
    if (definition === undefined) throw new ChangesMismatchError(`There is no definition ${id}.`);
    this.#definitions.put(id, { ...definition, ...scope.finish() }, undefined);
  }

  #putDefinition(id: string, head: Subgraph, previousId: string | null | undefined): void {
    this.#gone.delete(id);
    const { nodes, edges, groups } = this.#definitions.get(id) ?? NOTHING;
    this.#definitions.put(id, { ...head, nodes, edges, groups }, previousId);
  }

  #isGone(scope: string | null): boolean {
    return scope !== null && this.#gone.has(scope);
  }

  #scope(id: string | null): ScopeEdit {
    const known = this.#scopes.get(id);
    if (known !== undefined) return known;
    const contents = id === null ? this.#state.graph : this.#definitions.get(id);
    const scope = new ScopeEdit(contents ?? NOTHING);
    this.#scopes.set(id, scope);
    return scope;
  }
}

function present<T>(value: T | null): T {
  if (value === null) throw new ChangesMismatchError("A change puts nothing.");
  return value;
}
