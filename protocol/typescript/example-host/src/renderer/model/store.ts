// All that the page shows, in one place: fetched once, moved along by what the host tells.

import {
  ProjectMirror,
  type ConversationTree,
  type MirrorState,
  type Projection,
  type Requester,
  type Revision,
  type Run,
  type SessionPage,
  type Step,
} from "@graph-sidecar/client/browser";
import type { Bridge, HostEvent, SidecarState } from "../../shared/bridge.js";
import { ask, requesterOver } from "./bridge.js";

/** A banner: what went wrong, and what may be done about it. */
export interface Notice {
  readonly id: string;
  readonly tone: "conflict" | "storage" | "refused" | "sidecar";
  readonly title: string;
  readonly message: string;
  readonly actions: readonly NoticeAction[];
}

export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

export interface View {
  readonly project: MirrorState;
  readonly openRun: Run | null;
  readonly undo: Step | null;
  readonly redo: Step | null;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  readonly chat: SessionPage;
  readonly tree: ConversationTree;
  readonly sidecar: SidecarState;
  readonly notices: readonly Notice[];
  /** Nodes that the assistant has just made or changed. */
  readonly touched: ReadonlySet<string>;
}

const TOUCHED_MS = 2_400;

export class Store {
  readonly requester: Requester;
  readonly #listeners = new Set<() => void>();
  readonly #refreshing = new Map<string, Promise<void>>();
  #view!: View;

  private constructor(
    readonly bridge: Bridge,
    readonly projectId: string,
    readonly sessionId: string,
    readonly mirror: ProjectMirror,
  ) {
    this.requester = requesterOver(bridge);
  }

  static async open(bridge: Bridge): Promise<Store> {
    const { projectId, sessionId, sidecar } = await ask(bridge, "boot", null);
    const mirror = new ProjectMirror(requesterOver(bridge), projectId);
    const store = new Store(bridge, projectId, sessionId, mirror);
    bridge.onEvent((event) => store.#onEvent(event));
    const [project, chat, tree] = await Promise.all([mirror.fetch(), store.#chat(), store.#tree()]);
    const nothing = { openRun: null, undo: null, redo: null, revisions: [], notices: [] };
    store.#view = { ...nothing, project, chat, tree, sidecar, touched: new Set() };
    mirror.on((state) => store.set({ project: state }));
    await store.refreshHistory();
    return store;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getView = (): View => this.#view;

  set(part: Partial<View>): void {
    this.#view = { ...this.#view, ...part };
    for (const listener of this.#listeners) listener();
  }

  notify(notice: Notice): void {
    const others = this.#view.notices.filter(({ id }) => id !== notice.id);
    this.set({ notices: [...others, notice] });
  }

  dismiss(id: string): void {
    this.set({ notices: this.#view.notices.filter((notice) => notice.id !== id) });
  }

  /** Take in what an answer says beside the graph: run, undo and redo. */
  takeProjection({ openRun, undo, redo }: Projection): void {
    this.set({ openRun, undo, redo });
  }

  refreshHistory(): Promise<void> {
    return this.#once("history", async () => {
      const { projectId } = this;
      const [projection, { items }] = await Promise.all([
        this.requester.request("getProject", { projectId, projection: "none" }),
        this.requester.request("listRevisions", { projectId, limit: 200 }),
      ]);
      this.set({ revisions: items });
      this.takeProjection(projection);
    });
  }

  refreshChat(): Promise<void> {
    return this.#once("chat", async () => {
      const [chat, tree] = await Promise.all([this.#chat(), this.#tree()]);
      this.set({ chat, tree });
    });
  }

  async #chat(): Promise<SessionPage> {
    const { sessionId } = this;
    const answer = await this.requester.request("getSession", { sessionId, view: "active", limit: 200 });
    if (!("nodes" in answer)) throw new Error("getSession gave another view.");
    return answer;
  }

  #tree(): Promise<ConversationTree> {
    return this.requester.request("getConversationTree", { sessionId: this.sessionId });
  }

  /** Run a refresh; one that is asked for while it runs follows it, once. */
  #once(name: string, refresh: () => Promise<void>): Promise<void> {
    const running = this.#refreshing.get(name) ?? Promise.resolve();
    const waiting = `${name}, next`;
    const next = this.#refreshing.get(waiting);
    if (next !== undefined) return next;
    const mine = running
      .catch(() => {})
      .then(() => {
        this.#refreshing.delete(waiting);
        this.#refreshing.set(name, mine);
        return refresh();
      });
    this.#refreshing.set(waiting, mine);
    return mine;
  }

  #onEvent(event: HostEvent): void {
    this.#take(event).catch((error: Error) => console.warn(event.type, error.message));
  }

  async #take(event: HostEvent): Promise<void> {
    switch (event.type) {
      case "projectChanged":
        if (event.params.projectId !== this.projectId) return;
        if (event.params.actor === "ai") this.#glow(event.params.changes ?? []);
        await this.mirror.take(event.params);
        return this.refreshHistory();
      case "runChanged":
        if (event.params.run.projectId === this.projectId) await this.refreshHistory();
        return;
      case "sessionChanged":
        if (event.params.sessionId === this.sessionId) await this.refreshChat();
        return;
      case "sidecar":
        return this.#takeSidecar(event.params);
      default:
        return;
    }
  }

  async #takeSidecar(sidecar: SidecarState): Promise<void> {
    this.set({ sidecar });
    if (sidecar.name !== "ready") return;
    await Promise.all([this.mirror.fetch(), this.refreshHistory(), this.refreshChat()]);
  }

  #glow(changes: readonly { readonly kind: string; readonly id: string | null }[]): void {
    const ids = changes.flatMap(({ kind, id }) => (kind === "node" && id !== null ? [id] : []));
    this.set({ touched: new Set([...this.#view.touched, ...ids]) });
    setTimeout(() => {
      const rest = [...this.#view.touched].filter((id) => !ids.includes(id));
      this.set({ touched: new Set(rest) });
    }, TOUCHED_MS);
  }
}
