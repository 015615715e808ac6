// Runs the built command line on files that a test writes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { LevelReport } from "../../server/src/protocol/report";

export const DIST = path.join(__dirname, "..", "..", "dist");

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export interface CliRun {
  readonly cwd?: string;
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another copy of the bundle. */
  readonly script?: string;
  /** Milliseconds after which it is ended; a minute unless it is given. */
  readonly timeout?: number;
  /** A script that runs in the same process first. */
  readonly before?: string;
  /** Called with the process; for tests of signals and pipes. */
  readonly watch?: (child: ReturnType<typeof spawn>) => void;
}

/** Runs `isolens` with arguments; ends it after a minute, which no test should need. */
export async function isolens(args: readonly string[], run: CliRun = {}): Promise<CliResult> {
  const script = run.script ?? path.join(DIST, "cli.js");
  assert.ok(existsSync(script), `${script} is missing: run "npm run build" first`);
  const before = run.before === undefined ? [] : ["--require", run.before];
  const child = spawn(process.execPath, [...before, script, ...args], {
    cwd: run.cwd ?? process.cwd(),
    timeout: run.timeout ?? 60_000,
    env: { ...process.env, NO_COLOR: "1", ...run.env },
  });
  let out = "";
  let error = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text));
  run.watch?.(child);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, out, error });
    });
  });
}

/** The reports that `--format json` printed. */
export function reportsOf(result: CliResult): readonly LevelReport[] {
  const value: unknown = JSON.parse(result.out);
  assert.ok(Array.isArray(value), "an array");
  // The output of the command line is as its own types say; the tests look at single fields.
  return value as readonly LevelReport[];
}

export interface Folder {
  readonly path: string;
  /** How to run there so that what one run finds is kept for the next, as at users: for tests that see one answer from many sides. */
  readonly kept: { readonly cwd: string; readonly env: { readonly ISOLENS_CACHE: string } };
  write(name: string, content: string | Uint8Array): void;
  remove(): void;
}

/** A temporary folder with files. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): Folder {
  const root = mkdtempSync(path.join(os.tmpdir(), "isolens-cli-"));
  const cache = `${root}-cache`;
  const write = (name: string, content: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path: root,
    kept: { cwd: root, env: { ISOLENS_CACHE: cache } },
    write,
    remove: () => {
      rmSync(root, { recursive: true });
      rmSync(cache, { recursive: true, force: true });
    },
  };
}
