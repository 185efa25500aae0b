// A scripted assistant: no model, but all the duties of one.
//
// It opens a run, writes its words and tool calls into the chat, commits as `ai`, stands still while
// its run is paused, and always settles the chat and closes the run.

import {
  newId,
  sendCommand,
  type CommitAnswer,
  type ConversationCommand,
  type Graph,
  type Payload,
  type Run,
  type SidecarClient,
  type SessionPage,
} from "@graph-sidecar/client";
import { setTimeout as delay } from "node:timers/promises";
import type { Ask } from "../shared/bridge.js";
import { scriptFor, type ScriptStep } from "./script.js";

const STEPS_BEFORE_A_CHECKPOINT = 3;

export class Assistant {
  readonly #stopped = new AbortController();
  #working = false;

  constructor(
    private readonly client: SidecarClient,
    private readonly projectId: string,
    private readonly paceMs: number,
  ) {}

  /** Put the prompt into the chat and begin to work on it; resolves once the work has begun. */
  async ask(ask: Ask): Promise<void> {
    if (this.#working) throw new Error("The assistant is still at work. Pause or stop it first.");
    this.#working = true;
    try {
      const work = await this.#begin(ask);
      void this.#carryOut(work).finally(() => (this.#working = false));
    } catch (error) {
      this.#working = false;
      throw error;
    }
  }

  async continueRun(runId: string): Promise<void> {
    await this.client.request("resumeRun", { runId });
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #begin(ask: Ask): Promise<Work> {
    const page = await activePage(this.client, ask.sessionId);
    const promptMessageId = newId();
    const run = await this.client.request("startRun", {
      projectId: this.projectId,
      stepLimit: STEPS_BEFORE_A_CHECKPOINT,
      sessionId: ask.sessionId,
      promptMessageId,
    });
    const startedAt = Date.now();
    const commands = conversation(ask, page, promptMessageId, startedAt, run.runId);
    const answer = await this.client.request("applySessionCommands", {
      sessionId: ask.sessionId,
      commands,
    });
    if (answer.status !== "applied") {
      await this.client.request("cancelRun", { runId: run.runId });
      throw new Error(answer.reason?.message ?? "The prompt was not taken.");
    }
    return new Work(this.client, ask, run, promptMessageId, startedAt, this.paceMs, this.#stopped.signal);
  }

  async #carryOut(work: Work): Promise<void> {
    try {
      await work.run();
    } catch (error) {
      if (!this.#stopped.signal.aborted) await work.giveUp(error).catch(() => {});
    }
  }
}

/** One prompt and the run that answers it. */
class Work {
  readonly #messageId = newId();
  #seq = 0;

  constructor(
    private readonly client: SidecarClient,
    private readonly ask: Ask,
    private readonly graphRun: Run,
    private readonly promptMessageId: string,
    private readonly startedAt: number,
    private readonly paceMs: number,
    private readonly stopped: AbortSignal,
  ) {}

  async run(): Promise<void> {
    await this.#record({ messages: [{ id: this.#messageId, role: "agent", content: "" }], admitted: true });
    const { graph } = await this.client.request("getProject", { projectId: this.graphRun.projectId });
    const script = scriptFor(this.ask.text, graph ?? EMPTY);
    await this.#say(script.opening);
    for (const step of script.steps) {
      if (!(await this.#step(step))) return this.#settle("cancelled");
    }
    await this.#say(`\n\n${script.closing}`);
    await this.client.request("closeRun", { runId: this.graphRun.runId });
    await this.#settle("completed");
  }

  async giveUp(error: unknown): Promise<void> {
    await this.client.request("cancelRun", { runId: this.graphRun.runId });
    await this.#settle("error", error instanceof Error ? error.message : String(error));
  }

  /** Say and do one thing; false where the run was ended meanwhile. */
  async #step(step: ScriptStep): Promise<boolean> {
    await this.#say(`\n\n${step.saying}`);
    const activity = { id: newId(), kind: "tool", title: step.title, sortIndex: this.#seq } as const;
    await this.#record({ activities: [{ ...activity, status: "in_progress" }] });
    for (const payload of step.payloads) {
      if (!(await this.#commit(payload))) return false;
    }
    await this.#record({ activities: [{ ...activity, status: "completed" }] });
    return true;
  }

  async #commit(payload: Payload): Promise<boolean> {
    const actionId = newId();
    for (;;) {
      await delay(this.paceMs, null, { signal: this.stopped });
      const run = await this.#whileRunning();
      if (run === null) return false;
      const answer = await sendCommand(this.client, "commitCommand", {
        projectId: run.projectId,
        actionId,
        expectedRevisionId: run.expectedRevisionId,
        actor: "ai",
        runId: run.runId,
        payload,
        projection: "none",
      });
      if (landed(answer)) return true;
      // A conflict is the person's hand between two steps: look again and go on from there.
      if (answer.status === "rejected") throw new Error(answer.reason?.message);
    }
  }

  /** Wait while the run is paused; null once it has ended. */
  async #whileRunning(): Promise<Run | null> {
    for (;;) {
      this.stopped.throwIfAborted();
      const { happened, forget } = this.#nextChange();
      try {
        const run = await this.client.request("getRun", { runId: this.graphRun.runId });
        if (run.status === "running") return run;
        if (run.status !== "paused") return null;
        await happened;
      } finally {
        forget();
      }
    }
  }

  /** The run's next change, or the end of the work. Never rejects: it may be forgotten unseen. */
  #nextChange(): { happened: Promise<void>; forget: () => void } {
    let wake = () => {};
    const happened = new Promise<void>((resolve) => (wake = resolve));
    const unsubscribe = this.client.on("runChanged", ({ run }) => {
      if (run.runId === this.graphRun.runId) wake();
    });
    this.stopped.addEventListener("abort", wake);
    const forget = () => {
      unsubscribe();
      this.stopped.removeEventListener("abort", wake);
    };
    return { happened, forget };
  }

  async #say(text: string): Promise<void> {
    for (const words of text.match(/(\S+\s*){1,4}|\s+/g) ?? []) {
      await this.#record({ appendText: [{ messageId: this.#messageId, text: words }] });
      await delay(this.paceMs / 12, null, { signal: this.stopped });
    }
  }

  async #record(events: object): Promise<void> {
    this.#seq += 1;
    await this.client.request("recordSessionEvents", { ...this.#place(), eventSeq: this.#seq, ...events });
  }

  async #settle(outcome: "completed" | "cancelled" | "error", error?: string): Promise<void> {
    const why = error === undefined ? {} : { error };
    await this.client.request("settleSessionRun", { ...this.#place(), outcome, ...why });
  }

  #place(): { sessionId: string; promptMessageId: string; startedAt: number } {
    const { promptMessageId, startedAt } = this;
    return { sessionId: this.ask.sessionId, promptMessageId, startedAt };
  }
}

const EMPTY: Graph = { nodes: [], edges: [], groups: [], subgraphs: [] };

function landed(answer: CommitAnswer): boolean {
  return answer.status === "applied" || answer.status === "historical";
}

async function activePage(client: SidecarClient, sessionId: string): Promise<SessionPage> {
  const answer = await client.request("getSession", { sessionId, view: "active" });
  if (!("nodes" in answer)) throw new Error("getSession gave another view.");
  return answer;
}

/** The commands of a prompt: on the branch in view, or on a new one that replaces an older prompt. */
function conversation(
  ask: Ask,
  page: SessionPage,
  promptMessageId: string,
  startedAt: number,
  graphRunId: string,
): ConversationCommand[] {
  const stamp = () => ({ id: newId(), timestamp: startedAt });
  const message = {
    id: promptMessageId,
    role: "user" as const,
    content: ask.text,
    status: "complete" as const,
    createdAt: startedAt,
    updatedAt: startedAt,
  };
  const start: ConversationCommand = {
    ...stamp(),
    kind: "start-run",
    run: { promptMessageId, startedAt },
    graphRunId,
  };
  const parentBranchId = page.branchId ?? "";
  if (ask.replaces === undefined) {
    return [appendUser(stamp(), parentBranchId, page.session.headMessageId, message), start];
  }
  const replaced = page.nodes.find((node) => node.messageId === ask.replaces);
  if (replaced === undefined) throw new Error("The prompt to replace is not in view.");
  const branchId = newId();
  return [
    { ...stamp(), kind: "fork-message", branchId, parentBranchId, messageId: replaced.messageId },
    appendUser(stamp(), branchId, replaced.parentMessageId, message),
    start,
  ];
}

function appendUser(
  stamp: { id: string; timestamp: number },
  branchId: string,
  parentMessageId: string | null,
  message: Extract<ConversationCommand, { kind: "append-user" }>["message"],
): ConversationCommand {
  const parent = parentMessageId === null ? {} : { parentMessageId };
  return { ...stamp, kind: "append-user", branchId, ...parent, message };
}
