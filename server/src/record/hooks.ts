// The hooks that `record --` gives to the application's languages by variables that these read at their start. They add
// a comment to statements, and send those anew that a connection keeps under a name, whose text may not change.
import { existsSync } from "node:fs";
import path from "node:path";
import type { Environment } from "./environment";

/** The folder of the hooks: beside the bundle, or in the repository. */
export function hooksFolder(start: string): string | undefined {
  return ["hooks", "../../hooks", "../hooks"]
    .map((each) => path.join(start, each))
    .find((each) => existsSync(path.join(each, "sitecustomize.py")));
}

/** The environment with the hooks of all languages in it; what was there before stays. */
export function withHooks(env: Environment, folder: string, root: string): Environment {
  const before = (value: string | undefined, own: string, separator: string): string =>
    value === undefined || value === "" ? own : `${own}${separator}${value}`;
  return {
    ...env,
    // In an editor this program is Electron; the command's own Electron is none of its business.
    ...("electron" in process.versions && { ELECTRON_RUN_AS_NODE: undefined }),
    ISOLENS_ROOT: root,
    PYTHONPATH: before(env["PYTHONPATH"], folder, path.delimiter),
    NODE_OPTIONS: before(
      env["NODE_OPTIONS"],
      `--require ${quoted(path.join(folder, "node.cjs"))}`,
      " ",
    ),
    // RUBYOPT takes no quotes around what has spaces.
    RUBYLIB: before(env["RUBYLIB"], folder, path.delimiter),
    RUBYOPT: before(env["RUBYOPT"], "-risolens_record", " "),
    // Go's tests do not run again where their results are known.
    GOFLAGS: before(env["GOFLAGS"], "-count=1", " "),
  };
}

/** NODE_OPTIONS takes double quotes around what has spaces. */
function quoted(file: string): string {
  return file.includes(" ") ? `"${file.replaceAll('"', '\\"')}"` : file;
}
