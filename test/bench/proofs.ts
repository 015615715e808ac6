// Proofs for any number of transactions: the figures that have an aim, and what is proved of every example.
import { flattenProgram } from "../../server/src/analysis/operations/flatten";
import { testGraph } from "../../server/src/analysis/proof/graphTest";
import { readProgram } from "../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../server/src/isolation/levels";
import { proveSql } from "../unit/analysis/proof/proveSql";
import { app, sql } from "../unit/truth/analyse";
import { noteAim } from "./aims";
import type { Calibration } from "./calibration";
import { multiple } from "./multiples";
import { exampleNames } from "./scenarios";
import { median } from "./statistics";

const LEVELS = [
  "postgres:read-committed",
  "postgres:repeatable-read",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
];

export interface ProofsOptions {
  readonly runs: number;
  /** Examples; none is all. */
  readonly only: readonly string[];
  readonly print: (line: string) => void;
}

/** Prints what is proved of each example at each level, with milliseconds of CPU. */
export async function printProofs(
  { solve }: Calibration,
  { runs, only, print }: ProofsOptions,
): Promise<void> {
  print("");
  print("Proofs for any number of transactions (CPU)");
  const thirty = graphTestOfThirty(runs);
  print(
    `  graph test of 30 transactions: ${thirty.toFixed(1)} ms (${multiple(thirty, solve, "x")})`,
  );
  noteAim("graph test of 30 transactions", thirty, 50, "ms");
  let whole = 0;
  for (const name of exampleNames()) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const level of LEVELS) {
      const { answer, chains, milliseconds } = await proofOf(name, level, runs);
      whole += milliseconds;
      const what =
        answer.kind === "proved"
          ? `proved (${answer.scheme})`
          : `${answer.kind}${chains.length > 0 ? `: ${chains[0] ?? ""}` : ""}`;
      const time = `${milliseconds.toFixed(0)} ms (${multiple(milliseconds, solve, "x")})`;
      print(`  ${name} at ${level}: ${time}, ${what}, ${answer.queries} queries`);
      if (name === "tpcc" && level === "snapshot-isolation")
        noteAim("tpcc proved at snapshot-isolation", milliseconds, 1000, "ms");
    }
  }
  print(`  all together: ${whole.toFixed(0)} ms (${multiple(whole, solve, "x")})`);
}

async function proofOf(name: string, level: string, runs: number) {
  // The first run loads parser and solver.
  let last = await proveSql(app(name), level);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = process.cpuUsage();
    last = await proveSql(app(name), level);
    times.push(used(started));
  }
  return { ...last, milliseconds: median(times) };
}

function graphTestOfThirty(runs: number): number {
  const bodies = Array.from({ length: 30 }, (_, at) => {
    const [read, write] = at % 2 === 0 ? ["a", "b"] : ["b", "a"];
    return `-- @transaction t${String(at)}
BEGIN;
SELECT v AS x FROM ${read} WHERE id = :id \\gset
UPDATE ${write} SET v = v + 1 WHERE id = :id;
UPDATE ${read} SET v = :x WHERE id = :id AND v > 0;
COMMIT;
`;
  });
  const tables = ["a", "b"].map(
    (each) => `CREATE TABLE ${each} (id integer PRIMARY KEY, v integer);`,
  );
  const flat = flattenProgram(readProgram([sql([...tables, ...bodies].join("\n"))], {}), {
    unroll: 1,
    anyRounds: true,
  });
  const level = findLevel("postgres:read-committed");
  if (!level) throw new Error("no PostgreSQL");
  for (const _ of [1, 2, 3]) testGraph(flat, level);
  return median(
    Array.from({ length: runs }, () => {
      const started = process.cpuUsage();
      testGraph(flat, level);
      return used(started);
    }),
  );
}

function used(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
