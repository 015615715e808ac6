// MonkeyDB's assertions (Biswas et al., OOPSLA 2021) here and as published: the five of its Table 1 at causal consistency, and
// the twelve of TPC-C (its Figure 14) at Read Committed and causal, each with the average number of runs until it breaks.
//
//   npm run bench:monkeydb -- [RUNS]
import process from "node:process";
import { monkeyResults } from "./exploreMonkey";
import { runLevel } from "./mock";
import { printTable } from "./statistics";
import { CONDITIONS } from "./tpcc/conditions";

const RUNS = 200;
const MICRO_RUNS = 1000;
/** Conditions of TPC-C that the paper saw broken: all at Read Committed, at causal all but the fourth and the eleventh. */
const PUBLISHED = [
  { level: "read-committed", broken: 12 },
  { level: "causal", broken: 10 },
] as const;

async function main(runs: number): Promise<void> {
  const print = (line: string): void => {
    console.log(line);
  };
  const micro = await monkeyResults(MICRO_RUNS, 0);
  printTable(
    ["assertion", "runs until it breaks", "published", "seconds", "published"].map((title, at) => ({
      title,
      align: at === 0 ? "left" : "right",
    })),
    micro.map(({ name, iterations, seconds, published }) => [
      name,
      iterations.toFixed(1),
      published.iterations.toFixed(1),
      seconds.toFixed(3),
      published.seconds.toFixed(2),
    ]),
    print,
  );
  const rows: string[][] = [];
  for (const { level, broken: published } of PUBLISHED)
    for (const overwriteKeys of [false, true]) {
      const { broken, seenBroken } = await runLevel(level, runs, overwriteKeys);
      const either = broken.map((count, at) => Math.max(count, seenBroken[at] ?? 0));
      rows.push([
        level,
        overwriteKeys ? "overwritten" : "refused",
        ...either.map((count) => (count === 0 ? "-" : (runs / count).toFixed(1))),
        `${String(either.filter((count) => count > 0).length)} of ${String(CONDITIONS.length)}`,
        `${String(published)} of ${String(CONDITIONS.length)}`,
      ]);
    }
  print("");
  printTable(
    [
      "level",
      "same keys",
      ...CONDITIONS.map(({ number }) => `C${String(number)}`),
      "broken",
      "published",
    ].map((title, at) => ({ title, align: at < 2 ? "left" : "right" })),
    rows,
    print,
  );
}

void main(Number(process.argv[2] ?? RUNS));
