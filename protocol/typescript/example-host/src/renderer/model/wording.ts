// What a command does, in the person's words, for banners about commands that did not land.

import type { Payload } from "@graph-sidecar/client/browser";

/** Return a short sentence for a payload; null where there is none that would help. */
export function wordsFor(payload: Payload): string | null {
  switch (payload.kind) {
    case "set-parameter":
      return payload.name == null ? null : `Set ${payload.name} to ${shown(payload.value)}`;
    case "rename-node":
      return payload.name === null ? "Take the name away" : `Rename to “${shortened(payload.name)}”`;
    case "restore-revision":
      return "Restore a version";
    case "connect":
      return "Connect";
    case "add-node":
      return "Add a node";
    case "move-node":
    case "move-nodes":
      return "Move";
    case "remove-node":
    case "remove-edge":
      return "Remove";
    default:
      return null;
  }
}

function shown(value: unknown): string {
  return shortened(typeof value === "string" ? `“${value}”` : JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
