import { Panel, useReactFlow } from "@xyflow/react";
import type { Component } from "@graph-sidecar/client/browser";
import { newId } from "@graph-sidecar/client/browser";
import { useActions, useView } from "../model/hooks.js";
import { Menu } from "../shell/Menu.js";
import { NODE_WIDTH } from "./flow.js";

export function Palette({ chosen }: { chosen: readonly string[] }) {
  const { project } = useView();
  const actions = useActions();
  const flow = useReactFlow();
  const add = (component: Component) => {
    const box = document.querySelector(".react-flow")?.getBoundingClientRect();
    const centre = flow.screenToFlowPosition({
      x: (box?.left ?? 0) + (box?.width ?? 0) / 2,
      y: (box?.top ?? 0) + (box?.height ?? 0) * 0.72,
    });
    const position = { x: Math.round(centre.x - NODE_WIDTH / 2), y: Math.round(centre.y) };
    void actions.commit({ kind: "add-node", nodeId: newId(), componentId: component.componentId, position });
  };
  return (
    <Panel position="top-left" className="palette">
      <Menu label="Add node">
        {project.components.map((component) => (
          <li key={component.componentId}>
            <button type="button" onClick={() => add(component)}>
              <span className="swatch" style={{ background: component.color ?? "#6b7a96" }} />
              {component.name}
            </button>
          </li>
        ))}
      </Menu>
      {chosen.length > 1 && (
        <button
          type="button"
          onClick={() => void actions.commit({ kind: "create-subgraph", nodeIds: chosen, name: "Subgraph" })}
        >
          Make a subgraph of {chosen.length}
        </button>
      )}
    </Panel>
  );
}
