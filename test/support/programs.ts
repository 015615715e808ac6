// Programs and drivers that tests use where they are installed; those that are not, the summary of the tests lists.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { ownEntry } from "../../server/src/protocol/dictionary";

const run = promisify(execFile);

/** The output of a program; undefined, and a line in the summary, where it is not installed. */
export async function output(
  context: TestContext,
  name: string,
  command: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    return (await run(command, [...args])).stdout;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    context.diagnostic(`not run: ${name}`);
    return undefined;
  }
}

/**
 * A Java driver: the file that the variable names, else one of those, else the newest in Maven's own folder; undefined,
 * and a line in the summary, where there is none.
 */
export function javaDriver(
  context: TestContext,
  name: string,
  {
    variable,
    files,
    artifact,
  }: {
    readonly variable: string;
    readonly files: readonly string[];
    /** As `org/postgresql/postgresql`. */
    readonly artifact: string;
  },
): string | undefined {
  const named = ownEntry(process.env, variable);
  const own = path.join(os.homedir(), ".m2", "repository", artifact);
  const ofMaven = existsSync(own)
    ? readdirSync(own)
        .sort((one, other) => one.localeCompare(other, "en", { numeric: true }))
        .map((version) => path.join(own, version, `${path.basename(own)}-${version}.jar`))
        .reverse()
    : [];
  const found = [...(named === undefined ? [] : [named]), ...files, ...ofMaven].find(existsSync);
  if (found === undefined) context.diagnostic(`not run: ${name}`);
  return found;
}

/** The Python that has this module; undefined, and a line in the summary, where none has. */
export async function pythonWith(
  context: TestContext,
  module: string,
): Promise<string | undefined> {
  const python = process.env["ISOLENS_PYTHON"] ?? "python3";
  const found = await output(context, module, python, [
    "-c",
    `import importlib.util as u; print(u.find_spec('${module}') is not None)`,
  ]);
  if (found === undefined) return undefined;
  if (found.trim() === "True") return python;
  context.diagnostic(`not run: ${module}`);
  return undefined;
}
