// The hooks that `record --` gives to the application's languages by variables that these read at their start. They add
// a comment to statements, and send those anew that a connection keeps under a name, whose text may not change.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileErrorText } from "../../workspace/textFile";
import type { Environment } from "../environment";
import { goOverlay } from "./goOverlay";
import { AGENT } from "./javaAgent";

/** The folder of the hooks: beside the bundle, or in the repository. */
export function hooksFolder(start: string): string | undefined {
  return ["hooks", "../../hooks", "../hooks"]
    .map((each) => path.join(start, each))
    .find((each) => existsSync(path.join(each, "sitecustomize.py")));
}

/** Hooks that are files of this recording alone. */
export interface OwnHooks {
  /** Java's agent. */
  readonly jar: string;
  /** The list of files that Go takes in the place of others, where there is something to build. */
  readonly overlay?: string;
  /** Takes them away. */
  close(): void;
}

/** Writes the hooks of languages that are compiled; to be closed when the command has ended. */
export function openHooks(
  env: Environment,
  root: string,
  remark: (text: string) => void,
): OwnHooks {
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-hooks-"));
  const jar = path.join(folder, "isolens.jar");
  writeFileSync(jar, Buffer.from(AGENT, "base64"));
  const overlay = goOverlay({ root, env, folder, remark });
  return {
    jar,
    ...(overlay !== undefined && { overlay }),
    close() {
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch (error) {
        // Processes that the command left running may have its files open.
        remark(`${folder} stays: ${fileErrorText(error)}`);
      }
    },
  };
}

/** The environment with the hooks of all languages in it; what was there before stays. */
export function withHooks(
  env: Environment,
  { folder, root, own }: { readonly folder: string; readonly root: string; readonly own: OwnHooks },
): Environment {
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
    JAVA_TOOL_OPTIONS: before(env["JAVA_TOOL_OPTIONS"], quoted(`-javaagent:${own.jar}`), " "),
    // Go's tests do not run again where their results are known.
    GOFLAGS: [env["GOFLAGS"], "-count=1", own.overlay && quoted(`-overlay=${own.overlay}`)]
      .filter((each) => each !== undefined && each !== "")
      .join(" "),
  };
}

/** Variables with options take double quotes around what has spaces. */
function quoted(option: string): string {
  return option.includes(" ") ? `"${option.replaceAll('"', '\\"')}"` : option;
}
