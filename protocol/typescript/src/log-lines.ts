// The sidecar's stderr as log records: one JSON object a line, anything else kept as text.

import { StringDecoder } from "node:string_decoder";

/** One line of the sidecar's log. A line that is no JSON (a crash, say) has the event `raw`. */
export interface LogRecord {
  readonly level: string;
  readonly event: string;
  readonly [key: string]: unknown;
}

const LONGEST_LINE = 64 * 1024;
const TAIL = 8 * 1024;

export class LogLines {
  readonly #decoder = new StringDecoder("utf8");
  #pending = "";
  #tail = "";

  constructor(private readonly take: (record: LogRecord) => void) {}

  /** The end of what was said, for error messages. */
  get tail(): string {
    return this.#tail;
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    this.#tail = (this.#tail + text).slice(-TAIL);
    const lines = (this.#pending + text).split("\n");
    this.#pending = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) this.#line(line);
  }

  end(): void {
    const rest = this.#pending;
    this.#pending = "";
    this.#line(rest);
  }

  #line(line: string): void {
    if (line.trim() !== "") this.take(parsed(line));
  }
}

function parsed(line: string): LogRecord {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { level: "info", event: "unnamed", ...value };
    }
  } catch {
    // Not JSON: kept as text below.
  }
  return { level: "error", event: "raw", text: line };
}
