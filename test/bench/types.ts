// Programs of many transaction types: when the first anomaly is there, when all pairs are decided, and when all triples.
import { findLevel } from "../../server/src/isolation/levels";
import type { Calibration } from "./calibration";
import { multiple } from "./multiples";
import { copiedSmallBank, measureCheck, openWarmSession } from "./scenarios";
import type { CheckFigures } from "./scenarios";
import { median, printTable } from "./statistics";

const COPIES = [2, 3];
const LEVELS = ["postgres:read-committed", "postgres:repeatable-read", "mysql:repeatable-read"];

interface Options {
  readonly runs: number;
  readonly print: (line: string) => void;
}

/** Prints SmallBank with all of its types two and three times, two transactions first, then three. */
export async function printTypes({ solve }: Calibration, { runs, print }: Options): Promise<void> {
  const rows: string[][] = [];
  for (const copies of COPIES) {
    const project = await copiedSmallBank(copies);
    for (const name of LEVELS) {
      const level = findLevel(name);
      if (level === undefined) throw new Error(`the level ${name} is not known`);
      const all: CheckFigures[] = [];
      for (let run = 0; run < runs; run += 1) {
        const session = await openWarmSession("smallbank", level);
        all.push(await measureCheck(session, project, { level, maxTransactions: 3 }));
        await session.dispose();
      }
      const firsts = all.flatMap(({ firstAnomaly }) => firstAnomaly ?? []);
      const pairs = median(all.flatMap(({ pairs: each }) => each ?? []));
      const whole = median(all.map((each) => each.whole));
      const report = all.at(-1)?.result.report;
      rows.push([
        String(report?.transactions.length ?? 0),
        name,
        String(report?.anomalies.length ?? 0),
        firsts.length === 0 ? "-" : `${median(firsts).toFixed(0)} ms`,
        `${pairs.toFixed(0)} ms`,
        `${whole.toFixed(0)} ms`,
        multiple(whole, solve, "x"),
      ]);
    }
  }
  print("");
  print("Many transaction types (copies of SmallBank's), two transactions first, then three");
  printTable(
    [
      { title: "types", align: "right" },
      { title: "level", align: "left" },
      { title: "anomalies", align: "right" },
      { title: "first", align: "right" },
      { title: "pairs", align: "right" },
      { title: "whole", align: "right" },
      { title: "", align: "right" },
    ],
    rows,
    print,
  );
}
