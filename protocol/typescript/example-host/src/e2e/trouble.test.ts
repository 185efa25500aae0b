// What the page shows when the disk is full or the sidecar dies, and what the bridge lets through.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CHANNELS } from "../shared/bridge.js";
import { startApp, type App } from "./app.js";

/** The sidecar that the app started. */
function sidecarOf(app: App): number {
  const children = execFileSync("pgrep", ["-P", String(app.process.pid)], { encoding: "utf8" });
  return Number(children.trim().split("\n")[0]);
}

/** Let no file of the process grow any more, as a full disk would; "unlimited" ends that. */
function limitFiles(pid: number, bytes: string): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}

test("a full disk is told, nothing is lost, and the same change succeeds once there is room", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const sidecar = sidecarOf(app);
  await page.locator('[data-testid="node-resize-1"] header').click();

  limitFiles(sidecar, "4096");
  await page.getByLabel("width").fill("2000");
  await page.getByLabel("width").press("Enter");
  await page.getByTestId("notice-storage").getByText("Not saved: Set width to 2000").waitFor();
  await app.screenshot("storage-full");
  assert.equal(await page.getByLabel("width").inputValue(), "1800");

  limitFiles(sidecar, "unlimited");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByTestId("notice-storage").waitFor({ state: "detached" });
  await page.locator('[data-testid="node-resize-1"] dd', { hasText: "2000" }).waitFor();
});

test("a sidecar that is killed comes back, and the page goes on where it was", async (t) => {
  const app = await startApp(t);
  const { page } = app;

  process.kill(sidecarOf(app), "SIGKILL");
  await page.getByTestId("notice-sidecar").waitFor();
  await app.screenshot("reconnecting");
  await page.getByTestId("notice-sidecar").waitFor({ state: "detached" });

  await page.getByLabel("Title").fill("After the storm");
  await page.getByLabel("Title").press("Enter");
  await page.locator(".version.current", { hasText: "After the storm" }).or(page.locator(".version.current", { hasText: "ename" })).first().waitFor();
  assert.equal(await page.locator(".react-flow__node-graph").count(), 5);
});

test("what a person changes while the sidecar is slow is all stored, and is no conflict", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const sidecar = sidecarOf(app);
  const change = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).press("Enter");
  };
  await page.locator('[data-testid="node-resize-1"] header').click();

  process.kill(sidecar, "SIGSTOP");
  await change("Name", "Print size");
  await change("width", "2400");
  await page.getByLabel("height", { exact: true }).fill("1600");
  process.kill(sidecar, "SIGCONT");
  await page.getByText("Print size").first().waitFor();
  await page.getByLabel("height", { exact: true }).press("Enter");

  for (const text of ["2400", "1600"]) {
    await page.locator('[data-testid="node-resize-1"] dd', { hasText: text }).waitFor();
  }
  assert.equal(await page.getByTestId("notice-conflict").count(), 0);
});

test("a page that has nothing to show says why", async (t) => {
  const app = await startApp(t);
  const page = await app.page.context().newPage();
  const error = { name: "StartError", message: "The disk is on strike.", code: null };
  await page.route("**/bridge", (route) => route.fulfill({ json: { ok: false, error } }));

  await page.goto(app.url);

  await page.getByTestId("cannot-open").getByText("The disk is on strike.").waitFor();
  await page.unroute("**/bridge");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".react-flow__node").first().waitFor();
});

test("the bridge answers to its own page alone", async (t) => {
  const app = await startApp(t);
  const origin = new URL(app.url).origin;
  const boot = JSON.stringify({ channel: "boot", input: null });

  const stranger = await fetch(`${origin}/bridge`, { method: "POST", body: boot });
  const guesser = await fetch(`${origin}/?secret=wrong`);
  assert.equal(stranger.status, 403);
  assert.equal(guesser.status, 403);
  const welcome = await fetch(app.url, { redirect: "manual" });
  const cookie = (welcome.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const elsewhere = { Cookie: cookie, Origin: "http://evil.example" };
  const foreign = await fetch(`${origin}/bridge`, { method: "POST", body: boot, headers: elsewhere });
  assert.equal(foreign.status, 403);
  const escape = await fetch(`${origin}/..%2f..%2fpackage.json`, { headers: { Cookie: cookie } });
  assert.equal(escape.status, 404);
});

test("the page cannot ask for what stays with the main process, nor speak for the assistant", async (t) => {
  const app = await startApp(t);
  const say = (channel: string, input: unknown) =>
    app.page.evaluate(
      async (body) =>
        (await fetch("/bridge", { method: "POST", body })).json() as Promise<{ ok: boolean; value: unknown }>,
      JSON.stringify({ channel, input }),
    );

  const refused = await Promise.all([
    say("deleteEverything", null),
    say("request", { method: "deleteProject", params: {} }),
    say("request", { method: "__proto__", params: {} }),
    say("request", { method: "commitCommand", params: null }),
    say("ask", { sessionId: 1, text: "x" }),
  ]);
  assert.deepEqual(refused.map(({ ok }) => ok), [false, false, false, false, false]);

  const boot = (await say("boot", null)).value as { projectId: string };
  const project = (await say("request", { method: "getProject", params: boot })) as {
    ok: boolean;
    value: { revisionId: string };
  };
  assert.equal(project.ok, false); // Unknown keys are refused by the sidecar itself.
  const { projectId } = boot;
  const current = (await say("request", { method: "getProject", params: { projectId } })).value as {
    revisionId: string;
  };
  const params = {
    projectId,
    actionId: "from-the-page",
    expectedRevisionId: current.revisionId,
    actor: "ai",
    runId: "someone's",
    payload: { kind: "rename-node", nodeId: "save-1", name: "Renamed" },
  };
  assert.equal((await say("request", { method: "commitCommand", params })).ok, true);
  const list = (await say("request", { method: "listRevisions", params: { projectId, limit: 1 } })).value;
  assert.equal((list as { items: { actor: string }[] }).items[0]?.actor, "manual");
});

test("the preload script lists the channels of the bridge", () => {
  const source = readFileSync(fileURLToPath(new URL("../preload/preload.cjs", import.meta.url)), "utf8");
  const listed = /new Set\(\[(.*?)\]\)/.exec(source)?.[1] ?? "";

  assert.deepEqual(JSON.parse(`[${listed}]`), [...CHANNELS]);
});
