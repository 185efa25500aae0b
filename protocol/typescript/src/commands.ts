// Commands that are sent until an answer is had, and applied at most once.
//
// The same actionId and payload sent again answer `historical` where the first one landed.

import type { Requester, Result } from "./requester.js";
import { wait } from "./wait.js";
import type { CommitAnswer, CommitParams, Payload, Requests } from "./types.js";

/** Methods whose `actionId` makes a second sending harmless. */
export type CommandMethod = {
  [M in keyof Requests]: Requests[M]["params"] extends { readonly actionId: string } ? M : never;
}[keyof Requests];

export interface RetryOptions {
  /** How often the command is sent at most. */
  readonly attempts?: number;
  /** The delay before the second sending, doubled for each one after it, in milliseconds. */
  readonly delayMs?: number;
  readonly signal?: AbortSignal;
}

type WithoutActionId<P> = Omit<P, "actionId"> & { readonly actionId?: string };

/** Mint an id for a command, a node, a message … */
export function newId(): string {
  return globalThis.crypto.randomUUID();
}

/**
 * Send one command until it is answered for good.
 *
 * It is sent again, under the same actionId, when the answer was lost (the process died) and when
 * the answer says that the same command may succeed later (`reason.details.retryable`).
 * `conflict` and final rejections come back at once: what to do about them is the host's decision.
 */
export async function sendCommand<M extends CommandMethod>(
  client: Requester,
  method: M,
  params: WithoutActionId<Requests[M]["params"]>,
  options: RetryOptions = {},
): Promise<Result<M>> {
  const command = { ...params, actionId: params.actionId ?? newId() } as Requests[M]["params"];
  const attempts = options.attempts ?? 5;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= attempts;
    try {
      const answer = await client.request(method, command, signalOf(options));
      if (isLast || !mayLandLater(answer as CommitAnswer)) return answer;
    } catch (error) {
      if (isLast || !answerWasLost(error)) throw error;
    }
    await wait((options.delayMs ?? 250) * 2 ** (attempt - 1), options.signal);
  }
}

/** commitCommand through `sendCommand`, by the person unless said otherwise. */
export function commit(
  client: Requester,
  params: WithoutActionId<Omit<CommitParams, "actor" | "runId" | "payload">> & {
    readonly payload: Payload;
    readonly actor?: CommitParams["actor"];
    readonly runId?: string | null;
  },
  options: RetryOptions = {},
): Promise<CommitAnswer> {
  return sendCommand(client, "commitCommand", { actor: "manual", runId: null, ...params }, options);
}

function mayLandLater(answer: CommitAnswer): boolean {
  return answer.status === "rejected" && answer.reason?.details["retryable"] === true;
}

function answerWasLost(error: unknown): boolean {
  return error instanceof Error && error.name === "ConnectionLostError";
}

function signalOf({ signal }: RetryOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
