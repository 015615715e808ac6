// Runs the whole way from SQL to report on this thread, for tests that settle verdicts.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import type { SolvePool } from "../../../server/src/engine/pool";
import { runJob } from "../../../server/src/engine/runJob";
import { openZ3 } from "../../../server/src/engine/z3";
import { readProgram, type SourceFile } from "../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../server/src/isolation/levels";
import type { SerializablePair } from "../../../server/src/isolation/mixedLevels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import type { Anomaly, LevelReport } from "../../../server/src/protocol/report";
import { check } from "../../../server/src/service/check";
import { openSolveCache } from "../../../server/src/service/search/tupleSolver";

const APPS = path.join(__dirname, "../../apps");
const parsers = loadPgParser().then((pg) => ({ pg }));
const solvers = openZ3();

/** A SQL text as a file of a workspace. */
export function sql(text: string, name = "program.sql"): SourceFile {
  // A file id is any name that is unique in its workspace.
  return { file: name as FileId, text };
}

/** All SQL files of one of the example programs. */
export function app(name: string): readonly SourceFile[] {
  const folder = path.join(APPS, name);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => sql(readFileSync(path.join(folder, file), "utf8"), file));
}

/**
 * The report of these files at a level; `most` transactions at a time, and so many rounds of a loop, at the most; with
 * pairs of transactions that are kept serializable; with a proof where it is asked for.
 */
export async function analyse(
  files: readonly SourceFile[],
  levelName: string,
  most = 3,
  unroll = 1,
  serializablePairs: readonly SerializablePair[] = [],
  options: { readonly prove?: boolean } = {},
): Promise<LevelReport> {
  const program = readProgram(files, await parsers);
  return analyseProgram(program, levelName, most, unroll, serializablePairs, options);
}

const ofApps = new Map<string, Promise<LevelReport>>();

/** The report of an example program as it stands, which others are compared with: analysed once in a process. */
export function appReport(name: string, levelName: string, most: number): Promise<LevelReport> {
  const key = JSON.stringify([name, levelName, most]);
  const known = ofApps.get(key) ?? analyse(app(name), levelName, most);
  ofApps.set(key, known);
  return known;
}

/** The same of a program that was read otherwise. */
export async function analyseProgram(
  program: Program,
  levelName: string,
  most = 3,
  unroll = 1,
  serializablePairs: readonly SerializablePair[] = [],
  {
    prove = false,
    cache = openSolveCache(10_000),
  }: { readonly prove?: boolean; readonly cache?: ReturnType<typeof openSolveCache> } = {},
): Promise<LevelReport> {
  const level = findLevel(levelName);
  if (!level) throw new Error(`no level ${levelName}`);
  const { report } = await check(
    {
      program,
      skipped: [],
      level,
      serializablePairs,
      maxTransactions: most,
      unroll,
      prove,
      budget: 600_000,
      pool: await poolOnThisThread(),
      cache,
      lanes: 1,
      tool: "isolens test",
    },
    new AbortController().signal,
  );
  return report;
}

/** "Balance+WriteCheck": the transactions of an anomaly, sorted. */
export function members(anomaly: Anomaly): string {
  return [...anomaly.transactions].sort().join("+");
}

/** The distinct sets of transactions of a report's anomalies with their worst severity: "A+B state". */
export function verdicts(report: LevelReport): readonly string[] {
  const order = ["unused", "value", "state"];
  const worst = new Map<string, string>();
  for (const anomaly of report.anomalies) {
    const known = worst.get(members(anomaly)) ?? "unused";
    const severer =
      order.indexOf(anomaly.severity) > order.indexOf(known) ? anomaly.severity : known;
    worst.set(members(anomaly), severer);
  }
  return [...worst].map(([name, severity]) => `${name} ${severity}`).sort();
}

/** The distinct sets of transactions of a report's anomalies. */
export function tuples(report: LevelReport): readonly string[] {
  return [...new Set(report.anomalies.map(members))].sort();
}

async function poolOnThisThread(): Promise<SolvePool> {
  const factory = await solvers;
  return {
    warm: () => undefined,
    solve: (job) => Promise.resolve({ kind: "solved", results: runJob(factory, job, () => false) }),
    dispose: () => Promise.resolve(),
  };
}
