// A host's live copy of one project: fetched once, then moved along by notifications.
//
// A notification that does not follow on what is held, or carries no changes, makes it fetch.

import { applyChanges } from "./apply-changes.js";
import type { Requester } from "./requester.js";
import { Emitter, type Unsubscribe } from "./emitter.js";
import type { ProjectChanged, Projection, RevisionState } from "./types.js";

/** A project as it is shown: what one version is, and which version. */
export interface MirrorState extends RevisionState {
  readonly revisionId: string;
}

export class ProjectMirror {
  readonly #changed = new Emitter<MirrorState>();
  #state: MirrorState | null = null;
  #fetching: Promise<MirrorState> | null = null;
  #stale = false;

  constructor(
    private readonly client: Requester,
    readonly projectId: string,
  ) {}

  /** The copy; null until the first `fetch` is done. */
  get state(): MirrorState | null {
    return this.#state;
  }

  on(listener: (state: MirrorState) => void): Unsubscribe {
    return this.#changed.on(listener);
  }

  /** Fetch the whole project. Call it once at the start and after every restart of the sidecar. */
  fetch(): Promise<MirrorState> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  /** Take a `projectChanged` notification. */
  async take(change: ProjectChanged): Promise<void> {
    if (change.projectId !== this.projectId) return;
    if (this.#fetching !== null) {
      // What is on its way may be older than this change.
      this.#stale = true;
      return;
    }
    const state = this.#state;
    if (state?.revisionId === change.revisionId) return;
    if (state === null || change.changes === null || state.revisionId !== change.fromRevisionId) {
      await this.fetch();
      return;
    }
    try {
      this.#become({ ...applyChanges(state, change.changes), revisionId: change.revisionId });
    } catch {
      await this.fetch();
    }
  }

  async #fetch(): Promise<MirrorState> {
    for (;;) {
      this.#stale = false;
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
