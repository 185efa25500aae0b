// What a person can do, each as one command; what comes of it that is not good becomes a banner.

import {
  newId,
  sendCommand,
  type CommitAnswer,
  type ConversationCommand,
  type Payload,
  type Reason,
  type RestoreAnswer,
} from "@graph-sidecar/client/browser";
import { ask } from "./bridge.js";
import type { Store } from "./store.js";
import { wordsFor } from "./wording.js";

type Status = CommitAnswer["status"] | RestoreAnswer["status"];
type Landing = Omit<CommitAnswer, "status" | "changes" | "effects"> & { readonly status: Status };

/** Sends a command that stands on a version. */
type Send = (revisionId: string) => Promise<Landing>;

export class Actions {
  /** Own commands go one after the other: each stands on what the one before it made. */
  #last: Promise<unknown> = Promise.resolve();
  /** The versions that own commands made, by those they stand on; the page may not show them yet. */
  readonly #made = new Map<string, string>();

  constructor(private readonly store: Store) {}

  /** Commit a payload; `expected` is the version that the person looked at. */
  commit(payload: Payload, expected?: string): Promise<boolean> {
    const actionId = newId();
    const send = (revision: string) =>
      sendCommand(this.store.requester, "commitCommand", {
        projectId: this.store.projectId,
        actionId,
        expectedRevisionId: revision,
        actor: "manual",
        runId: null,
        payload,
        projection: "none",
      });
    return this.#land((current) => send(expected ?? current), wordsFor(payload), send);
  }

  async commitAll(payloads: readonly Payload[]): Promise<void> {
    for (const payload of payloads) {
      if (!(await this.commit(payload))) return;
    }
  }

  undo(): Promise<boolean> {
    return this.#step("undo");
  }

  redo(): Promise<boolean> {
    return this.#step("redo");
  }

  restore(revisionId: string): Promise<boolean> {
    return this.commit({ kind: "restore-revision", revisionId });
  }

  rename(title: string): Promise<boolean> {
    const actionId = newId();
    const send = (revision: string) =>
      sendCommand(this.store.requester, "renameProject", {
        projectId: this.store.projectId,
        actionId,
        expectedRevisionId: revision,
        title,
        projection: "none",
      });
    return this.#land(send, `Rename to “${title}”`);
  }

  pause(runId: string): Promise<boolean> {
    return this.#plain(() => this.store.requester.request("pauseRun", { runId }));
  }

  continueRun(runId: string): Promise<boolean> {
    return this.#plain(() => ask(this.store.bridge, "continueRun", { runId }));
  }

  cancel(runId: string): Promise<boolean> {
    return this.#plain(() => this.store.requester.request("cancelRun", { runId }));
  }

  prompt(text: string, replaces?: string): Promise<boolean> {
    const { sessionId } = this.store;
    const more = replaces === undefined ? {} : { replaces };
    return this.#plain(() => ask(this.store.bridge, "ask", { sessionId, text, ...more }));
  }

  async selectBranch(branchId: string): Promise<boolean> {
    const { activeBranchId } = this.store.getView().chat.session;
    if (activeBranchId === null || activeBranchId === branchId) return true;
    const command: ConversationCommand = {
      id: newId(),
      timestamp: Date.now(),
      kind: "select-branch",
      branchId,
      previousBranchId: activeBranchId,
    };
    return this.#plain(async () => {
      const answer = await this.store.requester.request("applySessionCommands", {
        sessionId: this.store.sessionId,
        commands: [command],
      });
      if (answer.reason !== null) this.#tell(answer.status, answer.reason, null, null);
    });
  }

  /** Take the graph and the chat back to where they were at a prompt. */
  restoreToMessage(messageId: string): Promise<boolean> {
    const { chat } = this.store.getView();
    const actionId = newId();
    const command: ConversationCommand = {
      id: newId(),
      timestamp: Date.now(),
      kind: "fork-message",
      branchId: newId(),
      parentBranchId: chat.branchId ?? "",
      messageId,
    };
    const send = (revision: string) =>
      sendCommand(this.store.requester, "restoreToMessage", {
        sessionId: this.store.sessionId,
        messageId,
        actionId,
        expectedRevisionId: revision,
        commands: [command],
        projection: "none",
      });
    return this.#land(send, "Go back to the prompt");
  }

  /** The version that is shown, or what own commands have made of it since. */
  #current(): string {
    let revisionId = this.store.getView().project.revisionId;
    for (let made: string | undefined; (made = this.#made.get(revisionId)) !== undefined; ) {
      revisionId = made;
    }
    return revisionId;
  }

  #step(method: "undo" | "redo"): Promise<boolean> {
    const actionId = newId();
    const send = (revision: string) =>
      sendCommand(this.store.requester, method, {
        projectId: this.store.projectId,
        actionId,
        expectedRevisionId: revision,
        projection: "none",
      });
    return this.#land(send, method === "undo" ? "Undo" : "Redo");
  }

  /** Send a command in its turn; `what` it does is for the person, `again` sends it once more. */
  #land(send: Send, what: string | null, again: Send = send): Promise<boolean> {
    const mine = this.#last.then(() => this.#landNow(send, what, again));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #landNow(send: Send, what: string | null, again: Send): Promise<boolean> {
    let done = false;
    await this.#plain(async () => {
      const current = this.#current();
      const answer = await send(current);
      const { status, changed, revisionId } = answer;
      if (status === "applied" && changed && revisionId !== null) this.#made.set(current, revisionId);
      if (answer.projection !== null) this.store.takeProjection(answer.projection);
      done = answer.reason === null;
      if (answer.reason === null) this.store.dismiss("storage");
      else await this.#refused(answer.status, answer.reason, what, () => this.#land(again, what));
    });
    return done;
  }

  async #refused(
    status: Status,
    reason: Reason,
    what: string | null,
    again: () => Promise<boolean>,
  ): Promise<void> {
    // Show how things stand before asking what to do about it.
    if (status === "conflict") await this.store.mirror.fetch();
    this.#tell(status, reason, what, again);
  }

  #tell(status: string, reason: Reason, what: string | null, again: (() => Promise<boolean>) | null): void {
    const storage = reason.code.startsWith("storage-");
    const id = storage ? "storage" : newId();
    const retry = again === null || !(storage || status === "conflict") ? [] : [
      {
        label: storage ? "Try again" : "Do it anyway",
        run: () => {
          this.store.dismiss(id);
          void again();
        },
      },
    ];
    this.store.notify({
      id,
      tone: storage ? "storage" : status === "conflict" ? "conflict" : "refused",
      title: storage ? ["Not saved", what].filter(Boolean).join(": ") : (TITLES[status] ?? "Not done"),
      message:
        reason.code === "revision-moved" && what !== null
          ? `“${what}” was meant for the graph as it was before, and is not done yet.`
          : reason.message,
      actions: [...retry, { label: "Dismiss", run: () => this.store.dismiss(id) }],
    });
  }

  async #plain(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const id = newId();
      this.store.notify({
        id,
        tone: "refused",
        title: "Not done",
        message: error instanceof Error ? error.message : String(error),
        actions: [{ label: "Dismiss", run: () => this.store.dismiss(id) }],
      });
      return false;
    }
  }
}

const TITLES: Readonly<Record<string, string>> = {
  conflict: "The graph has moved on",
  deferred: "The assistant is still at work",
  rejected: "Not possible",
};
