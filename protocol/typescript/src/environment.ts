// The environment that the sidecar is started with.
//
// What steers this process's own runtime must not steer a child: ELECTRON_RUN_AS_NODE would turn
// an Electron child into Node, PYTHONPATH would let a stranger's module into the sidecar.
// Windows takes names for the same that differ in case alone.

const STEERING = /^(ELECTRON_|NODE_|NPM_|PYTHON|VSCODE_|CHROME_|LD_PRELOAD$|DYLD_INSERT_LIBRARIES$)/i;

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

/** Return `environment` with `added` in it; a variable of Windows is replaced whatever the case of its name. */
export function withVariables(
  environment: Readonly<Record<string, string>>,
  added: Readonly<Record<string, string>> = {},
  system: string = process.platform,
): Record<string, string> {
  const plain = (name: string) => (system === "win32" ? name.toUpperCase() : name);
  const names = new Set(Object.keys(added).map(plain));
  const kept = Object.entries(environment).filter(([name]) => !names.has(plain(name)));
  return { ...Object.fromEntries(kept), ...added };
}
