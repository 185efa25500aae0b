import { useView } from "../model/hooks.js";
import type { Notice } from "../model/store.js";

export function Notices() {
  const { notices, sidecar } = useView();
  return (
    <div className="notices" role="status">
      {sidecar.name !== "ready" && <Banner notice={sidecarNotice(sidecar)} />}
      {notices.map((notice) => (
        <Banner key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Banner({ notice }: { notice: Notice }) {
  return (
    <section className={`notice ${notice.tone}`} data-testid={`notice-${notice.tone}`}>
      <div>
        <strong>{notice.title}</strong>
        <p>{notice.message}</p>
      </div>
      <div className="notice-actions">
        {notice.actions.map(({ label, run }) => (
          <button key={label} type="button" onClick={run}>
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}

function sidecarNotice(state: { readonly name: string; readonly message?: string }): Notice {
  const failed = state.name === "failed";
  return {
    id: "sidecar",
    tone: "sidecar",
    title: failed ? "The graph's process cannot be started" : "Reconnecting",
    message: failed
      ? (state.message ?? "")
      : "The graph's process ended and is started again. What was saved is safe.",
    actions: [],
  };
}
