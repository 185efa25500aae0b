import { Handle, Position, type NodeProps } from "@xyflow/react";
import type { Port } from "@graph-sidecar/client/browser";
import { isInstance, type FrameFlowNode, type GraphFlowNode } from "./flow.js";

export function GraphNode({ data, selected }: NodeProps<GraphFlowNode>) {
  const { node, title, colour, touched } = data;
  const states = [selected && "selected", touched && "touched", isInstance(node) && "subgraph"];
  const classes = ["node", node.status, ...states];
  return (
    <article
      className={classes.filter(Boolean).join(" ")}
      style={{ "--accent": colour } as React.CSSProperties}
      data-testid={`node-${node.nodeId}`}
    >
      <header>
        <span className="swatch" aria-hidden="true" />
        <h3>{title}</h3>
      </header>
      <div className="ports">
        <Side ports={node.inputs} type="target" />
        <Side ports={node.outputs} type="source" />
      </div>
      <dl>
        {Object.entries(node.parameters).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
      {node.annotation !== null && <p className="annotation">{node.annotation}</p>}
    </article>
  );
}

function Side({ ports, type }: { ports: readonly Port[]; type: "source" | "target" }) {
  return (
    <ul className={type}>
      {ports.map((port) => (
        <li key={port.portId} title={port.dataType}>
          <Handle
            id={port.portId}
            type={type}
            position={type === "source" ? Position.Right : Position.Left}
          />
          {port.label ?? port.name}
        </li>
      ))}
    </ul>
  );
}

export function FrameNode({ data }: NodeProps<FrameFlowNode>) {
  return <div className="frame">{data.group.name}</div>;
}
