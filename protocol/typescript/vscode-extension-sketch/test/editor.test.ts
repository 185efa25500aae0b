// The protocol library under vscode-languageclient, with an editor's whole initialize, against the
// unchanged sidecar.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  createProtocolConnection,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type InitializeParams,
} from "vscode-languageserver-protocol/node";
import { Sidecar } from "../src/sidecar.js";

const SCRIPT = process.platform === "win32" ? "Scripts/graph-sidecar.exe" : "bin/graph-sidecar";
const CHECKOUT = join(__dirname, "../../../../../.venv", SCRIPT);
const COMMAND = commandLine(process.env["GRAPH_SIDECAR_COMMAND"]);

function commandLine(named: string | undefined): string[] {
  if (named !== undefined) return JSON.parse(named) as string[];
  return [existsSync(CHECKOUT) ? CHECKOUT : "graph-sidecar"];
}

test("an editor's client library opens, edits, undoes and leaves", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "editor-"));
  const [command = "", ...args] = COMMAND;
  const child = spawn(command, [...args, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  t.after(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const told: unknown[] = [];
  connection.onNotification("projectChanged", (params) => void told.push(params));

  const { serverInfo, capabilities } = await connection.sendRequest(
    InitializeRequest.type,
    editorParams(join(folder, "graph.db")),
  );
  await connection.sendNotification(InitializedNotification.type, {});
  assert.equal(serverInfo?.name, "graph-sidecar");
  assert.equal(capabilities.experimental.protocolVersion, 1);

  const sidecar = new Sidecar(connection);
  const { projectId } = await sidecar.request("createProject", { title: "In an editor" });
  const added = await sidecar.commit(projectId, {
    kind: "add-node",
    nodeId: "n",
    componentId: "text",
    position: { x: 0, y: 0 },
  });
  assert.equal(added, null);
  assert.equal((await sidecar.project(projectId)).graph?.nodes.length, 1);
  assert.equal(await sidecar.step("undo", projectId), null);
  assert.equal(typeof (await sidecar.step("undo", projectId)), "string");
  assert.equal((await sidecar.project(projectId)).graph?.nodes.length, 0);
  assert.equal(told.length, 2);

  await connection.sendRequest(ShutdownRequest.type);
  const ended = once(child, "exit");
  await connection.sendNotification(ExitNotification.type);
  assert.deepEqual(await ended, [0, null]);
});

/** What an editor sends, whether a server knows it or not. */
function editorParams(database: string): InitializeParams {
  return {
    processId: process.pid,
    clientInfo: { name: "Visual Studio Code", version: "1.91.0" },
    locale: "en",
    rootPath: null,
    rootUri: null,
    workspaceFolders: null,
    trace: "off",
    capabilities: {
      workspace: { applyEdit: true, workspaceEdit: { documentChanges: true }, workspaceFolders: true },
      textDocument: { synchronization: { didSave: true }, completion: { contextSupport: true } },
      window: { workDoneProgress: true, showMessage: { messageActionItem: {} } },
      general: { positionEncodings: ["utf-16"], staleRequestSupport: { cancel: true, retryOnContentModified: [] } },
      notebookDocument: { synchronization: { dynamicRegistration: true } },
    },
    initializationOptions: { protocolVersion: 1, database },
  };
}
