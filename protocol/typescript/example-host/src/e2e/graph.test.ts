// Editing the graph by hand, in the real page, over the real sidecar.

import assert from "node:assert/strict";
import { test } from "node:test";
import { commit, type Projection } from "@graph-sidecar/client";
import type { Page } from "playwright-core";
import { PATIENCE, startApp, type App } from "./app.js";

/** The project as the file has it, seen by another process. */
async function stored(app: App): Promise<() => Promise<Projection>> {
  const client = await app.secondClient();
  const { items } = await client.request("listProjects", {});
  const projectId = items[0]?.projectId ?? "";
  return () => client.request("getProject", { projectId });
}

/** Wait until what is stored is as wanted; the page's own change is on its way. */
async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    assert.ok(Date.now() < deadline, `never came: ${JSON.stringify(value).slice(0, 1_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const nodeOf = (projection: Projection, nodeId: string) =>
  projection.graph?.nodes.find((node) => node.nodeId === nodeId);

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

async function centreOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  assert.ok(box, selector);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const header = (nodeId: string) => `[data-testid="node-${nodeId}"] header`;
const handle = (nodeId: string, side: "source" | "target", port: string) =>
  `.react-flow__node[data-id="${nodeId}"] .react-flow__handle.${side}[data-handleid="${port}"]`;

test("a dragged node, a connection, a name and a parameter are stored, and undo takes them back", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const read = await stored(app);
  const before = nodeOf(await read(), "save-1");
  await app.screenshot("graph");

  const from = await centreOf(page, header("save-1"));
  await drag(page, from, { x: from.x - 60, y: from.y + 180 });
  const moved = await until(read, (p) => nodeOf(p, "save-1")?.position.y !== before?.position.y);
  assert.equal(moved.undo?.label.toLowerCase().includes("move"), true);

  await drag(page, await centreOf(page, handle("resize-1", "source", "image")), await centreOf(page, handle("save-1", "target", "image")));
  const led = (p: Projection) =>
    p.graph?.edges.find(({ target }) => target.nodeId === "save-1")?.source.nodeId;
  await until(read, (p) => led(p) === "resize-1");

  await page.locator(header("resize-1")).click();
  await page.getByLabel("Name").fill("Print size");
  await page.getByLabel("Name").press("Enter");
  await page.getByLabel("width").fill("2400");
  await page.getByLabel("width").press("Enter");
  await until(read, (p) => nodeOf(p, "resize-1")?.parameters["width"] === 2400);
  assert.equal(nodeOf(await read(), "resize-1")?.name, "Print size");
  await page.getByText("Print size").first().waitFor();
  await app.screenshot("graph-edited");

  for (let step = 0; step < 4; step += 1) await undoOnce(page);
  const after = await until(read, (p) => nodeOf(p, "save-1")?.position.y === before?.position.y);
  assert.equal(led(after), "caption-1");
  assert.equal(nodeOf(after, "resize-1")?.parameters["width"], 1800);
  await page.locator(".steps").getByText("Redo").click();
  await until(read, (p) => nodeOf(p, "save-1")?.position.y !== before?.position.y);
});

async function undoOnce(page: Page) {
  const current = page.locator(".version.current .number");
  const number = await current.textContent();
  await page.locator(".steps").getByText("Undo").click();
  await page.waitForFunction(
    (shown) => document.querySelector(".version.current .number")?.textContent !== shown,
    number,
  );
}

test("nodes and edges are removed with the keyboard, and a node is added from the palette", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const read = await stored(app);

  await page.locator(header("caption-1")).click();
  await page.keyboard.press("Delete");
  await until(read, (p) => nodeOf(p, "caption-1") === undefined);
  const middle = await page.locator(".react-flow__edge-path").first().evaluate((path) => {
    const line = path as unknown as SVGPathElement;
    const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
    const { a, d, e, f } = line.getScreenCTM() ?? new DOMMatrix();
    return { x: a * x + e, y: d * y + f };
  });
  await page.mouse.click(middle.x, middle.y);
  await page.keyboard.press("Delete");
  await until(read, (p) => p.graph?.edges.length === 0);

  const menu = page.locator(".palette menu");
  await page.getByText("Add node").click();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
  await page.getByText("Add node").click();
  await page.getByText("History").click();
  await menu.waitFor({ state: "hidden" });
  await page.getByText("Add node").click();
  await menu.getByText("Blur").click();
  await menu.waitFor({ state: "hidden" });
  const added = await until(read, (p) => p.graph?.nodes.length === 5);
  assert.equal(added.graph?.nodes.at(-1)?.componentId, "blur");
});

test("several nodes become a subgraph, and come out of it again", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const read = await stored(app);

  await page.locator(header("resize-1")).click();
  await page.locator(header("caption-1")).click({ modifiers: ["Control"] });
  await page.getByRole("button", { name: "Make a subgraph of 2" }).click();
  await until(read, (p) => p.graph?.subgraphs.length === 1);
  await page.locator(".node.subgraph header").click();
  await app.screenshot("subgraph");

  await page.getByRole("button", { name: "Dissolve" }).click();
  const after = await until(read, (p) => p.graph?.subgraphs.length === 0);
  assert.notEqual(nodeOf(after, "caption-1"), undefined);
});

test("a version of the history is compared and restored", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const read = await stored(app);

  await page.locator(".version").nth(12).click();
  await page.getByTestId("version-details").getByText("going back would").waitFor();
  await app.screenshot("history");
  await page.getByRole("button", { name: "Restore this version" }).click();

  const restored = await until(read, (p) => p.graph?.edges.length === 0);
  assert.equal(restored.graph?.nodes.length, 5);
  assert.equal(restored.graph?.groups.length, 0);

  await page.locator(".version").first().click();
  await page.getByRole("button", { name: "Restore this version" }).click();
  await page.getByText("Nothing here yet.").waitFor();
  await app.screenshot("empty");
});

test("a title is changed", async (t) => {
  const app = await startApp(t);
  const read = await stored(app);

  await app.page.getByLabel("Title").fill("Holiday cards");
  await app.page.getByLabel("Title").press("Enter");

  await until(read, (p) => p.title === "Holiday cards");
});

test("a field that another process changed meanwhile is a conflict, and the person decides", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const read = await stored(app);
  const other = await app.secondClient();

  await page.locator(header("resize-1")).click();
  await page.getByLabel("height").fill("900");
  const { projectId, revisionId } = await read();
  await commit(other, {
    projectId,
    expectedRevisionId: revisionId,
    payload: { kind: "set-parameter", nodeId: "resize-1", name: "height", value: 700 },
  });
  await page.locator('[data-testid="node-resize-1"] dd', { hasText: "700" }).waitFor();
  await page.getByLabel("height").press("Enter");

  await page.getByTestId("notice-conflict").getByText("Set height to 900").waitFor();
  assert.equal(nodeOf(await read(), "resize-1")?.parameters["height"], 700);
  await app.screenshot("conflict");
  await page.getByRole("button", { name: "Do it anyway" }).click();
  await until(read, (p) => nodeOf(p, "resize-1")?.parameters["height"] === 900);
});
