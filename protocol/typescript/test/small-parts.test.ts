import assert from "node:assert/strict";
import { test } from "node:test";
import { scrubbedEnvironment, withVariables } from "../src/environment.js";
import { LogLines, type LogRecord } from "../src/log-lines.js";
import { backoffDelay, DEFAULT_RESTART } from "../src/restart.js";

test("what steers Electron, Node or Python does not reach the child", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/home/me",
    ELECTRON_RUN_AS_NODE: "1",
    NODE_OPTIONS: "--inspect",
    PYTHONPATH: "/evil",
    PYTHONHOME: "/evil",
    PythonPath: "/evil", // The same variable, on Windows.
    npm_config_prefix: "/evil",
    LD_PRELOAD: "/evil.so",
    UNSET: undefined,
  };

  assert.deepEqual(scrubbedEnvironment(environment), { PATH: "/bin", HOME: "/home/me" });
});

test("a variable that is added replaces the system's own, as the system takes names", () => {
  const system = { Path: "C:\\Windows", LANG: "C" };

  assert.deepEqual(withVariables(system, { PATH: "D:\\tools" }, "win32"), { PATH: "D:\\tools", LANG: "C" });
  assert.deepEqual(withVariables(system, { PATH: "/tools" }, "linux"), { ...system, PATH: "/tools" });
});

test("log lines are put together from chunks, whatever their cut", () => {
  const text = '{"level":"warning","event":"é"}\nTraceback\n{"level":"info","event":"last"}';
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const records: LogRecord[] = [];
    const lines = new LogLines((record) => records.push(record));
    lines.push(bytes.subarray(0, cut));
    lines.push(bytes.subarray(cut));
    lines.end();

    assert.deepEqual(records, [
      { level: "warning", event: "é" },
      { level: "error", event: "raw", text: "Traceback" },
      { level: "info", event: "last" },
    ]);
  }
});

test("delays double up to the limit", () => {
  const policy = { ...DEFAULT_RESTART, initialDelayMs: 100, maxDelayMs: 500 };
  const delays = [1, 2, 3, 4, 5].map((attempt) => backoffDelay(policy, attempt, () => 0));

  assert.deepEqual(delays, [100, 200, 400, 500, 500]);
  assert.equal(backoffDelay(policy, 1, () => 1), 125);
});
