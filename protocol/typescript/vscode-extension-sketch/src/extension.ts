// A VS Code extension on the unchanged sidecar: the editor's own client library starts it and speaks
// LSP's lifecycle with it; the graph's methods are plain requests and notifications beside.

import { commands, window, workspace, type ExtensionContext } from "vscode";
import { LanguageClient, TransportKind, type ServerOptions } from "vscode-languageclient/node";
import { GraphTree, type GraphItem } from "./graph-tree.js";
import { Sidecar } from "./sidecar.js";

let client: LanguageClient | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const output = window.createOutputChannel("Graph sidecar", { log: true });
  client = new LanguageClient("graphSidecar", "Graph sidecar", serverOptions(), {
    outputChannel: output,
    initializationOptions: initializationOptions(),
  });
  const sidecar = new Sidecar(client);
  const tree = new GraphTree(sidecar);
  context.subscriptions.push(
    output,
    window.registerTreeDataProvider("graphSidecar.projects", tree),
    client.onNotification("projectChanged", () => tree.refresh()),
    client.onNotification("projectCreated", () => tree.refresh()),
    client.onNotification("projectDeleted", () => tree.refresh()),
    commands.registerCommand("graphSidecar.undo", (item: GraphItem) => step(sidecar, "undo", item)),
    commands.registerCommand("graphSidecar.redo", (item: GraphItem) => step(sidecar, "redo", item)),
    commands.registerCommand("graphSidecar.rename", (item: GraphItem) => rename(sidecar, item)),
  );
  await client.start();
  tree.refresh();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function serverOptions(): ServerOptions {
  const [command = "graph-sidecar", ...args] = setting<string[]>("command", ["graph-sidecar"]);
  return { command, args, transport: TransportKind.stdio };
}

function initializationOptions(): object {
  const database = setting("database", "");
  return { protocolVersion: 1, ...(database === "" ? {} : { database }) };
}

function setting<T>(name: string, otherwise: T): T {
  return workspace.getConfiguration("graphSidecar").get<T>(name, otherwise);
}

async function step(sidecar: Sidecar, method: "undo" | "redo", item: GraphItem): Promise<void> {
  await shown(sidecar.step(method, item.projectId));
}

async function rename(sidecar: Sidecar, item: GraphItem): Promise<void> {
  if (item.node === undefined) return;
  const name = await window.showInputBox({ prompt: "Name", value: item.node.name ?? "" });
  if (name === undefined) return;
  const payload = {
    kind: "rename-node" as const,
    nodeId: item.node.nodeId,
    name: name.trim() === "" ? null : name,
  };
  await shown(sidecar.commit(item.projectId, payload));
}

async function shown(answer: Promise<string | null>): Promise<void> {
  const complaint = await answer;
  if (complaint !== null) await window.showWarningMessage(complaint);
}
