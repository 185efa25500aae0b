// @graph-sidecar/client: spawn the sidecar, ask it, follow its graph.

export * from "./browser.js";
export { SidecarClient, type ClientState, type SidecarOptions } from "./client.js";
export { scrubbedEnvironment } from "./environment.js";
export {
  ClosedError,
  ConnectionLostError,
  RequestError,
  SidecarError,
  StartError,
  type Ending,
} from "./errors.js";
export type { LogRecord } from "./log-lines.js";
export { DEFAULT_RESTART, type RestartPolicy } from "./restart.js";
