import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  commit,
  ConnectionLostError,
  RequestError,
  SidecarClient,
  StartError,
  type ClientState,
  type Ending,
  type LogRecord,
  type SidecarOptions,
} from "../src/index.js";

const FAKE = fileURLToPath(new URL("./fake-sidecar.js", import.meta.url));
const COMMAND = {
  projectId: "p",
  expectedRevisionId: "r",
  payload: { kind: "remove-node", nodeId: "n" },
} as const;

async function start(t: TestContext, mood: string, more: Partial<SidecarOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  const client = await SidecarClient.start({
    command: process.execPath,
    args: [FAKE],
    env: { FAKE_MOOD: mood, FAKE_STATE: join(folder, "lives") },
    restart: { initialDelayMs: 5, attempts: 3 },
    closeTimeoutMs: 3_000,
    ...more,
  });
  t.after(async () => {
    await client.close();
    rmSync(folder, { recursive: true });
  });
  return client;
}

function stateOf(client: SidecarClient, name: ClientState["name"]): Promise<ClientState> {
  return new Promise((resolve) => {
    const unsubscribe = client.onState((state) => {
      if (state.name !== name) return;
      unsubscribe();
      resolve(state);
    });
  });
}

test("initialize carries the protocol version and the database", async (t) => {
  const client = await start(t, "", { database: "/somewhere/graph.db" });

  const experimental = client.info.capabilities.experimental as unknown as { got: unknown };
  assert.deepEqual(experimental.got, { protocolVersion: 1, database: "/somewhere/graph.db" });
});

test("an error answer is a RequestError with its code and data", async (t) => {
  const client = await start(t, "");

  const error = await client.request("getProject", { projectId: "x" }).catch((e: unknown) => e);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32803);
  assert.ok(error.failedWith("unknown-project"));
});

test("a fault of the host's params is told in full, a sentence for the person alone", () => {
  const issues = [{ path: "/limit", message: "must be at most 500" }, { path: "/x", message: "unknown key" }];
  const fault = new RequestError("listProjects", -32602, "The params do not fit.", { issues });
  const mismatch = new RequestError("initialize", -32602, "No.", { requested: 2, supported: [1] });
  const failure = { code: "unknown-project", retryable: false, details: { projectId: "x" } };

  assert.equal(
    fault.message,
    "listProjects: The params do not fit. /limit: must be at most 500; /x: unknown key",
  );
  const whole = { issues: [{ path: "", message: "expected either session or path" }] };
  assert.equal(
    new RequestError("importSession", -32602, "The params do not fit.", whole).message,
    "importSession: The params do not fit. expected either session or path",
  );
  assert.equal(mismatch.message, 'initialize: No. {"requested":2,"supported":[1]}');
  assert.equal(new RequestError("getProject", -32601, "No such method.", undefined).message, "getProject: No such method.");
  assert.equal(new RequestError("getProject", -32803, "There is none.", failure).message, "There is none.");
});

test("why a process cannot be started is told", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const orphan = join(folder, "orphan");
  writeFileSync(orphan, "#!/nowhere/python\n", { mode: 0o755 });
  const plain = join(folder, "plain");
  writeFileSync(plain, "", { mode: 0o644 });
  const said = async (options: SidecarOptions) => {
    const error = await SidecarClient.start(options).catch((e: unknown) => e);
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  };

  assert.match(await said({ command: "graph-sidecar-nobody-has" }), /on the PATH/);
  assert.match(await said({ command: join(folder, "none") }), /no such file/);
  assert.match(await said({ command: orphan }), /interpreter/);
  assert.match(await said({ command: plain }), /may not be run/);
  // These two are told by an exception, not by an event; so is a batch file on Windows.
  assert.match(await said({ command: join(plain, "below") }), /ENOTDIR/);
  assert.match(await said({ command: "a\0b" }), /null bytes/);
  assert.match(await said({ command: process.execPath, cwd: join(folder, "none") }), /working folder .*none/);
});

test("what is pending when the process dies is rejected with how it ended", async (t) => {
  const client = await start(t, "die-on-first-commit", { restart: false });

  const error = await commit(client, COMMAND, { attempts: 1 }).catch((e: unknown) => e);
  assert.ok(error instanceof ConnectionLostError);
  assert.equal(error.ending.exitCode, 70);
  assert.match(error.ending.stderrTail, /about to die/);
  assert.equal(client.state.name, "failed");
});

test("a commit whose answer was lost is sent again under the same actionId", async (t) => {
  const client = await start(t, "die-on-first-commit");

  const answer = await commit(client, { ...COMMAND, actionId: "a" }, { delayMs: 1 });
  assert.equal(answer.status, "historical");
  assert.equal(answer.actionId, "a");
});

test("a rejection that may succeed later is sent again", async (t) => {
  const client = await start(t, "busy-once");

  const answer = await commit(client, COMMAND, { delayMs: 1 });
  assert.equal(answer.status, "applied");
});

test("a process that dies is started again and the host is told", async (t) => {
  const client = await start(t, "");
  const restarting = stateOf(client, "restarting");
  const ready = stateOf(client, "ready");
  const told: string[] = [];
  client.on("projectDeleted", ({ projectId }) => told.push(projectId));

  process.kill(client.pid ?? -1, "SIGKILL");

  assert.equal(((await restarting) as { attempt: number }).attempt, 1);
  assert.equal(((await ready) as { restarts: number }).restarts, 1);
  await client.request("getSettings", {});
  assert.deepEqual(told, ["life-2"]);
});

test("a request made while the sidecar restarts waits for it", async (t) => {
  const client = await start(t, "die-at-second-start");
  const restarting = stateOf(client, "restarting");
  process.kill(client.pid ?? -1, "SIGKILL");
  await restarting;

  assert.deepEqual(await client.request("getSettings", {}), {});
  assert.equal(client.state.name === "ready" && client.state.restarts, 2);
});

test("restarts end after the allowed attempts", async (t) => {
  const client = await start(t, "");
  const failed = stateOf(client, "failed");
  const kill = client.onState((s) => s.name === "ready" && process.kill(client.pid ?? -1, "SIGKILL"));

  process.kill(client.pid ?? -1, "SIGKILL");

  assert.equal((await failed).name, "failed");
  kill();
  await assert.rejects(client.request("getSettings", {}), ConnectionLostError);
});

test("a process that lived long enough has all its attempts again", async (t) => {
  const client = await start(t, "", { restart: { initialDelayMs: 5, attempts: 1, healthyAfterMs: 100 } });

  for (let death = 1; death <= 3; death += 1) {
    await delay(200);
    const next = Promise.race([stateOf(client, "restarting"), stateOf(client, "failed")]);
    const ready = Promise.race([stateOf(client, "ready"), stateOf(client, "failed")]);
    process.kill(client.pid ?? -1, "SIGKILL");

    const state = await next;
    assert.equal(state.name === "restarting" && state.attempt, 1, `death ${death}`);
    assert.equal((await ready).name, "ready");
  }
});

test("a process that is just being started when the client is closed does not stay behind", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "client-"));
  t.after(() => rmSync(folder, { recursive: true }));
  let closing: Promise<Ending | null> | null = null;
  let spawned = false;
  const client = await SidecarClient.start({
    command: process.execPath,
    // Read when a process is started; the second time the client is closed right behind it.
    get args() {
      if (spawned) queueMicrotask(() => (closing = client.close()));
      return [FAKE];
    },
    env: { FAKE_STATE: join(folder, "lives") },
    restart: { initialDelayMs: 5 },
  });
  spawned = true;
  const closed = stateOf(client, "closed");
  process.kill(client.pid ?? -1, "SIGKILL");
  await closed;

  const ending = await (closing as Promise<Ending | null> | null);
  assert.notEqual(ending, null);
  assert.throws(() => process.kill(client.pid ?? -1, 0), { code: "ESRCH" });
});

test("a restart that is refused for good is not tried again", async (t) => {
  for (const [mood, attempts] of [
    ["refuse-at-second-start", 1],
    ["moved-at-second-start", 1],
    ["busy-at-second-start", 2],
  ] as const) {
    const client = await start(t, mood);
    const states: ClientState[] = [];
    client.onState((state) => states.push(state));
    const settled = Promise.race([stateOf(client, "failed"), stateOf(client, "ready")]);
    process.kill(client.pid ?? -1, "SIGKILL");

    assert.equal((await settled).name, attempts === 1 ? "failed" : "ready", mood);
    assert.equal(states.filter(({ name }) => name === "restarting").length, attempts, mood);
  }
});

test("a request that waits for a restart can be aborted, and leaves nothing behind", async (t) => {
  const client = await start(t, "silent-at-second-start", { closeTimeoutMs: 100 });
  const restarting = stateOf(client, "restarting");
  process.kill(client.pid ?? -1, "SIGKILL");
  await restarting;
  const abort = new AbortController();

  const waiting = client.request("getSettings", {}, { signal: abort.signal });
  await delay(20);
  abort.abort(new Error("enough"));

  await assert.rejects(waiting, { message: "enough" });
  assert.equal(getEventListeners(abort.signal, "abort").length, 0);
});

test("a request that waits for a restart ends when the client is closed", async (t) => {
  const client = await start(t, "", { restart: { initialDelayMs: 60_000 } });
  const restarting = stateOf(client, "restarting");
  process.kill(client.pid ?? -1, "SIGKILL");
  await restarting;

  const waiting = assert.rejects(client.request("getSettings", {}), { name: "ClosedError" });
  const ready = assert.rejects(client.ready(), { name: "ClosedError" });
  // Nobody waits out the delay either.
  assert.equal(await client.close(), null);
  await Promise.all([waiting, ready]);
  assert.equal(client.state.name, "closed");
});

test("a client that was closed is not restarted, and nothing is told after it", async (t) => {
  const client = await start(t, "");
  const states: string[] = [];
  client.onState(({ name }) => states.push(name));

  await client.close();
  await delay(50);

  assert.deepEqual(states, ["closed"]);
  assert.deepEqual(client.pid !== null && isAlive(client.pid), false);
});

test("a request that was aborted before is not sent", async (t) => {
  const client = await start(t, "");
  const told: string[] = [];
  client.on("projectDeleted", ({ projectId }) => told.push(projectId));
  const signal = AbortSignal.abort(new Error("never mind"));

  await assert.rejects(client.request("getSettings", {}, { signal }), { message: "never mind" });
  await client.request("checkDatabase", {});
  assert.deepEqual(told, []);
});

test("a signal of many requests does not gather listeners", async (t) => {
  const client = await start(t, "");
  const { signal } = new AbortController();

  for (let n = 0; n < 3; n += 1) await client.request("getSettings", {}, { signal });
  await client.request("getProject", { projectId: "x" }, { signal }).catch(() => {});

  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("each of several long requests hears of its own progress", async (t) => {
  const client = await start(t, "");
  const heard: unknown[][] = [[], []];

  await Promise.all(
    heard.map((reports) =>
      client.request("backupDatabase", { path: "/b" }, { onProgress: ({ percentage }) => reports.push(percentage) }),
    ),
  );

  assert.deepEqual(heard, [[0], [1]]);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a refused database is told with its code and not tried again", async (t) => {
  const error = await start(t, "refuse").catch((e: unknown) => e);

  assert.ok(error instanceof RequestError);
  assert.ok(error.failedWith("storage-newer"));
});

test("a process that ends before it is ready is a StartError with its exit code", async (t) => {
  const error = await start(t, "die-at-start").catch((e: unknown) => e);

  assert.ok(error instanceof StartError);
  assert.equal(error.ending?.exitCode, 70);
});

test("a command that does not exist is a StartError", async (t) => {
  await assert.rejects(start(t, "", { command: "/nowhere/graph-sidecar" }), StartError);
});

test("an abort cancels the request", async (t) => {
  const client = await start(t, "");
  const abort = new AbortController();

  client.on("projectDeleted", () => abort.abort());

  const pending = client.request("getStatus", {}, { signal: abort.signal });

  const error = await pending.catch((e: unknown) => e);
  assert.ok(error instanceof RequestError && error.cancelled);
});

test("answers that came before the process ended are not lost", async (t) => {
  const client = await start(t, "last-words", { restart: false });

  const requests = Array.from({ length: 200 }, () => client.request("listProjects", {}));
  requests.push(client.request("closeStaleRuns", {}) as never);
  assert.equal((await Promise.allSettled(requests)).filter((r) => r.status === "rejected").length, 0);
});

test("progress of a long request is reported", async (t) => {
  const client = await start(t, "");
  const reports: unknown[] = [];

  const checked = new Promise((resolve) => client.on("projectDeleted", resolve));
  await client.request("checkDatabase", {}, { onProgress: (report) => reports.push(report) });
  // What comes after the answer is nobody's any more.
  await checked;
  assert.deepEqual(reports, [{ kind: "report", percentage: 50 }]);
});

test("a stream that lost its framing ends the process and what is pending", async (t) => {
  const client = await start(t, "", { restart: false });

  await assert.rejects(client.request("listDrafts", { projectId: "p" }), ConnectionLostError);
});

test("params that are no JSON fail alone", async (t) => {
  const client = await start(t, "");

  await assert.rejects(client.request("undo", { projectId: 1n } as never), { name: "SidecarError" });
  assert.deepEqual(await client.request("getSettings", {}), {});
});

test("close ends a process that does not listen", async (t) => {
  const client = await start(t, "deaf", { closeTimeoutMs: 100 });

  const ending = await client.close();
  assert.equal(ending?.signal, "SIGKILL");
  assert.equal(client.state.name, "closed");
});

test("close lets a process end that hears the end of its stdin alone", async (t) => {
  const client = await start(t, "hears-the-end", { closeTimeoutMs: 500 });

  const ending = await client.close();
  assert.deepEqual([ending?.exitCode, ending?.signal], [0, null]);
});

test("a process that closes its stdout and lives on is ended", async (t) => {
  const client = await start(t, "mute", { restart: false });

  await assert.rejects(client.request("getSettings", {}), ConnectionLostError);
  assert.equal(client.state.name, "failed");
});

test("a child that inherited the pipes does not keep the requests waiting", async (t) => {
  const client = await start(t, "leaves-a-child", { restart: false });
  const started = Date.now();

  const error = await client.request("getSettings", {}).catch((e: unknown) => e);
  assert.ok(error instanceof ConnectionLostError);
  assert.equal(error.ending.exitCode, 70);
  assert.ok(Date.now() - started < 10_000);
});

test("close is clean, may be called twice, and ends requests to come", async (t) => {
  const client = await start(t, "");

  const [first, second] = await Promise.all([client.close(), client.close()]);
  assert.equal(first?.exitCode, 0);
  assert.equal(second, first);
  await assert.rejects(client.request("getSettings", {}), { name: "ClosedError" });
});

test("stderr is drained and read as log records", async (t) => {
  const records: LogRecord[] = [];
  const { port1, port2 } = new MessageChannel();
  await start(t, "chatty", {
    log: (record) => {
      records.push(record);
      if (records.length === 20_000) port1.postMessage("done");
    },
  });
  if (records.length < 20_000) await once(port2, "message");
  port1.close();

  assert.deepEqual(records[0], { level: "info", event: "started", n: 1 });
});
