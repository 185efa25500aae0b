// Where the sidecar and the data are: command line, environment, or the usual places.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostOptions } from "./host.js";

/** `--data FOLDER`, `--port N`; GRAPH_SIDECAR_COMMAND (a JSON array), ASSISTANT_PACE_MS. */
export interface Settings {
  readonly host: HostOptions;
  readonly port: number;
}

export function settingsFrom(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  userData = join(homedir(), ".local", "share", "graph-sidecar-example"),
): Settings {
  const [command = "graph-sidecar", ...args] = sidecarCommand(environment);
  const data = resolve(option(argv, "--data") ?? userData);
  return {
    port: Number(option(argv, "--port") ?? 0),
    host: {
      command,
      args,
      database: join(data, "graph.db"),
      clientInfo: { name: "example-host", version: "0.1.0" },
      assistantPaceMs: Number(environment["ASSISTANT_PACE_MS"] ?? 700),
      log: (record) => {
        if (record.level !== "debug" && record.level !== "info") console.error(JSON.stringify(record));
      },
    },
  };
}

/** The command line that starts the sidecar: the one that is named, the checkout's, or the one on the path. */
export function sidecarCommand(environment: Readonly<Record<string, string | undefined>>): string[] {
  const given = environment["GRAPH_SIDECAR_COMMAND"];
  if (given !== undefined) return JSON.parse(given) as string[];
  const script = process.platform === "win32" ? "Scripts/graph-sidecar.exe" : "bin/graph-sidecar";
  const checkout = fileURLToPath(new URL(`../../../../../.venv/${script}`, import.meta.url));
  return [existsSync(checkout) ? checkout : "graph-sidecar"];
}

function option(argv: readonly string[], name: string): string | undefined {
  const at = argv.indexOf(name);
  return at < 0 ? undefined : argv[at + 1];
}
