// One sidecar process and the JSON-RPC connection to it, from spawn to exit.
//
// Its end settles everything: no promise of a request outlives the process.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import {
  createMessageConnection,
  NullLogger,
  ParameterStructures,
  ProgressType,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationToken,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageConnection,
} from "vscode-jsonrpc/node";
import { scrubbedEnvironment, withVariables } from "./environment.js";
import { ConnectionLostError, RequestError, SidecarError, StartError, type Ending } from "./errors.js";
import { LogLines, type LogRecord } from "./log-lines.js";
import type { ProcessOptions } from "./process-options.js";
import type { Progress } from "./requester.js";

export interface Listeners {
  readonly log: (record: LogRecord) => void;
  readonly notification: (method: string, params: unknown) => void;
}

export interface SendOptions {
  readonly token?: CancellationToken;
  readonly progress?: { readonly token: string; readonly take: (progress: Progress) => void };
}

const DRAIN_MS = 1_000;
const TERM_MS = 1_000;
const QUIET_TURNS = 5;

export class SidecarProcess {
  /** Resolves once the process has ended and all its output was read; never rejects. */
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #connection: MessageConnection;
  readonly #lines: LogLines;
  readonly #reader: CountingReader;
  #ending: Ending | null = null;
  #closed = false;
  #handled = 0;

  private constructor(child: ChildProcessWithoutNullStreams, listeners: Listeners) {
    this.#child = child;
    this.#lines = new LogLines(listeners.log);
    // Undrained, a full pipe would stop the sidecar at its next log line.
    child.stderr.on("data", (chunk: Buffer) => this.#lines.push(chunk));
    child.stdin.on("error", () => {}); // The end of the process says why.
    const reader = new CountingReader(child.stdout);
    // What cannot be written fails its own request alone; what cannot be read ends the process.
    reader.onError((error) => this.#unreadable(error, listeners));
    const writer = new StreamMessageWriter(child.stdin);
    this.#connection = createMessageConnection(reader, writer, NullLogger, {
      messageStrategy: { handleMessage: (message, next) => this.#handle(message, next) },
    });
    this.#reader = reader;
    this.#connection.onNotification((method, params) => listeners.notification(method, params));
    this.#connection.onClose(() => {
      this.#closed = true;
      void this.#killUnlessGone(DRAIN_MS);
    });
    this.#connection.listen();
    this.ended = this.#watch();
  }

  /** Start the process; a command that cannot be started is a `StartError`. */
  static async spawn(options: ProcessOptions, listeners: Listeners): Promise<SidecarProcess> {
    try {
      const child = spawnChild(options);
      await once(child, "spawn");
      return new SidecarProcess(child, listeners);
    } catch (error) {
      const cause = error as NodeJS.ErrnoException;
      throw new StartError(`Cannot start ${options.command}: ${whyNot(options, cause)}`, null, { cause });
    }
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  async request(method: string, params: object | null, options: SendOptions = {}): Promise<unknown> {
    const progress = options.progress;
    const listening =
      progress &&
      this.#connection.onProgress(new ProgressType<Progress>(), progress.token, progress.take);
    try {
      return await this.#send(method, params, options.token);
    } catch (error) {
      throw await this.#translated(method, error);
    } finally {
      listening?.dispose();
    }
  }

  async notify(method: string, params: object): Promise<void> {
    await this.#connection.sendNotification(method, ParameterStructures.byName, params);
  }

  /** shutdown and exit; then, each time it is not gone in time, SIGTERM and SIGKILL. */
  async close(timeoutMs: number): Promise<Ending> {
    await Promise.race([this.#goodbye(), delay(timeoutMs, null, { ref: false }), this.ended]);
    this.#child.stdin.end();
    await this.#killUnlessGone(timeoutMs);
    return this.ended;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async #send(method: string, params: object | null, token?: CancellationToken): Promise<unknown> {
    if (this.#ending !== null) throw new ConnectionLostError(this.#ending);
    const rest = token === undefined ? [] : [token];
    if (params === null) return this.#connection.sendRequest(method, ...rest);
    return this.#connection.sendRequest(method, ParameterStructures.byName, params, ...rest);
  }

  async #translated(method: string, error: unknown): Promise<Error> {
    if (error instanceof ConnectionLostError) return error;
    if (error instanceof ResponseError && !CONNECTION_CODES.has(error.code)) {
      return new RequestError(method, error.code, error.message, error.data);
    }
    if (this.#ending === null && !this.#closed && this.#child.stdin.writable) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return new SidecarError(`${method} could not be sent: ${cause.message}`, { cause });
    }
    void this.#killUnlessGone(DRAIN_MS);
    return new ConnectionLostError(await this.ended);
  }

  async #goodbye(): Promise<void> {
    try {
      await this.#connection.sendRequest("shutdown");
      await this.#connection.sendNotification("exit");
    } catch {
      // It is gone or does not answer; what follows ends it.
    }
  }

  async #killUnlessGone(timeoutMs: number): Promise<void> {
    for (const [signal, wait] of [["SIGTERM", timeoutMs], ["SIGKILL", TERM_MS]] as const) {
      if ((await Promise.race([this.ended, delay(wait, null, { ref: false })])) !== null) return;
      this.#child.kill(signal);
    }
    await this.ended;
  }

  #handle(message: Message, next: (message: Message) => void): void {
    this.#handled += 1;
    next(message);
  }

  /** Let the last messages be handled: the connection reads and handles one in each turn. */
  async #drain(): Promise<void> {
    for (let quiet = 0, read = -1; quiet < QUIET_TURNS; quiet += 1) {
      if (this.#reader.count !== read || this.#handled < read) quiet = 0;
      read = this.#reader.count;
      await nextTurn();
    }
  }

  #unreadable(error: Error, listeners: Listeners): void {
    // A stream that lost its framing cannot be read on; the restart begins with a new one.
    listeners.log({ level: "error", event: "unreadable-stream", text: error.message });
    this.kill();
  }

  async #watch(): Promise<Ending> {
    const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      this.#child.once("exit", (code, by) => {
        const done = () => resolve([code, by]);
        this.#child.once("close", done);
        // A grandchild that inherited the pipe must not keep the requests waiting.
        setTimeout(done, DRAIN_MS).unref();
      });
    });
    this.#lines.end();
    await this.#drain();
    this.#ending = { exitCode, signal, stderrTail: this.#lines.tail };
    this.#connection.dispose();
    // Else whoever inherited them would keep the host from ending.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    return this.#ending;
  }
}

function spawnChild({ command, args = [], cwd, env }: ProcessOptions): ChildProcessWithoutNullStreams {
  return spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    env: withVariables(scrubbedEnvironment(), env),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Say why a process could not be spawned; the system's own word for most of it is ENOENT. */
function whyNot({ command, cwd }: ProcessOptions, cause: NodeJS.ErrnoException): string {
  if (cwd !== undefined && !existsSync(cwd)) return `its working folder ${cwd} is not there.`;
  if (cause.code === "EACCES") return "it is there, but it may not be run.";
  if (cause.code === "EINVAL" && BATCH.test(command)) return "a batch file needs a shell; name the program it starts.";
  if (cause.code !== "ENOENT") return cause.message;
  if (basename(command) === command) return "no program of this name is on the PATH.";
  if (!existsSync(command)) return "there is no such file.";
  return "it is there, but the interpreter that its first line names is not.";
}

const BATCH = /\.(bat|cmd)$/i;

/** A reader that tells how many messages it has read. */
class CountingReader extends StreamMessageReader {
  count = 0;

  override listen(callback: DataCallback): Disposable {
    return super.listen((message) => {
      this.count += 1;
      callback(message);
    });
  }
}

/** vscode-jsonrpc's own: MessageWriteError, MessageReadError, PendingResponseRejected, ConnectionInactive. */
const CONNECTION_CODES: ReadonlySet<number> = new Set([-32099, -32098, -32097, -32096]);
