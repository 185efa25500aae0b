// `npm start`: in Electron where it is installed, else in Node for a browser; the same files.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const [command, ...args] = electronCommand() ?? [process.execPath, `${here}build/main/browser.js`];
const environment = { ...process.env };
// A shell that came out of Electron has this set, and Electron would start as Node.
delete environment.ELECTRON_RUN_AS_NODE;

const child = spawn(command, [...args, ...process.argv.slice(2)], { stdio: "inherit", env: environment });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code) => process.exit(code ?? 1));

function electronCommand() {
  try {
    return [createRequire(import.meta.url)("electron"), here];
  } catch {
    return null;
  }
}
