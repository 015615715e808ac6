// `isolens explore`: whether an execution of a client program that a level allows violates one of its assertions.
import { rename, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import type { ExploreProgress } from "../clients/exploreLevel";
import { ownEntry } from "../protocol/dictionary";
import { reasonOf } from "../protocol/fault";
import type { ExplorationReport } from "../protocol/exploration";
import type { ExploreJob } from "../service/exploration/job";
import { exploreProgram } from "../service/exploration/program";
import { readTextFile } from "../workspace/textFile";
import { exitCode } from "./checkCommand";
import type { ExploreArguments } from "./exploreArguments";
import { paintFor, type CliIo } from "./io";
import { explorationText } from "./reporters/explorationText";
import { EXIT } from "./exit";
import { TOOL } from "./version";

/** The exploring function; tests replace the thread. */
export type ExploreProgram = typeof exploreProgram;

/** Runs the command and returns the exit code. */
export async function exploreCommand(
  args: ExploreArguments,
  io: CliIo,
  signal: AbortSignal,
  explore: ExploreProgram = exploreProgram,
): Promise<number> {
  const started = performance.now();
  const workFile = args.work === undefined ? undefined : path.resolve(io.cwd, args.work);
  const continued = workFile === undefined ? undefined : await readWork(workFile);
  if (continued?.ok === false) {
    io.error(`isolens: --work: ${continued.reason}\n`);
    return EXIT.usage;
  }
  const job: ExploreJob = {
    file: path.resolve(io.cwd, args.path),
    name: args.path,
    levels: args.levels,
    driver: args.driver,
    budget: args.budget,
    tool: TOOL,
    threads: args.threads ?? usualThreads(),
    allow: args.allow,
    ...(workFile !== undefined && { keep: true }),
    ...(continued?.text !== undefined && { continued: continued.text }),
  };
  const began = performance.now();
  const {
    reports,
    problems,
    keys = {},
    rest,
  } = await explore(job, signal, {
    progress: (level, progress) => {
      io.status?.(progressText(level, progress, (performance.now() - began) / 1000));
    },
  });
  io.status?.("");
  for (const { message, range } of problems) {
    const place =
      range === undefined
        ? args.path
        : `${args.path}:${String(range.start.line + 1)}:${String(range.start.character + 1)}`;
    io.error(`isolens: ${place}: ${message}\n`);
  }
  if (problems.some(({ severity }) => severity === "error")) return EXIT.usage;
  if (workFile !== undefined && rest !== undefined) {
    const problem = await keepWork(workFile, rest);
    if (problem !== undefined) io.error(`isolens: --work: ${problem}\n`);
  }
  print(reports, keys, args, io);
  if (args.timings && args.format === "text")
    io.out(`Time: ${String(Math.round(performance.now() - started))} ms.\n`);
  return exitCode(reports.map(({ verdict }) => verdict));
}

/** One core is left free; with at most two, a second thread gains nothing. */
function usualThreads(): number {
  return Math.max(1, Math.min(8, availableParallelism() - 1));
}

/** Nearly Node's limit of string length. */
const LARGEST_WORK = 512 * 1024 * 1024 - 1024;

/** Work saved by an earlier run; no text if there is no such file yet. */
async function readWork(
  file: string,
): Promise<
  { readonly ok: true; readonly text?: string } | { readonly ok: false; readonly reason: string }
> {
  const read = await readTextFile(file, { largest: LARGEST_WORK });
  return !read.ok && read.isMissing === true ? { ok: true } : read;
}

/** Writes the remaining work; returns the reason of a failure. An existing file is replaced atomically. */
async function keepWork(file: string, text: string): Promise<string | undefined> {
  const fresh = `${file}.${String(process.pid)}.new`;
  try {
    await writeFile(fresh, text);
    await rename(fresh, file);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function print(
  reports: readonly ExplorationReport[],
  keys: Readonly<Record<string, readonly string[]>>,
  { format, levels }: ExploreArguments,
  io: CliIo,
): void {
  if (format === "json") {
    const [only] = reports;
    // One level gives one object.
    const value = levels.length < 2 && only !== undefined ? only : reports;
    io.out(`${JSON.stringify(value, null, 2)}\n`);
    return;
  }
  const keyOf = (table: string): readonly string[] | undefined => ownEntry(keys, table);
  const style = { paint: paintFor(io), columns: io.columns, keyOf };
  io.out(`${reports.map((report) => explorationText(report, style)).join("\n\n")}\n`);
}

const STAGES: Readonly<Record<ExploreProgress["stage"], string>> = {
  serial: "serial orders",
  exploring: "exploring",
  smallest: "looking for the smallest execution",
};

function progressText(
  level: string,
  { stage, histories, broken }: ExploreProgress,
  seconds: number,
): string {
  const rate =
    seconds > 0 ? `, ${Math.round(histories / seconds).toLocaleString("en")} a second` : "";
  const found = broken > 0 ? `, ${String(broken)} broken` : "";
  const count = histories > 0 ? `, ${histories.toLocaleString("en")} histories${rate}` : "";
  return `${level}: ${STAGES[stage]}${count}${found}`;
}
