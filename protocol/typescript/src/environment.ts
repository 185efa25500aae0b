// The environment that the sidecar is started with.
//
// What steers this process's own runtime must not steer a child: ELECTRON_RUN_AS_NODE would turn
// an Electron child into Node, PYTHONPATH would let a stranger's module into the sidecar.

const STEERING = /^(ELECTRON_|NODE_|NPM_|npm_|PYTHON|VSCODE_|CHROME_|LD_PRELOAD$|DYLD_INSERT_LIBRARIES$)/;

/** Return `environment` without the variables that steer Electron, Node or Python. */
export function scrubbedEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !STEERING.test(name)) kept[name] = value;
  }
  return kept;
}
