// Starts the app as `npm start` does where there is no Electron, and a headless browser on it.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { SidecarClient } from "@graph-sidecar/client";
import { chromium, type Browser, type Page } from "playwright-core";

const MAIN = fileURLToPath(new URL("../main/browser.js", import.meta.url));
const SCREENSHOTS =
  process.env["SCREENSHOTS"] ?? fileURLToPath(new URL("../screenshots/", import.meta.url));

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
  const folder = mkdtempSync(join(tmpdir(), "example-host-"));
  const child = spawn(process.execPath, [MAIN, "--data", folder], {
    env: { ...process.env, ASSISTANT_PACE_MS: String(paceMs) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const browser = await launch();
  const faults: string[] = [];
  const others: SidecarClient[] = [];
  t.after(async () => {
    await browser.close();
    await Promise.all(others.map((client) => client.close()));
    await ended(child);
    rmSync(folder, { recursive: true });
    if (faults.length > 0) throw new Error(`The page had faults:\n${faults.join("\n")}`);
  });
  const url = await addressOf(child);
  const page = await openPage(browser, url, faults);
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
      const command = JSON.parse(process.env["GRAPH_SIDECAR_COMMAND"] ?? '["graph-sidecar"]') as string[];
      const [first = "", ...args] = command;
      const database = join(folder, "graph.db");
      const client = await SidecarClient.start({ command: first, args, database });
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

async function ended(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode === null && child.kill("SIGTERM")) await gone;
}

function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

async function openPage(browser: Browser, url: string, faults: string[]): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  await page.goto(url);
  await page.locator(".react-flow__node").first().waitFor();
  return page;
}
