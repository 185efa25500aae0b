// What runs in a browser page or a sandboxed renderer: no process, no Node.

export { applyChanges, ChangesMismatchError, type ProjectContents } from "./apply-changes.js";
export { commit, newId, sendCommand, type CommandMethod, type RetryOptions } from "./commands.js";
export { Emitter, type Unsubscribe } from "./emitter.js";
export {
  ProjectMirror,
  type CommandParams,
  type CommitOptions,
  type Followed,
  type MirrorState,
  type ProjectCommand,
} from "./mirror.js";
export type {
  Method,
  Params,
  Progress,
  Requester,
  RequestOptions,
  Result,
} from "./requester.js";
export * from "./types.js";
