import type { Change, Revision } from "@graph-sidecar/client/browser";
import { useEffect, useMemo, useRef, useState } from "react";
import { useActions, useStore, useView } from "../model/hooks.js";
import { grouped, type Stretch } from "./stretches.js";

export function Timeline() {
  const { revisions, project, undo, redo } = useView();
  const [chosen, choose] = useState<string | null>(null);
  const stretches = useMemo(() => grouped(revisions), [revisions]);
  const strip = useRef<HTMLDivElement>(null);
  useEffect(() => {
    strip.current?.scrollTo({ left: strip.current.scrollWidth });
  }, [revisions[0]?.revisionId]);
  const revision = revisions.find(({ revisionId }) => revisionId === chosen);
  return (
    <section className="timeline" aria-label="History">
      <h2>History</h2>
      <div className="strip" ref={strip}>
        {stretches.map((stretch) => (
          <Band key={stretch.revisions[0]?.revisionId} stretch={stretch}>
            {stretch.revisions.map((one) => (
              <Version
                key={one.revisionId}
                revision={one}
                mark={markOf(one, project.revisionId, undo?.targetRevisionId, redo?.targetRevisionId)}
                chosen={one.revisionId === chosen}
                onClick={() => choose(one.revisionId === chosen ? null : one.revisionId)}
              />
            ))}
          </Band>
        ))}
      </div>
      {revision !== undefined && <Details revision={revision} onDone={() => choose(null)} />}
    </section>
  );
}

function Band({ stretch, children }: { stretch: Stretch; children: React.ReactNode }) {
  if (stretch.runId === null) return <>{children}</>;
  return (
    <div className="band" data-testid="run-band">
      <span className="band-title">Assistant · {stretch.revisions.length}</span>
      {children}
    </div>
  );
}

function Version(props: {
  readonly revision: Revision;
  readonly mark: string | null;
  readonly chosen: boolean;
  readonly onClick: () => void;
}) {
  const { revision, mark, chosen, onClick } = props;
  const classes = ["version", revision.actor, mark, chosen && "chosen"].filter(Boolean).join(" ");
  return (
    <button type="button" className={classes} onClick={onClick} title={revision.label}>
      <span className="dot" aria-hidden="true" />
      <span className="label">{revision.label}</span>
      <span className="number">{revision.number}</span>
    </button>
  );
}

function markOf(
  { revisionId }: Revision,
  current: string,
  undo: string | undefined,
  redo: string | undefined,
): string | null {
  if (revisionId === current) return "current";
  if (revisionId === undo) return "undo-target";
  return revisionId === redo ? "redo-target" : null;
}

function Details({ revision, onDone }: { revision: Revision; onDone: () => void }) {
  const { project } = useView();
  const actions = useActions();
  const changes = useDifference(project.revisionId, revision.revisionId);
  const isCurrent = revision.revisionId === project.revisionId;
  return (
    <div className="details" data-testid="version-details">
      <div>
        <strong>
          {revision.number}. {revision.label}
        </strong>
        <p>
          {revision.actor === "ai" ? "by the assistant" : "by you"},{" "}
          {new Date(revision.createdAt).toLocaleTimeString()}
          {changes !== null && !isCurrent && ` · going back would ${summary(changes)}`}
        </p>
      </div>
      <button
        type="button"
        className="primary"
        disabled={isCurrent}
        onClick={() => void actions.restore(revision.revisionId).then(onDone)}
      >
        Restore this version
      </button>
    </div>
  );
}

function useDifference(fromRevisionId: string, toRevisionId: string): readonly Change[] | null {
  const store = useStore();
  const [changes, setChanges] = useState<readonly Change[] | null>(null);
  useEffect(() => {
    let wanted = true;
    store.requester
      .request("diffRevisions", { projectId: store.projectId, fromRevisionId, toRevisionId })
      .then((answer) => wanted && setChanges(answer.changes))
      .catch(() => wanted && setChanges(null));
    return () => {
      wanted = false;
    };
  }, [store, fromRevisionId, toRevisionId]);
  return changes;
}

function summary(changes: readonly Change[]): string {
  const add = changes.filter(({ before }) => before === null).length;
  const remove = changes.filter(({ after }) => after === null).length;
  const change = changes.length - add - remove;
  const parts = Object.entries({ add, change, remove }).filter(([, count]) => count > 0);
  if (parts.length === 0) return "change nothing";
  const things = parts.at(-1)?.[1] === 1 ? "thing" : "things";
  return `${parts.map(([verb, count]) => `${verb} ${count}`).join(", ")} ${things}`;
}
