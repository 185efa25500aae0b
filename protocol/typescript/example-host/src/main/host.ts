// The app's main side: one sidecar, one project, one chat, one assistant.
//
// Everything a page says comes through `invoke`, which trusts nothing of it.

import {
  RequestError,
  SidecarClient,
  type ClientState,
  type Params,
  type SidecarOptions,
} from "@graph-sidecar/client";
import { CHANNELS, PAGE_METHODS, type Ask, type Boot, type Channel, type HostEvent, type PageMethod, type Reply, type SidecarState } from "../shared/bridge.js";
import { Assistant } from "./assistant.js";
import { ensureProject, ensureSession } from "./first-project.js";

const NOTIFICATIONS = [
  "projectChanged",
  "projectCreated",
  "projectDeleted",
  "runChanged",
  "draftChanged",
  "explanationsChanged",
  "sessionChanged",
] as const;

export interface HostOptions extends SidecarOptions {
  /** How long the scripted assistant takes for one thought, in milliseconds. */
  readonly assistantPaceMs: number;
}

export class Host {
  readonly #listeners = new Set<(event: HostEvent) => void>();
  readonly #assistant: Assistant;

  private constructor(
    private readonly client: SidecarClient,
    private readonly projectId: string,
    private readonly sessionId: string,
    paceMs: number,
  ) {
    this.#assistant = new Assistant(client, projectId, paceMs);
    for (const type of NOTIFICATIONS) {
      client.on(type, (params) => this.#emit({ type, params } as HostEvent));
    }
    client.onState((state) => {
      const told = toldState(state);
      if (told !== null) this.#emit({ type: "sidecar", params: told });
    });
  }

  static async start(options: HostOptions): Promise<Host> {
    const client = await SidecarClient.start(options);
    try {
      const projectId = await ensureProject(client);
      const sessionId = await ensureSession(client, projectId);
      return new Host(client, projectId, sessionId, options.assistantPaceMs);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  /** The sidecar's process, for those who watch over it. */
  get sidecarPid(): number | null {
    return this.client.pid;
  }

  onEvent(listener: (event: HostEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Answer the page. Never rejects: what went wrong is in the reply. */
  async invoke(channel: unknown, input: unknown): Promise<Reply<unknown>> {
    try {
      if (!CHANNELS.includes(channel as Channel)) throw new Refused("There is no such channel.");
      return { ok: true, value: (await this.#serve(channel as Channel, input)) ?? null };
    } catch (error) {
      return { ok: false, error: asReplyError(error) };
    }
  }

  async close(): Promise<void> {
    this.#assistant.stop();
    await this.client.close();
  }

  async #serve(channel: Channel, input: unknown): Promise<unknown> {
    switch (channel) {
      case "boot":
        return this.#boot();
      case "request":
        return this.#request(input);
      case "ask":
        return this.#assistant.ask(checkedAsk(input));
      case "continueRun":
        return this.#assistant.continueRun(text(input, "runId"));
    }
  }

  #boot(): Boot {
    const { projectId, sessionId } = this;
    const sidecar = toldState(this.client.state) ?? { name: "restarting", attempt: 1, message: "" };
    return { projectId, sessionId, sidecar };
  }

  #request(input: unknown): Promise<unknown> {
    const method = text(input, "method") as PageMethod;
    if (!PAGE_METHODS.includes(method)) throw new Refused(`The page may not ask for ${method}.`);
    const params = (input as { params?: unknown }).params;
    if (typeof params !== "object" || params === null) throw new Refused("params is no object.");
    // The page speaks for the person. Only the assistant's own code may say otherwise.
    const sent = method === "commitCommand" ? { ...params, actor: "manual", runId: null } : params;
    return this.client.request(method, sent as Params<PageMethod>);
  }

  #emit(event: HostEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

class Refused extends Error {
  override readonly name = "Refused";
}

function toldState(state: ClientState): SidecarState | null {
  switch (state.name) {
    case "ready":
      return { name: "ready", version: state.info.serverInfo.version, restarts: state.restarts };
    case "restarting":
      return { name: "restarting", attempt: state.attempt, message: state.cause.message };
    case "failed":
      return { name: "failed", message: state.error.message };
    default:
      return null;
  }
}

function checkedAsk(input: unknown): Ask {
  const replaces = (input as { replaces?: unknown } | null)?.replaces;
  const ask = { sessionId: text(input, "sessionId"), text: text(input, "text").trim() };
  if (ask.text === "" || ask.text.length > 20_000) throw new Refused("A prompt has 1 to 20,000 letters.");
  return replaces === undefined ? ask : { ...ask, replaces: text(input, "replaces") };
}

function text(input: unknown, key: string): string {
  const value = (input as Record<string, unknown> | null)?.[key];
  if (typeof value !== "string") throw new Refused(`${key} is no text.`);
  return value;
}

function asReplyError(error: unknown): { name: string; message: string; code: string | null } {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), code: null };
  const code = error instanceof RequestError ? (error.failure?.code ?? String(error.code)) : null;
  return { name: error.name, message: error.message, code };
}
