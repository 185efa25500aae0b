// The narrow bridge between the page and the main process: what may pass, and in which form.
//
// The page asks and is told; it has no process, no file and no network of its own.

import type { Notifications, Requests } from "@graph-sidecar/client/browser";

/**
 * Methods the page may ask for. Whatever names a file, deletes, or acts for the assistant stays with
 * the main process.
 */
export const PAGE_METHODS = [
  "applySessionCommands",
  "cancelRun",
  "commitCommand",
  "diffRevisions",
  "getConversationTree",
  "getProject",
  "getSession",
  "getStatus",
  "listRevisions",
  "pauseRun",
  "redo",
  "renameProject",
  "restoreToMessage",
  "undo",
] as const satisfies readonly (keyof Requests)[];

export type PageMethod = (typeof PAGE_METHODS)[number];

export interface Ask {
  readonly sessionId: string;
  readonly text: string;
  /** The prompt that this one replaces, on a new branch. */
  readonly replaces?: string;
}

/** What the page may say, by channel. */
export interface Channels {
  readonly boot: { readonly in: null; readonly out: Boot };
  readonly request: { readonly in: PageRequest; readonly out: unknown };
  readonly ask: { readonly in: Ask; readonly out: null };
  readonly continueRun: { readonly in: { readonly runId: string }; readonly out: null };
}

export type Channel = keyof Channels;
export const CHANNELS = ["boot", "request", "ask", "continueRun"] as const satisfies readonly Channel[];

export interface PageRequest {
  readonly method: PageMethod;
  readonly params: object;
}

export interface Boot {
  readonly projectId: string;
  readonly sessionId: string;
  readonly sidecar: SidecarState;
}

export type SidecarState =
  | { readonly name: "ready"; readonly version: string; readonly restarts: number }
  | { readonly name: "restarting"; readonly attempt: number; readonly message: string }
  | { readonly name: "failed"; readonly message: string };

/** What the page is told. */
export type HostEvent =
  | {
      [N in keyof Notifications]: { readonly type: N; readonly params: Notifications[N] };
    }[keyof Notifications]
  | { readonly type: "sidecar"; readonly params: SidecarState };

/** An answer that keeps its error's code on the way: thrown errors lose it in Electron's IPC. */
export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ReplyError };

export interface ReplyError {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
}

/** What the preload script gives the page as `window.sidecar`. */
export interface Bridge {
  invoke<C extends Channel>(channel: C, input: Channels[C]["in"]): Promise<Reply<Channels[C]["out"]>>;
  onEvent(listener: (event: HostEvent) => void): () => void;
}
