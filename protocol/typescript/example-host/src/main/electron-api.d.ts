// The part of Electron's API that this app uses, so that it type-checks where Electron is not installed.

interface Event {
  preventDefault(): void;
}

export const app: {
  enableSandbox(): void;
  whenReady(): Promise<void>;
  getPath(name: "userData"): string;
  exit(code: number): void;
  quit(): void;
  on(event: "window-all-closed", listener: () => void): void;
  on(event: "will-quit", listener: (event: Event) => void): void;
};

export const dialog: { showErrorBox(title: string, content: string): void };

export const net: { fetch(url: string): Promise<Response> };

export const protocol: {
  registerSchemesAsPrivileged(
    schemes: { scheme: string; privileges: Record<string, boolean> }[],
  ): void;
  handle(scheme: string, handler: (request: Request) => Promise<Response>): void;
};

export const session: {
  defaultSession: {
    setPermissionRequestHandler(
      handler: (contents: unknown, permission: string, decide: (allowed: boolean) => void) => void,
    ): void;
  };
};

export const ipcMain: {
  handle(
    channel: string,
    listener: (
      event: { readonly senderFrame: { readonly origin: string } | null },
      ...args: unknown[]
    ) => unknown,
  ): void;
};

export class BrowserWindow {
  constructor(options: {
    width: number;
    height: number;
    backgroundColor: string;
    webPreferences: {
      preload: string;
      contextIsolation: boolean;
      sandbox: boolean;
      nodeIntegration: boolean;
    };
  });
  readonly webContents: {
    setWindowOpenHandler(handler: () => { action: "deny" }): void;
    on(event: "will-navigate", listener: (event: Event) => void): void;
    send(channel: string, ...args: unknown[]): void;
  };
  isDestroyed(): boolean;
  loadURL(url: string): Promise<void>;
}

export const contextBridge: { exposeInMainWorld(name: string, api: unknown): void };

export const ipcRenderer: {
  invoke(channel: string, ...args: unknown[]): Promise<unknown>;
  on(channel: string, listener: (event: unknown, ...args: never[]) => void): void;
  removeListener(channel: string, listener: (event: unknown, ...args: never[]) => void): void;
};
