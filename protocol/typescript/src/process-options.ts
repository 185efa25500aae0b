// How the sidecar is started.

export interface ProcessOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Added to the scrubbed environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}
