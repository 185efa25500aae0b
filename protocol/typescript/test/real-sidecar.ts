// How the tests start the sidecar of this repository.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { SidecarClient, type LogRecord, type SidecarOptions } from "../src/index.js";

/** A command line as JSON, `["python", "-m", "sidecar"]` say. */
const COMMAND = JSON.parse(process.env["GRAPH_SIDECAR_COMMAND"] ?? '["graph-sidecar"]') as string[];

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "graph-sidecar-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

export async function startSidecar(
  t: TestContext,
  database: string,
  more: Partial<SidecarOptions> = {},
): Promise<SidecarClient> {
  const [command = "graph-sidecar", ...args] = COMMAND;
  const log = (record: LogRecord) => {
    if (record.level === "error") t.diagnostic(JSON.stringify(record));
  };
  const client = await SidecarClient.start({ command, args, database, log, ...more });
  t.after(() => client.close());
  return client;
}
