// The measured work: whole checks of the example programs, a check after an edit, and the command line from cold.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Level } from "../../server/src/isolation/levels";
import { openSession } from "../../server/src/service/session";
import type { Session } from "../../server/src/service/session";
import { loadProjects } from "../../server/src/workspace/projects";
import type { Project } from "../../server/src/workspace/projects";
import type { WorkspaceCheck } from "../../server/src/service/workspaceCheck";
import { timed } from "./statistics";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const apps = path.join(root, "test", "apps");
const run = promisify(execFile);

/** The names of the example programs. */
export function exampleNames(): readonly string[] {
  return readdirSync(apps, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** An example as the service reads it. */
export async function loadExample(name: string): Promise<Project> {
  const { projects, problems } = await loadProjects([path.join(apps, name)], { cwd: root });
  const [project] = projects;
  if (project === undefined || problems.length > 0) {
    throw new Error(`The example ${name} cannot be read: ${JSON.stringify(problems)}`);
  }
  return project;
}

/**
 * Opens a session on the built worker, as the faces do, with nothing remembered, and checks another example at the
 * level that is measured next, so that the solver and the code are warm.
 */
export async function openWarmSession(measured: string, level: Level): Promise<Session> {
  const warmUp = await loadExample(measured === "micro" ? "inventory" : "micro");
  const session = await openSession({
    tool: "isolens bench",
    workerScript: path.join(root, "dist", "worker.js"),
  });
  await session.checkWorkspace({ project: warmUp, level, maxTransactions: 2 }, never());
  return session;
}

export interface CheckFigures {
  readonly result: WorkspaceCheck;
  /** Milliseconds from the request, reading included. */
  readonly whole: number;
  readonly firstAnomaly: number | undefined;
  /** Until all pairs were decided, where more than pairs were searched. */
  readonly pairs: number | undefined;
}

export interface CheckScope {
  readonly level: Level;
  readonly maxTransactions: number;
}

/** One check of a project, with no time budget to speak of. */
export async function measureCheck(
  session: Session,
  project: Project,
  scope: CheckScope,
  isFirst: (anomaly: string) => boolean = () => true,
): Promise<CheckFigures> {
  const started = performance.now();
  let firstAnomaly: number | undefined;
  let pairs: number | undefined;
  const { milliseconds, result } = await timed(() =>
    session.checkWorkspace({ project, ...scope, budget: 600_000 }, never(), {
      found: (anomaly) => {
        if (isFirst(anomaly.id)) firstAnomaly ??= performance.now() - started;
      },
      progress: (_done, _total, size) => {
        if (size > 2) pairs ??= performance.now() - started;
      },
    }),
  );
  return { result, whole: milliseconds, firstAnomaly, pairs };
}

/** A project of that many short transactions, two statements each, over one table. */
export async function manyTransactions(count: number): Promise<Project> {
  const template = await loadExample("smallbank");
  const [first] = template.files;
  if (first === undefined) throw new Error("The example has no file.");
  const lines = ["CREATE TABLE item (id integer PRIMARY KEY, stock integer NOT NULL);"];
  for (let at = 1; at <= count; at += 1) {
    lines.push(`-- @transaction change${at}`, "BEGIN;");
    lines.push("SELECT stock FROM item WHERE id = :id \\gset");
    lines.push(`UPDATE item SET stock = :stock - ${at} WHERE id = :id AND stock > 0;`, "COMMIT;");
  }
  return { ...template, files: [{ ...first, text: lines.join("\n") }], context: [] };
}

/** SmallBank with every transaction that many times, under names of their own. */
export async function copiedSmallBank(copies: number): Promise<Project> {
  const template = await loadExample("smallbank");
  const files = template.files.map((file) => {
    if (!file.text.includes("-- @transaction ")) return file;
    const texts = Array.from({ length: copies }, (_, copy) =>
      file.text.replaceAll(/-- @transaction (\w+)/g, `-- @transaction $1${copy}`),
    );
    return { ...file, text: texts.join("\n") };
  });
  return { ...template, files };
}

/** The benchmark form of SmallBank before and after an edit of one of its six transactions. */
export async function editedSmallBank(): Promise<{
  readonly before: Project;
  readonly after: Project;
}> {
  const before = await loadExample("smallbank");
  const from = "UPDATE checking SET bal = bal + :amount WHERE custid = :c;";
  const to =
    "SELECT bal FROM checking WHERE custid = :c \\gset\nUPDATE checking SET bal = :bal + :amount WHERE custid = :c;";
  const files = before.files.map((file) => ({ ...file, text: file.text.replace(from, to) }));
  if (files.every((file, at) => file.text === before.files[at]?.text)) {
    throw new Error("The statement that the edit changes is no longer in the example.");
  }
  return { before, after: { ...before, files } };
}

export interface CommandFigures {
  readonly milliseconds: number;
  readonly peakMegabytes: number;
}

/**
 * Runs the built command line in a process of its own; results are kept in the folder `cache`, or nowhere. Exit codes 0
 * to 2 are answers, all others are errors.
 */
export async function measureCommand(
  args: readonly string[],
  cache = "off",
): Promise<CommandFigures> {
  // Written by the process itself at its end: no tool of the system is needed.
  const report =
    "process.on('exit', () => require('node:fs').writeSync(2, 'peak=' + process.resourceUsage().maxRSS + '\\n'))";
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; const require = createRequire('file:///'); ${report}`)}`;
  const started = performance.now();
  const { stderr } = await run(
    process.execPath,
    ["--import", preload, path.join(root, "dist", "cli.js"), ...args],
    { cwd: root, maxBuffer: 1 << 28, env: { ...process.env, ISOLENS_CACHE: cache } },
  ).catch((error: unknown) => answered(error));
  const milliseconds = performance.now() - started;
  const peak = /peak=(\d+)/.exec(stderr)?.[1];
  if (peak === undefined) throw new Error(`The command told no peak memory: ${stderr}`);
  return { milliseconds, peakMegabytes: Number(peak) / 1024 };
}

/** The output of a command that ended with code 1 or 2: anomalies, or something undecided. */
function answered(error: unknown): { readonly stderr: string } {
  const isAnswer =
    error instanceof Error &&
    "code" in error &&
    (error.code === 1 || error.code === 2) &&
    "stderr" in error &&
    typeof error.stderr === "string";
  if (isAnswer) return { stderr: String(error.stderr) };
  throw error;
}

function never(): AbortSignal {
  return new AbortController().signal;
}
