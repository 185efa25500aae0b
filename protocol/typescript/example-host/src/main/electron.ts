// The main process in Electron: one window, sandboxed, with the narrow bridge and nothing else.

import { app, BrowserWindow, dialog, ipcMain, net, protocol, session } from "electron";
import { join, normalize } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Host } from "./host.js";
import { settingsFrom } from "./settings.js";

const PAGE = fileURLToPath(new URL("../page/", import.meta.url));
const PRELOAD = fileURLToPath(new URL("../preload/preload.cjs", import.meta.url));
const ORIGIN = "app://host";

protocol.registerSchemesAsPrivileged([
  { scheme: "app", privileges: { standard: true, secure: true, supportFetchAPI: true } },
]);
app.enableSandbox();
// Electron is ready only once this module has been evaluated: awaiting that here would never end.
app
  .whenReady()
  .then(open)
  .catch((error: unknown) => {
    dialog.showErrorBox("The graph cannot be opened", error instanceof Error ? error.message : String(error));
    app.exit(1);
  });

async function open(): Promise<void> {
  const host = await Host.start(settingsFrom(process.argv, process.env, app.getPath("userData")).host);
  protocol.handle("app", (request) => net.fetch(pathToFileURL(fileFor(request.url)).href));
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  ipcMain.handle("bridge", (event, channel: unknown, input: unknown) => {
    if (event.senderFrame?.origin !== ORIGIN) throw new Error("Only the app's own page may ask.");
    return host.invoke(channel, input);
  });
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    backgroundColor: "#0f1218",
    webPreferences: { preload: PRELOAD, contextIsolation: true, sandbox: true, nodeIntegration: false },
  });
  window.webContents.setWindowOpenHandler(() => ({ action: "deny" }));
  window.webContents.on("will-navigate", (event) => event.preventDefault());
  host.onEvent((event) => {
    if (!window.isDestroyed()) window.webContents.send("host-event", event);
  });
  quitAfterClosing(host);
  await window.loadURL(`${ORIGIN}/index.html`);
}

/** Let the sidecar finish before the app is gone. */
function quitAfterClosing(host: Host): void {
  let closed = false;
  app.on("window-all-closed", () => app.quit());
  app.on("will-quit", (event) => {
    if (closed) return;
    event.preventDefault();
    void host.close().finally(() => {
      closed = true;
      app.quit();
    });
  });
}

function fileFor(url: string): string {
  const file = join(PAGE, normalize(decodeURIComponent(new URL(url).pathname)));
  if (!file.startsWith(PAGE)) throw new Error("Outside the page's folder.");
  return file;
}
