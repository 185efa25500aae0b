import { useEffect, useState } from "react";
import type { Run, Step } from "@graph-sidecar/client/browser";
import { useActions, useView } from "../model/hooks.js";

export function TopBar() {
  const { openRun, undo, redo } = useView();
  const actions = useActions();
  useShortcuts(actions);
  const blocked = openRun?.status === "running";
  return (
    <header className="topbar">
      <span className="logo" aria-hidden="true" />
      <Title />
      <div className="steps">
        <StepButton label="Undo" sign="↶" step={undo} blocked={blocked} onClick={() => void actions.undo()} />
        <StepButton label="Redo" sign="↷" step={redo} blocked={blocked} onClick={() => void actions.redo()} />
      </div>
      <span className="grow" />
      {openRun !== null && <RunBar run={openRun} />}
      <Connection />
    </header>
  );
}

function Title() {
  const { project } = useView();
  const actions = useActions();
  const [text, setText] = useState(project.title);
  useEffect(() => setText(project.title), [project.title]);
  const leave = () => {
    if (text.trim() !== project.title) void actions.rename(text).then((ok) => ok || setText(project.title));
  };
  return (
    <input
      className="title"
      aria-label="Title"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
    />
  );
}

function StepButton(props: {
  readonly label: string;
  readonly sign: string;
  readonly step: Step | null;
  readonly blocked: boolean;
  readonly onClick: () => void;
}) {
  const { label, sign, step, blocked, onClick } = props;
  const many = step !== null && step.commands > 1 ? ` (${step.commands} changes)` : "";
  const hint = step === null ? `Nothing to ${label.toLowerCase()}` : `${label}: ${step.label}${many}`;
  return (
    <button type="button" title={hint} disabled={step === null || blocked} onClick={onClick}>
      <span aria-hidden="true">{sign}</span> {label}
    </button>
  );
}

function RunBar({ run }: { run: Run }) {
  const actions = useActions();
  const paused = run.status === "paused";
  return (
    <div className={`runbar ${run.status}`} data-testid="runbar">
      <span className="pulse" aria-hidden="true" />
      <span>{describe(run)}</span>
      {paused ? (
        <button type="button" className="primary" onClick={() => void actions.continueRun(run.runId)}>
          Continue
        </button>
      ) : (
        <button type="button" onClick={() => void actions.pause(run.runId)}>
          Pause
        </button>
      )}
      <button type="button" onClick={() => void actions.cancel(run.runId)}>
        Stop
      </button>
    </div>
  );
}

function describe({ status, pauseReason, steps, stepLimit }: Run): string {
  const count = stepLimit === null ? `${steps}` : `${steps} of ${stepLimit}`;
  if (status === "running") return `Assistant at work · step ${count}`;
  if (pauseReason === "checkpoint") return `Checkpoint after ${steps} steps. Go on?`;
  return `Paused at step ${count}`;
}

function Connection() {
  const { sidecar } = useView();
  const text = sidecar.name === "ready" ? `sidecar ${sidecar.version}` : sidecar.name;
  return <span className={`connection ${sidecar.name}`}>{text}</span>;
}

function useShortcuts(actions: ReturnType<typeof useActions>) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      if (key !== "z" && key !== "y") return;
      event.preventDefault();
      void (key === "y" || event.shiftKey ? actions.redo() : actions.undo());
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [actions]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, textarea") !== null;
}
