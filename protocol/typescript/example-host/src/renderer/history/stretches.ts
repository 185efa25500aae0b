// Versions in the order they were made, with what one run made in a row held together.

import type { Revision } from "@graph-sidecar/client/browser";

export interface Stretch {
  readonly runId: string | null;
  readonly revisions: readonly Revision[];
}

export function grouped(newestFirst: readonly Revision[]): Stretch[] {
  const stretches: { runId: string | null; revisions: Revision[] }[] = [];
  for (const revision of [...newestFirst].reverse()) {
    const last = stretches.at(-1);
    if (last !== undefined && last.runId !== null && last.runId === revision.runId) {
      last.revisions.push(revision);
    } else {
      stretches.push({ runId: revision.runId, revisions: [revision] });
    }
  }
  return stretches;
}
