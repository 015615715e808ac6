// `npm run agree:engines`: random programs of one to three transactions, on which static analysis, exhaustive exploration
// and the history checker must agree at each level of the literature that all of them know. Prints sums per level; a
// disagreement is printed as the smallest program that still shows it, and the exit code is then 1.
//
//   npm run agree:engines -- [--count N] [--seed N] [--shard I/N] [--levels NAME,NAME]
import process from "node:process";
import { parseArgs } from "node:util";
import { chooser } from "../unit/analysis/productsHarness";
import { randomSeed } from "../unit/analysis/agreementRuns";
import { randomTransactions, routinesText } from "../unit/analysis/randomTransactions";
import { ENGINE_LEVELS, type EngineLevel } from "../unit/engines/compareEngines";
import { compareProgram, smallest, type ProgramAgreement } from "../unit/engines/engineRuns";
import { endWith, printMost, printSums, programsOf } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    shard: { type: "string", default: "1/1" },
    levels: { type: "string", default: "" },
  },
});

const KINDS = ["same", "missed", "unused", "false", "contradiction", "open"] as const;
const COUNTS = ["outcomes", "anomalous", "benign", "merged"] as const;

type Sums = Record<(typeof KINDS)[number] | (typeof COUNTS)[number] | "verdicts" | "shown", number>;

endWith(main());

/** The number of disagreements. */
async function main(): Promise<number> {
  const levels = chosenLevels();
  const sums = new Map(levels.map((level) => [level, noSums()]));
  const open = new Map<string, number>();
  for (const number of programsOf(options.shard, Number(options.count), seconds)) {
    const transactions = randomTransactions(chooser(randomSeed(Number(options.seed), number)));
    for (const result of await compareProgram(transactions, levels)) {
      add(sums.get(result.level), result);
      if (result.kind === "open")
        for (const reason of new Set(result.reasons.map((each) => each.replace(/\d+/g, "N"))))
          open.set(reason, (open.get(reason) ?? 0) + 1);
      else if (result.kind !== "same") await report(number, result);
    }
  }
  printSums(sums, ["verdicts", "shown", ...KINDS, ...COUNTS]);
  printMost(open, 10);
  const total = (of: (sum: Sums) => number): number =>
    [...sums.values()].reduce((all, each) => all + of(each), 0);
  const wrong = total((each) => each.verdicts - each.same - each.open);
  console.log(
    `${options.count} programs, ${total((each) => each.verdicts)} verdicts, ${wrong} disagreements, ${seconds()}`,
  );
  return wrong;
}

function chosenLevels(): readonly EngineLevel[] {
  const names = options.levels.split(",");
  return options.levels === ""
    ? ENGINE_LEVELS
    : ENGINE_LEVELS.filter((level) => names.includes(level));
}

async function report(number: number, result: ProgramAgreement): Promise<void> {
  const { kind, level, transactions } = result;
  const { shown, claimed, reasons, ...least } =
    (await smallest(transactions, level, kind)) ?? result;
  console.log(
    `program ${number} at ${level}: ${kind}; ${shown} by exploration, ${claimed} by the analysis`,
  );
  for (const reason of reasons.slice(0, 3)) console.log(`  ${reason}`);
  console.log(routinesText(least.transactions));
}

function noSums(): Sums {
  const names = [...KINDS, ...COUNTS, "verdicts", "shown"] as const;
  // Every name has its count.
  return Object.fromEntries(names.map((name) => [name, 0])) as Sums;
}

function add(sums: Sums | undefined, result: ProgramAgreement): void {
  if (sums === undefined) return;
  sums.verdicts += 1;
  sums[result.kind] += 1;
  if (result.shown !== "none") sums.shown += 1;
  for (const name of COUNTS) sums[name] += result[name];
}

function seconds(): string {
  const { user, system } = process.cpuUsage();
  return `${((user + system) / 1e6).toFixed(0)} s of CPU`;
}
