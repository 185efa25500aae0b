// Starts the app as `npm start` does where there is no Electron, and a headless browser on it.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { SidecarClient } from "@graph-sidecar/client";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { sidecarCommand } from "../main/settings.js";

const MAIN = fileURLToPath(new URL("../main/browser.js", import.meta.url));
const SCREENSHOTS =
  process.env["SCREENSHOTS"] ?? fileURLToPath(new URL("../screenshots/", import.meta.url));

/** How long to wait for what has to come, in milliseconds; a machine may be busy. */
export const PATIENCE = 60_000;

/** One browser for all tests of a file: each gets a context of its own. */
let browser: Promise<Browser> | null = null;
after(async () => {
  await (await browser)?.close();
});

export interface App {
  readonly page: Page;
  readonly url: string;
  readonly folder: string;
  readonly process: ChildProcess;
  screenshot(name: string): Promise<void>;
  /** A second process on the same file, as another window or a script would be. */
  secondClient(): Promise<SidecarClient>;
}

export async function startApp(t: TestContext, paceMs = 150): Promise<App> {
  browser ??= launch();
  const context = await (await browser).newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
  });
  const folder = mkdtempSync(join(tmpdir(), "example-host-"));
  const child = spawn(process.execPath, [MAIN, "--data", folder], {
    env: { ...process.env, ASSISTANT_PACE_MS: String(paceMs) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const faults: string[] = [];
  const others: SidecarClient[] = [];
  t.after(async () => {
    await context.close();
    await Promise.all(others.map((client) => client.close()));
    const end = await ended(child);
    if (end !== 0) faults.push(`The app ended with ${end}.`);
    rmSync(folder, { recursive: true });
    if (faults.length > 0) throw new Error(`There were faults:\n${faults.join("\n")}`);
  });
  const url = await addressOf(child);
  const page = await openPage(context, url, faults);
  mkdirSync(SCREENSHOTS, { recursive: true });
  return {
    page,
    url,
    folder,
    process: child,
    async screenshot(name) {
      await page.screenshot({ animations: "disabled", path: join(SCREENSHOTS, `${name}.png`) });
    },
    async secondClient() {
      const [command = "", ...args] = sidecarCommand(process.env);
      const database = join(folder, "graph.db");
      const client = await SidecarClient.start({ command, args, database });
      others.push(client);
      return client;
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("The app has no stdout.");
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /http:\/\/\S+/.exec(line);
    if (address !== null) return address[0];
  }
  throw new Error("The app ended before it told its address.");
}

/** End the app as a user's Ctrl+C would; its exit code, or the signal that ended it. */
async function ended(child: ChildProcess): Promise<number | string | null> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode === null && child.kill("SIGTERM")) await gone;
  return child.exitCode ?? child.signalCode;
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

async function openPage(context: BrowserContext, url: string, faults: string[]): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  await page.locator(".react-flow__node").first().waitFor();
  return page;
}
