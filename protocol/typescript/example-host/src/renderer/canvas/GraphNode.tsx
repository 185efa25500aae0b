import { Handle, Position, type NodeProps } from "@xyflow/react";
import type { Port } from "@graph-sidecar/client/browser";
import type { FrameFlowNode, GraphFlowNode } from "./flow.js";

export function GraphNode({ data, selected }: NodeProps<GraphFlowNode>) {
  const { node, component, touched } = data;
  const isSubgraph = node.componentId.startsWith("subgraph:");
  const classes = ["node", selected && "selected", touched && "touched", isSubgraph && "subgraph", node.status];
  const colour = component?.color ?? (isSubgraph ? "#8b7bff" : "#6b7a96");
  return (
    <article
      className={classes.filter(Boolean).join(" ")}
      style={{ "--accent": colour } as React.CSSProperties}
      data-testid={`node-${node.nodeId}`}
    >
      <header>
        <span className="swatch" aria-hidden="true" />
        <h3>{node.name ?? component?.name ?? (isSubgraph ? "Subgraph" : node.componentId)}</h3>
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
