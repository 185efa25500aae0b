// What can go wrong, as classes and codes a host may branch on.

import type { RequestFailedCode, RequestFailedData } from "./types.js";
import { ErrorCodes } from "./types.js";

/** Every error that this package throws. */
export class SidecarError extends Error {
  override readonly name: string = "SidecarError";
}

/**
 * The sidecar answered with a JSON-RPC error.
 *
 * The message of a `-32803` is a sentence for the person; that of any other code is for whoever
 * reads the log: it names the method, and every fault of the params.
 */
export class RequestError extends SidecarError {
  override readonly name = "RequestError";

  constructor(
    readonly method: string,
    /** The JSON-RPC code, one of `ErrorCodes`. */
    readonly code: number,
    message: string,
    readonly data: unknown,
  ) {
    super(code === ErrorCodes.RequestFailed ? message : `${method}: ${message}${particulars(data)}`);
  }

  /** What a `-32803` answer says beside its sentence; null for every other code. */
  get failure(): RequestFailedData | null {
    const isFailure = this.code === ErrorCodes.RequestFailed && isObject(this.data);
    return isFailure ? (this.data as RequestFailedData) : null;
  }

  /** Tell whether the request failed with one of these codes. */
  failedWith(...codes: readonly RequestFailedCode[]): boolean {
    return this.failure !== null && codes.includes(this.failure.code);
  }

  get cancelled(): boolean {
    return this.code === ErrorCodes.Cancelled;
  }
}

/** How a process ended, and the last it said on stderr. */
export interface Ending {
  /** 0 clean, 1 protocol or host fault, 2 usage, 3 database refused, 70 internal; null by signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
}

/**
 * The process was gone before it answered. Whether the request was carried out is unknown:
 * a command may be sent again under the same actionId, which is applied at most once.
 */
export class ConnectionLostError extends SidecarError {
  override readonly name = "ConnectionLostError";

  constructor(
    readonly ending: Ending,
    message = `The sidecar process ended (${describeEnding(ending)}).`,
  ) {
    super(message);
  }
}

/** The process could not be started, or ended before it answered initialize. */
export class StartError extends SidecarError {
  override readonly name = "StartError";

  constructor(
    message: string,
    readonly ending: Ending | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The client was closed. */
export class ClosedError extends SidecarError {
  override readonly name = "ClosedError";

  constructor() {
    super("The sidecar client is closed.");
  }
}

export function describeEnding({ exitCode, signal, stderrTail }: Ending): string {
  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  const lastLine = stderrTail.trimEnd().split("\n").at(-1);
  return lastLine ? `${how}; it last said: ${lastLine.slice(0, 300)}` : how;
}

function particulars(data: unknown): string {
  if (!isObject(data)) return "";
  const issues = "issues" in data && Array.isArray(data.issues) ? data.issues.filter(isObject) : [];
  const shown = issues.map((issue) => {
    const { path, message } = issue as { path?: string; message?: string };
    return path ? `${path}: ${message}` : message;
  });
  return ` ${(shown.length > 0 ? shown.join("; ") : JSON.stringify(data)).slice(0, 600)}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
