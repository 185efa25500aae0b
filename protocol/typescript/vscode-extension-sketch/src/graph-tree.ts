// The projects of the database and the nodes of each, as an editor's tree.

import { EventEmitter, TreeItem, TreeItemCollapsibleState, type TreeDataProvider } from "vscode";
import type { Node } from "@graph-sidecar/client" with { "resolution-mode": "import" };
import type { Sidecar } from "./sidecar.js";

export interface GraphItem {
  readonly projectId: string;
  readonly label: string;
  readonly node?: Node;
}

export class GraphTree implements TreeDataProvider<GraphItem> {
  readonly #changed = new EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(private readonly sidecar: Sidecar) {}

  refresh(): void {
    this.#changed.fire();
  }

  getTreeItem({ label, node }: GraphItem): TreeItem {
    const state = node === undefined ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None;
    const item = new TreeItem(label, state);
    item.contextValue = node === undefined ? "project" : "node";
    if (node !== undefined) item.description = node.componentId;
    return item;
  }

  async getChildren(item?: GraphItem): Promise<GraphItem[]> {
    if (item === undefined) return this.#projects();
    if (item.node !== undefined) return [];
    const { graph, components = [] } = await this.sidecar.project(item.projectId);
    const names = new Map(components.map(({ componentId, name }) => [componentId, name]));
    return (graph?.nodes ?? []).map((node) => ({
      projectId: item.projectId,
      label: node.name ?? names.get(node.componentId) ?? node.componentId,
      node,
    }));
  }

  async #projects(): Promise<GraphItem[]> {
    const { items } = await this.sidecar.request("listProjects", {});
    return items.map(({ projectId, title }) => ({ projectId, label: title }));
  }
}
