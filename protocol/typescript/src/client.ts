// The client of a host: one sidecar that is spawned, spoken to, restarted and closed.
//
// While a restart is under way new requests wait for it; requests that were under way are rejected
// with ConnectionLostError, since only their caller knows whether to send them again.

import { setTimeout as delay } from "node:timers/promises";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { Emitter, type Unsubscribe } from "./emitter.js";
import {
  ClosedError,
  ConnectionLostError,
  RequestError,
  StartError,
  describeEnding,
  type Ending,
} from "./errors.js";
import type { LogRecord } from "./log-lines.js";
import { SidecarProcess } from "./process.js";
import type { ProcessOptions } from "./process-options.js";
import type { Method, Params, Requester, RequestOptions, Result } from "./requester.js";
import { backoffDelay, DEFAULT_RESTART, type RestartPolicy } from "./restart.js";
import {
  PROTOCOL_VERSION,
  type InitializeParams,
  type InitializeResult,
  type Notifications,
} from "./types.js";

export interface SidecarOptions extends ProcessOptions {
  /** Absolute path of the database file; beats the command line's `--database`. */
  readonly database?: string;
  readonly clientInfo?: { readonly name: string; readonly version?: string };
  /** Gets every line of the sidecar's log. */
  readonly log?: (record: LogRecord) => void;
  /** How to restart a process that died; `false`: the client fails instead. */
  readonly restart?: Partial<RestartPolicy> | false;
  /** How long each step of `close` may take, in milliseconds. */
  readonly closeTimeoutMs?: number;
}

/** What a client is doing. `ready` after a restart: fetch again what you show. */
export type ClientState =
  | { readonly name: "starting" }
  | { readonly name: "ready"; readonly info: InitializeResult; readonly restarts: number }
  | { readonly name: "restarting"; readonly attempt: number; readonly delayMs: number; readonly cause: Error }
  | { readonly name: "failed"; readonly error: Error }
  | { readonly name: "closed"; readonly ending: Ending | null };

export class SidecarClient implements Requester {
  readonly #options: SidecarOptions;
  readonly #policy: RestartPolicy | null;
  readonly #states = new Emitter<ClientState>();
  readonly #told = new Map<string, Emitter<unknown>>();
  readonly #abort = new AbortController();
  #state: ClientState = { name: "starting" };
  #process: SidecarProcess | null = null;
  #spawning: Promise<SidecarProcess> | null = null;
  #closing: Promise<Ending | null> | null = null;
  #progressTokens = 0;

  private constructor(options: SidecarOptions) {
    this.#options = options;
    this.#policy = options.restart === false ? null : { ...DEFAULT_RESTART, ...options.restart };
  }

  /**
   * Start the sidecar and open the database.
   *
   * A command that cannot be run or a process that ends early is a `StartError`; a database that is
   * refused is a `RequestError` with its code (`storage-newer`, `storage-foreign` …).
   */
  static async start(options: SidecarOptions): Promise<SidecarClient> {
    const client = new SidecarClient(options);
    await client.#launch(0);
    return client;
  }

  get state(): ClientState {
    return this.#state;
  }

  /** What initialize answered; throws while the sidecar is not ready. */
  get info(): InitializeResult {
    if (this.#state.name !== "ready") throw new Error(`The sidecar is ${this.#state.name}.`);
    return this.#state.info;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  async request<M extends Method>(
    method: M,
    params: Params<M>,
    options: RequestOptions = {},
  ): Promise<Result<M>> {
    // Without a pause where it is ready, so that requests are sent in the order of the calls.
    const process = this.#readyNow() ?? (await this.#ready(options.signal));
    return (await this.#cancellable(process, method, params, options)) as Result<M>;
  }

  /** Listen to a notification, across restarts, until the returned function is called. */
  on<N extends keyof Notifications>(name: N, listener: (params: Notifications[N]) => void): Unsubscribe {
    const emitter = this.#told.get(name) ?? new Emitter<unknown>();
    this.#told.set(name, emitter);
    return emitter.on(listener as (params: unknown) => void);
  }

  /** Listen to what the client is doing. */
  onState(listener: (state: ClientState) => void): Unsubscribe {
    return this.#states.on(listener);
  }

  /** Resolve once requests are served; reject where they will never be again. */
  async ready(): Promise<InitializeResult> {
    await this.#ready();
    return this.info;
  }

  /** End the sidecar: shutdown, exit, and force where it does not listen. Safe to call again. */
  close(): Promise<Ending | null> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<Ending | null> {
    this.#abort.abort();
    // A process that is just being started would stay behind.
    await this.#spawning?.catch(() => {});
    const process = this.#process;
    const ending = process === null ? null : await process.close(this.#options.closeTimeoutMs ?? 5_000);
    this.#become({ name: "closed", ending });
    return ending;
  }

  async #launch(restarts: number): Promise<void> {
    this.#spawning = this.#spawn();
    const process = await this.#spawning;
    const info = await initialized(process, this.#options);
    if (this.#closing !== null) return;
    this.#become({ name: "ready", info, restarts });
    const since = Date.now();
    void process.ended.then((ending) => this.#onEnd(ending, restarts, since));
  }

  async #spawn(): Promise<SidecarProcess> {
    this.#process = await SidecarProcess.spawn(this.#options, {
      log: this.#options.log ?? (() => {}),
      notification: (method, params) => this.#told.get(method)?.emit(params),
    });
    return this.#process;
  }

  #onEnd(ending: Ending, restarts: number, since: number): void {
    if (this.#closing !== null) return;
    this.#process = null;
    const livedMs = Date.now() - since;
    const attempt = livedMs >= (this.#policy?.healthyAfterMs ?? 0) ? 1 : restarts + 1;
    void this.#restart(new ConnectionLostError(ending), attempt);
  }

  async #restart(cause: Error, first: number): Promise<void> {
    for (let attempt = first, error = cause; ; attempt += 1) {
      if (this.#policy === null || attempt > this.#policy.attempts || !worthARetry(error)) {
        return this.#become({ name: "failed", error });
      }
      const delayMs = backoffDelay(this.#policy, attempt);
      this.#become({ name: "restarting", attempt, delayMs, cause: error });
      try {
        await delay(delayMs, null, { signal: this.#abort.signal });
        return await this.#launch(attempt);
      } catch (failure) {
        if (this.#closing !== null) return;
        error = failure instanceof Error ? failure : new Error(String(failure));
      }
    }
  }

  #become(state: ClientState): void {
    this.#state = state;
    this.#states.emit(state);
  }

  async #ready(signal?: AbortSignal): Promise<SidecarProcess> {
    for (;;) {
      const process = this.#readyNow();
      if (process !== null) return process;
      await this.#nextState(signal);
    }
  }

  #readyNow(): SidecarProcess | null {
    const state = this.#state;
    if (this.#closing !== null || state.name === "closed") throw new ClosedError();
    if (state.name === "failed") throw state.error;
    return state.name === "ready" ? this.#process : null;
  }

  async #nextState(signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = deferred();
    const unsubscribe = this.#states.on(() => resolve());
    const onAbort = () => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#abort.signal.addEventListener("abort", resolve, { once: true });
    try {
      await promise;
    } finally {
      unsubscribe();
      signal?.removeEventListener("abort", onAbort);
      this.#abort.signal.removeEventListener("abort", resolve);
    }
  }

  async #cancellable(
    process: SidecarProcess,
    method: Method,
    params: object,
    { signal, onProgress }: RequestOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const source = new CancellationTokenSource();
    const onAbort = () => source.cancel();
    signal?.addEventListener("abort", onAbort, { once: true });
    const progress = onProgress && { token: `progress-${(this.#progressTokens += 1)}`, take: onProgress };
    const sent = progress ? { ...params, workDoneToken: progress.token } : params;
    try {
      return await process.request(method, sent, { token: source.token, ...(progress && { progress }) });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      source.dispose();
    }
  }
}

async function initialized(process: SidecarProcess, options: SidecarOptions): Promise<InitializeResult> {
  const params: InitializeParams = {
    processId: globalThis.process.pid,
    clientInfo: options.clientInfo ?? { name: "@graph-sidecar/client" },
    capabilities: {},
    initializationOptions: {
      protocolVersion: PROTOCOL_VERSION,
      ...(options.database === undefined ? {} : { database: options.database }),
    },
  };
  try {
    const info = (await process.request("initialize", params)) as InitializeResult;
    await process.notify("initialized", {});
    return info;
  } catch (error) {
    const ending = await process.close(options.closeTimeoutMs ?? 5_000);
    if (error instanceof RequestError) throw named(error, options);
    if (!(error instanceof ConnectionLostError)) throw error;
    const how = describeEnding(ending);
    throw new StartError(`${options.command} ended before it was ready (${how}).`, ending, { cause: error });
  }
}

/** Name the file that was refused: the sidecar tells no paths. */
function named(error: RequestError, { database }: SidecarOptions): RequestError {
  if (database === undefined || error.failure === null) return error;
  return new RequestError(error.method, error.code, `${error.message} (${database})`, error.data);
}

/** A refused database or a bad command line stays refused, however often it is tried. */
function worthARetry(error: Error): boolean {
  if (error instanceof RequestError) return error.failure?.retryable ?? false;
  const ending = error instanceof ConnectionLostError || error instanceof StartError ? error.ending : null;
  return ending?.exitCode !== 2 && ending?.exitCode !== 3;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (reason: unknown) => void } {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
