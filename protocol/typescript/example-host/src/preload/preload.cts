// All that the page gets of Electron: two functions and a list of channels.
//
// A sandboxed preload script can load no module but Electron's own, so the list stands here again;
// a test compares it with the bridge's.

import electron = require("electron");

const CHANNELS = new Set(["boot", "request", "ask", "continueRun"]);

electron.contextBridge.exposeInMainWorld("sidecar", {
  invoke(channel: string, input: unknown): Promise<unknown> {
    if (!CHANNELS.has(channel)) return Promise.reject(new Error("There is no such channel."));
    return electron.ipcRenderer.invoke("bridge", channel, input);
  },
  onEvent(listener: (event: unknown) => void): () => void {
    // The page must not get Electron's own event: it holds the sender.
    const own = (_event: unknown, event: unknown) => listener(event);
    electron.ipcRenderer.on("host-event", own);
    return () => electron.ipcRenderer.removeListener("host-event", own);
  },
});
