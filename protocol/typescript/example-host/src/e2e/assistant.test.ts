// The scripted assistant's run, live: pause, Continue, Stop; the chat and its branches.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startApp } from "./app.js";

async function ask(page: Page, text: string) {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByLabel("Message", { exact: true }).press("Enter");
  await page.getByTestId("prompt").filter({ hasText: text }).waitFor();
}

/** Press Continue at every checkpoint until the run is over and the chat is settled. */
async function letItFinish(page: Page) {
  const more = page.getByRole("button", { name: "Continue" });
  const idle = page.getByPlaceholder("Ask for a change", { exact: true });
  for (;;) {
    await more.or(idle).first().waitFor();
    if (await idle.isVisible()) break;
    // Where the last step reaches a checkpoint, the run ends while Continue is still offered.
    const clicked = await more.click({ timeout: 5_000 }).then(() => true, () => false);
    if (clicked) await more.waitFor({ state: "detached" });
  }
  await page.getByTestId("runbar").waitFor({ state: "detached" });
}

const nodes = (page: Page) => page.locator(".react-flow__node-graph").count();

test("a run stops at its checkpoint, goes on with Continue, and is undone in one step", async (t) => {
  const app = await startApp(t);
  const { page } = app;
  const before = await nodes(page);

  await ask(page, "Put a frame around it");
  await page.getByText("Checkpoint after 3 steps").waitFor();
  await app.screenshot("run-checkpoint");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("That is the frame").waitFor();
  await page.getByTestId("runbar").waitFor({ state: "detached" });
  await page.locator(".message.agent:not(.streaming)").waitFor();

  assert.equal(await nodes(page), before + 1);
  assert.equal(await page.locator(".activities li.completed").count(), 4);
  const band = page.getByTestId("run-band");
  assert.ok((await band.locator(".version").count()) >= 4);
  await app.screenshot("run-done");
  await page.locator(".steps").getByText("Undo").click();
  await page.waitForFunction((n) => document.querySelectorAll(".react-flow__node-graph").length === n, before);
});

test("a paused run stands still until Continue", async (t) => {
  const app = await startApp(t, 600);
  const { page } = app;

  await ask(page, "Make it soft and dreamy");
  await page.getByText("Add Soft focus").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused at step").waitFor();
  const held = await page.locator(".version.current .number").textContent();
  await app.screenshot("run-paused");
  // Long enough for what would have been two more commits.
  await page.waitForTimeout(1_500);
  assert.equal(await page.locator(".version.current .number").textContent(), held);

  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForFunction(
    (shown) => document.querySelector(".version.current .number")?.textContent !== shown,
    held,
  );
});

test("a stopped run leaves what it built, and the chat says that it ended", async (t) => {
  const app = await startApp(t, 400);
  const { page } = app;

  await ask(page, "Put a frame around it");
  await page.locator(".version.ai").first().waitFor();
  await page.getByRole("button", { name: "Stop" }).click();

  await page.getByTestId("runbar").waitFor({ state: "detached" });
  await page.locator(".message.agent:not(.streaming)").waitFor();
  assert.ok((await page.locator(".version.ai").count()) >= 1);
  await page.waitForFunction(() => !document.querySelector<HTMLTextAreaElement>(".composer textarea")?.placeholder.includes("at work"));
});

test("an edited prompt is another branch, and both can be looked at", async (t) => {
  const app = await startApp(t, 60);
  const { page } = app;
  await ask(page, "Tidy the names up");
  await letItFinish(page);

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Edited message").fill("Put a frame around it");
  await page.getByLabel("Edited message").press("Enter");
  await page.getByTestId("prompt").filter({ hasText: "Put a frame" }).waitFor();
  await letItFinish(page);

  const versions = page.getByTestId("versions");
  assert.match((await versions.textContent()) ?? "", /2 \/ 2/);
  await page.getByTestId("branches").locator("summary").click();
  await app.screenshot("chat-branches");
  await page.getByRole("button", { name: "Earlier version" }).click();
  await page.getByTestId("prompt").filter({ hasText: "Tidy the names up" }).waitFor();
  await page.getByText("Now it reads like a recipe").waitFor();
});

test("going back to a prompt takes the graph and the chat back", async (t) => {
  const app = await startApp(t, 60);
  const { page } = app;
  const before = await nodes(page);
  await ask(page, "Put a frame around it");
  await letItFinish(page);
  assert.equal(await nodes(page), before + 1);
  await app.screenshot("chat");

  await page.getByRole("button", { name: "Back to here" }).click();

  await page.waitForFunction((n) => document.querySelectorAll(".react-flow__node-graph").length === n, before);
  await page.getByTestId("prompt").waitFor({ state: "detached" });
});
