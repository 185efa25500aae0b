// How the tests start the sidecar of this repository.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { SidecarClient, type LogRecord, type SidecarOptions } from "../src/index.js";

const SCRIPT = process.platform === "win32" ? "Scripts/graph-sidecar.exe" : "bin/graph-sidecar";
const CHECKOUT = fileURLToPath(new URL(`../../../../.venv/${SCRIPT}`, import.meta.url));
const folders = new Set<string>();
const COMMAND = commandLine(process.env["GRAPH_SIDECAR_COMMAND"]);

/** What the environment names as JSON, `["python", "-m", "sidecar"]` say; else the checkout's; else the one on the path. */
function commandLine(named: string | undefined): string[] {
  if (named !== undefined) return JSON.parse(named) as string[];
  return [existsSync(CHECKOUT) ? CHECKOUT : "graph-sidecar"];
}

/** A folder that goes in the end: before its sidecar does, Windows would keep it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "graph-sidecar-"));
  if (folders.size === 0) process.once("exit", () => folders.forEach((one) => rmSync(one, { recursive: true, force: true })));
  folders.add(folder);
  return folder;
}

export async function startSidecar(
  t: TestContext,
  database: string,
  more: Partial<SidecarOptions> = {},
): Promise<SidecarClient> {
  const [command = "graph-sidecar", ...words] = COMMAND;
  const args = [...words, ...(more.args ?? [])];
  const log = (record: LogRecord) => {
    if (record.level === "error") t.diagnostic(JSON.stringify(record));
  };
  const client = await SidecarClient.start({ command, database, log, ...more, args });
  t.after(() => client.close());
  return client;
}
