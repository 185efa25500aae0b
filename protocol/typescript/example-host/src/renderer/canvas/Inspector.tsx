import { Panel } from "@xyflow/react";
import { useEffect, useRef, useState } from "react";
import { useActions, useStore, useView } from "../model/hooks.js";
import { isInstance, titleOf } from "./flow.js";

export function Inspector({ nodeId }: { nodeId: string }) {
  const { project } = useView();
  const actions = useActions();
  const node = project.graph.nodes.find((one) => one.nodeId === nodeId);
  if (node === undefined) return null;
  const component = project.components.find((one) => one.componentId === node.componentId);
  const kind = titleOf({ ...node, name: null }, project.graph, component);
  return (
    <Panel position="top-right" className="inspector">
      <h2>{kind}</h2>
      <Field
        label="Name"
        value={node.name ?? ""}
        placeholder={kind}
        commit={(text, expected) =>
          actions.commit({ kind: "rename-node", nodeId, name: text.trim() === "" ? null : text }, expected)
        }
      />
      {Object.entries(node.parameters).map(([name, value]) => (
        <Field
          key={name}
          label={name}
          value={typeof value === "string" ? value : JSON.stringify(value)}
          commit={(text, expected) =>
            actions.commit({ kind: "set-parameter", nodeId, name, value: parsed(text, value) }, expected)
          }
        />
      ))}
      <footer>
        {isInstance(node) && (
          <button type="button" onClick={() => void actions.commit({ kind: "dissolve-subgraph", nodeId })}>
            Dissolve
          </button>
        )}
        <button
          type="button"
          className="danger"
          onClick={() => void actions.commit({ kind: "remove-node", nodeId, reconnect: true })}
        >
          Remove
        </button>
      </footer>
    </Panel>
  );
}

/**
 * A text that is committed when it is left. If somebody else changed the same field meanwhile, the
 * commit names the version that the person saw, so that it is a conflict and not an overwriting.
 */
function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly commit: (text: string, expected?: string) => Promise<boolean>;
}) {
  const { label, value, placeholder, commit } = props;
  const store = useStore();
  const [text, setText] = useState(value);
  const began = useRef<{ readonly value: string; readonly revisionId: string } | null>(null);
  useEffect(() => {
    if (began.current === null) setText(value);
  }, [value]);
  const begin = (seen: string) => {
    began.current = { value: seen, revisionId: store.getView().project.revisionId };
  };
  const leave = async () => {
    const seen = began.current;
    began.current = null;
    if (seen === null || text === value) return setText(value);
    const landed = await commit(text, seen.value === value ? undefined : seen.revisionId);
    if (!landed) setText(value);
    // The person was back before the answer: their own change is nobody else's.
    else if (began.current !== null) begin(text);
  };
  return (
    <label>
      <span>{label}</span>
      <input
        value={text}
        placeholder={placeholder}
        onFocus={() => begin(value)}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => void leave()}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
    </label>
  );
}

/** Read a text as the kind of value that stood there before. */
function parsed(text: string, before: unknown): unknown {
  if (typeof before === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
