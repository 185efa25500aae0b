// A process that speaks the framing and misbehaves as told, to test what the client does about it.
// FAKE_STATE is a file that counts the starts, so that each life can differ.

import { spawn } from "node:child_process";
import { appendFileSync, closeSync, readFileSync, writeSync } from "node:fs";
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";

const mood = process.env["FAKE_MOOD"] ?? "";
const stateFile = process.env["FAKE_STATE"];
const life = stateFile === undefined ? 1 : nextLife(stateFile);
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);

connection.onRequest("initialize", (params: { initializationOptions: unknown }) => {
  if (mood === "refuse") refuse();
  if (mood === "refuse-at-second-start" && life === 2) refuse();
  if (mood === "moved-at-second-start" && life === 2) process.exit(3);
  if (mood === "busy-at-second-start" && life === 2) refuse("storage-busy", true);
  if (mood === "silent-at-second-start" && life === 2) return new Promise(() => {});
  if (mood === "die-at-start" || (mood === "die-at-second-start" && life === 2)) process.exit(70);
  return {
    capabilities: { experimental: { protocolVersion: 1, life, got: params.initializationOptions } },
    serverInfo: { name: "fake", version: "0" },
  };
});
connection.onRequest("commitCommand", (params: { actionId: string }): object => {
  if (mood === "die-on-first-commit" && life === 1) {
    process.stderr.write("about to die\n");
    process.exit(70);
  }
  if (mood === "busy-once" && !seen.has(params.actionId)) {
    seen.add(params.actionId);
    return { status: "rejected", reason: { code: "storage-busy", message: "", details: { retryable: true } } };
  }
  return { status: life === 1 ? "applied" : "historical", actionId: params.actionId, reason: null };
});
connection.onRequest("getStatus", (_, token) => {
  void connection.sendNotification("projectDeleted", { projectId: "at-work", origin: "self" });
  return new Promise((_resolve, reject) => {
    token.onCancellationRequested(() => reject(new ResponseError(-32800, "cancelled")));
  });
});
connection.onRequest("getProject", () => {
  throw new ResponseError(-32803, "There is no such project.", {
    code: "unknown-project",
    retryable: false,
    details: null,
  });
});
connection.onRequest("getSettings", () => {
  if (mood === "mute") {
    closeSync(1);
    setInterval(() => {}, 1_000);
  }
  if (mood === "leaves-a-child") {
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 20_000)"], { stdio: ["ignore", 1, 2], detached: true });
    process.exit(70);
  }
  void connection.sendNotification("projectDeleted", { projectId: `life-${life}`, origin: "self" });
  return {};
});
connection.onRequest("listDrafts", () => {
  process.stdout.write("Content-Length: nonsense\r\n\r\n");
  return new Promise(() => {});
});
connection.onRequest("backupDatabase", (params: { workDoneToken: string }) => {
  tokens.push(params.workDoneToken);
  if (tokens.length < 2) return new Promise((resolve) => (first = resolve));
  tokens.forEach((token, index) => {
    void connection.sendNotification("$/progress", { token, value: { kind: "report", percentage: index } });
  });
  first({});
  return {};
});
connection.onRequest("checkDatabase", (params: { workDoneToken: string }) => {
  void connection.sendNotification("$/progress", {
    token: params.workDoneToken,
    value: { kind: "report", percentage: 50 },
  });
  setImmediate(() => {
    void connection.sendNotification("$/progress", {
      token: params.workDoneToken,
      value: { kind: "report", percentage: 99 },
    });
    void connection.sendNotification("projectDeleted", { projectId: "checked", origin: "self" });
  });
  return { ok: true, problems: [], checked: {} };
});
connection.onRequest("listProjects", () => new Promise(() => {}));
connection.onRequest("closeStaleRuns", () => {
  // Everything is answered at once, and then there is nobody to ask.
  for (let id = 1; id <= 201; id += 1) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, result: {} });
    writeSync(1, `Content-Length: ${body.length}\r\n\r\n${body}`);
  }
  process.exit(0);
});
connection.onRequest("shutdown", () => (mood === "deaf" || mood === "hears-the-end" ? new Promise(() => {}) : null));
connection.onNotification("exit", () => process.exit(0));
if (mood === "deaf") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
} else {
  process.stdin.on("close", () => process.exit(0));
}
if (mood === "chatty") process.stderr.write('{"level":"info","event":"started","n":1}\n'.repeat(20_000));
connection.listen();

const seen = new Set<string>();
const tokens: string[] = [];
let first: (result: object) => void = () => {};

function nextLife(file: string): number {
  appendFileSync(file, ".");
  return readFileSync(file, "utf8").length;
}

function refuse(code = "storage-newer", retryable = false): never {
  setTimeout(() => process.exit(3), 10);
  throw new ResponseError(-32803, "The file is not served.", {
    code,
    retryable,
    details: {},
  });
}
