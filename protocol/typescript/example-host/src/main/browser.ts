// The main process without Electron: Node serves the page to a browser on this machine.

import { Host } from "./host.js";
import { serveOverHttp } from "./http-shell.js";
import { settingsFrom } from "./settings.js";

const settings = settingsFrom(process.argv.slice(2), process.env);
const host = await Host.start(settings.host).catch((error: Error): never => {
  console.error(`The graph cannot be opened: ${error.message}`);
  process.exit(1);
});
const shell = await serveOverHttp(host, settings.port);
console.log(`The example host is at ${shell.url}`);

let ending = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    void Promise.all([shell.close(), host.close()]).then(() => process.exit(0));
  });
}
