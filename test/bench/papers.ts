// The papers' own benchmarks at their levels with up to four transactions, and growth with the number of transactions.
import { findLevel } from "../../server/src/isolation/levels";
import type { Level } from "../../server/src/isolation/levels";
import { noteAim } from "./aims";
import type { Calibration } from "./calibration";
import { multiple } from "./multiples";
import { copiedSmallBank, loadExample, measureCheck, openWarmSession } from "./scenarios";
import { median } from "./statistics";

/** The sizes of the papers: all levels for two, the strong ones for three and four. */
const PAPERS: readonly {
  readonly example: string;
  readonly aim: number;
  readonly scopes: readonly (readonly [string, number])[];
}[] = [
  {
    example: "smallbank",
    aim: 3500,
    scopes: [
      ["eventual", 2],
      ["parallel-snapshot-isolation", 4],
      ["snapshot-isolation", 4],
    ],
  },
  {
    example: "tpcc",
    aim: 3000,
    scopes: [
      ["eventual", 2],
      ["snapshot-isolation", 4],
      ["parallel-snapshot-isolation", 4],
    ],
  },
  {
    example: "courseware",
    aim: 1500,
    scopes: [
      ["eventual", 2],
      ["parallel-snapshot-isolation", 4],
    ],
  },
];

export interface PapersOptions {
  readonly runs: number;
  /** Examples; none is all. */
  readonly only: readonly string[];
  readonly print: (line: string) => void;
}

/** Prints the papers' benchmarks, and how pairs grow with the number of transactions. */
export async function printPapers(
  calibration: Calibration,
  settings: PapersOptions,
): Promise<void> {
  await printBenchmarks(calibration, settings);
  await printGrowth(calibration, settings);
}

async function printBenchmarks(
  { solve }: Calibration,
  { runs, only, print }: PapersOptions,
): Promise<void> {
  print("");
  print("The papers' benchmarks, two to four transactions at a time");
  for (const { example, aim, scopes } of PAPERS) {
    if (only.length > 0 && !only.includes(example)) continue;
    const project = await loadExample(example);
    let sum = 0;
    for (const [name, maxTransactions] of scopes) {
      const level = namedLevel(name);
      const wholes: number[] = [];
      let unconfirmed = "";
      for (let run = 0; run < runs; run += 1) {
        const session = await openWarmSession(example, level);
        const { whole, result } = await measureCheck(session, project, { level, maxTransactions });
        await session.dispose();
        wholes.push(whole);
        const { anomalies } = result.report;
        const open = anomalies.filter(({ status }) => status !== "confirmed").length;
        unconfirmed = `${anomalies.length} anomalies, ${open} unconfirmed`;
      }
      const whole = median(wholes);
      sum += whole;
      const time = `${whole.toFixed(0)} ms (${multiple(whole, solve, "x")})`;
      print(`  ${example} at ${name}, up to ${maxTransactions}: ${time}, ${unconfirmed}`);
    }
    noteAim(`${example}, ${scopes.length} papers' levels together`, sum, aim, "ms");
  }
}

/** How pairs grow with the number of transactions: SmallBank several times over. */
async function printGrowth({ solve }: Calibration, { only, print }: PapersOptions): Promise<void> {
  if (only.length > 0 && !only.includes("smallbank")) return;
  print("");
  print("Growth at eventual, two at a time: copies of SmallBank");
  const level = namedLevel("eventual");
  let before: number | undefined;
  for (const copies of [1, 2, 4, 8]) {
    const session = await openWarmSession("smallbank", level);
    const project = await copiedSmallBank(copies);
    const { whole, firstAnomaly } = await measureCheck(session, project, {
      level,
      maxTransactions: 2,
    });
    await session.dispose();
    const factor = before === undefined ? "" : `, ${(whole / before).toFixed(1)} times the half`;
    const time = `${whole.toFixed(0)} ms (${multiple(whole, solve, "x")})${factor}`;
    print(
      `  ${6 * copies} transactions: ${time}, first after ${firstAnomaly?.toFixed(0) ?? "-"} ms`,
    );
    before = whole;
  }
}

function namedLevel(name: string): Level {
  const level = findLevel(name);
  if (level === undefined) throw new Error(`no level ${name}`);
  return level;
}
