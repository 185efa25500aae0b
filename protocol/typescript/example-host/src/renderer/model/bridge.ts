// The page's end of the bridge: Electron's preload gives it, or http stands in for it.

import type { Params, Requester, Result } from "@graph-sidecar/client/browser";
import type { Bridge, Channel, Channels, HostEvent, PageMethod, Reply } from "../../shared/bridge.js";

declare global {
  interface Window {
    readonly sidecar?: Bridge;
  }
}

export function bridge(): Bridge {
  return window.sidecar ?? { invoke: invokeOverHttp, onEvent: listenOverHttp };
}

/** An error of the main process or of the sidecar, with the code it came with. */
export class BridgeError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly code: string | null,
  ) {
    super(message);
  }
}

export async function ask<C extends Channel>(
  to: Bridge,
  channel: C,
  input: Channels[C]["in"],
): Promise<Channels[C]["out"]> {
  const reply = await to.invoke(channel, input);
  if (reply.ok) return reply.value;
  throw new BridgeError(reply.error.name, reply.error.message, reply.error.code);
}

/** The methods of the sidecar that the page may ask for, typed like the client's own. */
export function requesterOver(to: Bridge): Requester {
  return {
    async request(method, params) {
      const sent = { method: method as PageMethod, params: params as Params<PageMethod> };
      return (await ask(to, "request", sent)) as Result<typeof method>;
    },
  };
}

async function invokeOverHttp<C extends Channel>(
  channel: C,
  input: Channels[C]["in"],
): Promise<Reply<Channels[C]["out"]>> {
  const response = await fetch("/bridge", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ channel, input }),
  });
  if (!response.ok) throw new BridgeError("HttpError", `The host answered ${response.status}.`, null);
  return (await response.json()) as Reply<Channels[C]["out"]>;
}

function listenOverHttp(listener: (event: HostEvent) => void): () => void {
  const source = new EventSource("/events");
  source.onmessage = ({ data }) => listener(JSON.parse(data as string) as HostEvent);
  return () => source.close();
}
