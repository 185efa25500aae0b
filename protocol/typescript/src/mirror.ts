// A host's live copy of one project: fetched once, then moved along by notifications and answers.
//
// What does not follow on what is held, or carries no changes, makes it fetch.

import { applyChanges } from "./apply-changes.js";
import { sendCommand, type RetryOptions } from "./commands.js";
import { Emitter, type Unsubscribe } from "./emitter.js";
import type { Requester } from "./requester.js";
import type {
  CommitAnswer,
  CommitParams,
  Payload,
  ProjectChanged,
  Projection,
  Requests,
  RevisionState,
} from "./types.js";

/** A project as it is shown: what one version is, and which version. */
export interface MirrorState extends RevisionState {
  readonly revisionId: string;
}

/** What a mirror can follow: a `SidecarClient`, or a page's bridge to one. */
export interface Followed extends Requester {
  on(name: "projectChanged", listener: (change: ProjectChanged) => void): Unsubscribe;
  onState(listener: (state: { readonly name: string }) => void): Unsubscribe;
}

/** Methods that change a project and answer with a status. */
export type ProjectCommand = "commitCommand" | "undo" | "redo" | "renameProject" | "applyDraft";

/** The params that the mirror knows, left out or given all the same. */
type KnownParam = "projectId" | "actionId" | "expectedRevisionId" | "projection";
export type CommandParams<M extends ProjectCommand> = Omit<Requests[M]["params"], KnownParam> & {
  readonly actionId?: string;
  /** The version that the person looked at; else the one that is held when the command is sent. */
  readonly expectedRevisionId?: string;
};

export type CommitOptions = RetryOptions & Partial<Omit<CommandParams<"commitCommand">, "payload">>;

export class ProjectMirror {
  readonly #changed = new Emitter<MirrorState>();
  readonly #subscriptions: Unsubscribe[] = [];
  /** Versions that an answer brought, whose notification is still to come. */
  readonly #answered = new Set<string>();
  #state: MirrorState | null = null;
  #fetching: Promise<MirrorState> | null = null;
  #stale = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Requester,
    readonly projectId: string,
  ) {}

  /**
   * Fetch a project and follow it, over restarts of the sidecar too, until `close`.
   *
   * A fetch that fails later is made up for at the next notification or restart; `onState` of the
   * client tells of a sidecar that is gone, `projectDeleted` of a project that is.
   */
  static async open(client: Followed, projectId: string): Promise<ProjectMirror> {
    const mirror = new ProjectMirror(client, projectId);
    const quietly = (work: Promise<unknown>) => void work.catch(() => {});
    mirror.#subscriptions.push(
      client.on("projectChanged", (change) => quietly(mirror.take(change))),
      client.onState(({ name }) => name === "ready" && quietly(mirror.fetch())),
    );
    try {
      await mirror.fetch();
    } catch (error) {
      mirror.close();
      throw error;
    }
    return mirror;
  }

  /** Follow no longer. */
  close(): void {
    for (const unsubscribe of this.#subscriptions.splice(0)) unsubscribe();
  }

  /** The copy; null until the first `fetch` is done. */
  get state(): MirrorState | null {
    return this.#state;
  }

  on(listener: (state: MirrorState) => void): Unsubscribe {
    return this.#changed.on(listener);
  }

  /** Fetch the whole project; without `open`, at the start and after every restart of the sidecar. */
  fetch(): Promise<MirrorState> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  /** Commit a payload through `send`, by the person unless said otherwise. */
  commit(payload: Payload, options: CommitOptions = {}): Promise<CommitAnswer> {
    const { attempts, delayMs, signal, ...more } = options;
    const retry = defined({ attempts, delayMs, signal });
    return this.send("commitCommand", { actor: "manual", runId: null, ...more, payload }, retry);
  }

  /**
   * Send a command for the version that is held, and show what came of it before the answer is
   * given. An answer alone comes before its notification: who sends the next command at once and
   * has only the notification would expect the version before. Commands go one after the other.
   */
  send<M extends ProjectCommand>(
    method: M,
    params: CommandParams<M>,
    options: RetryOptions = {},
  ): Promise<CommitAnswer> {
    const mine = this.#last.then(() => this.#send(method, params, options));
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** Take a `projectChanged` notification. */
  async take(change: ProjectChanged): Promise<void> {
    if (change.projectId !== this.projectId) return;
    if (this.#answered.delete(change.revisionId)) return;
    await this.#follow(change.fromRevisionId, change.revisionId, change.changes);
  }

  /** Take the answer to a command that expected this version. */
  async takeAnswer(answer: CommitAnswer, expectedRevisionId: string): Promise<void> {
    const { projection, changes } = answer;
    if (projection === null || projection.projectId !== this.projectId) return;
    const isNew = answer.status === "applied" && answer.changed;
    if (isNew && this.#state?.revisionId !== answer.revisionId) this.#answered.add(answer.revisionId);
    try {
      await this.#follow(expectedRevisionId, projection.revisionId, changes);
    } catch (error) {
      if (isNew) this.#answered.delete(answer.revisionId);
      throw error;
    }
  }

  async #send<M extends ProjectCommand>(
    method: M,
    params: CommandParams<M>,
    options: RetryOptions,
  ): Promise<CommitAnswer> {
    const expectedRevisionId =
      params.expectedRevisionId ?? (this.#state ?? (await this.fetch())).revisionId;
    const command = {
      ...(method === "applyDraft" ? {} : { projectId: this.projectId }),
      ...params,
      expectedRevisionId,
      projection: "changes",
    } as unknown as CommitParams;
    const answer = await sendCommand(this.client, method as "commitCommand", command, options);
    // What became of the command is known, whether or not the copy could be brought forward.
    await this.takeAnswer(answer, expectedRevisionId).catch(() => {});
    return answer;
  }

  async #follow(
    from: string | null,
    to: string,
    changes: ProjectChanged["changes"],
  ): Promise<void> {
    if (this.#fetching !== null) {
      // What is on its way may be older than this change.
      this.#stale = true;
      await this.#fetching;
      return;
    }
    const state = this.#state;
    if (state?.revisionId === to) return;
    if (state === null || changes === null || state.revisionId !== from) {
      await this.fetch();
      return;
    }
    try {
      this.#become({ ...applyChanges(state, changes), revisionId: to });
    } catch {
      await this.fetch();
    }
  }

  async #fetch(): Promise<MirrorState> {
    for (;;) {
      this.#stale = false;
      this.#answered.clear();
      const state = stateOf(await this.client.request("getProject", { projectId: this.projectId }));
      if (this.#stale) continue;
      this.#become(state);
      return state;
    }
  }

  #become(state: MirrorState): void {
    this.#state = state;
    this.#changed.emit(state);
  }
}

function stateOf(projection: Projection): MirrorState {
  const { title, document, components, graph, revisionId } = projection;
  if (graph === undefined) throw new Error("The projection is not full.");
  return { title, document: document ?? null, components: components ?? [], graph, revisionId };
}

function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
