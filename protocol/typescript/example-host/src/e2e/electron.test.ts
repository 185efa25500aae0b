// What of the Electron form can be held without Electron.

import { register } from "node:module";
import { test } from "node:test";

/** Stands where Electron would: it is ready once the app's main module has been evaluated. */
const ELECTRON = `
  const nothing = () => {};
  export const app = { enableSandbox: nothing, whenReady: () => new Promise(nothing) };
  export const protocol = { registerSchemesAsPrivileged: nothing };
  export const BrowserWindow = null, dialog = null, ipcMain = null, net = null, session = null;
`;
const HOOKS = `
  export const resolve = (name, context, next) =>
    name === "electron" ? { url: "stand-in:electron", shortCircuit: true } : next(name, context);
  export const load = (url, context, next) =>
    url === "stand-in:electron"
      ? { format: "module", source: ${JSON.stringify(ELECTRON)}, shortCircuit: true }
      : next(url, context);
`;

test("the main module does not wait for Electron, which waits for it", { timeout: 30_000 }, async () => {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

  await import(new URL("../main/electron.js", import.meta.url).href);
});
