// `npm run agree:products`: random programs, on which the verdict of the search must be that of exhaustive enumeration,
// at the levels that were measured on real servers. Prints sums per level; a disagreement is printed as the smallest
// program that still shows it, and the exit code is then 1.
//
//   npm run agree:products -- [--programs N] [--seed N] [--shard I/N] [--levels NAME,NAME|all]
//                             [--key deferred|immediate]
//
// With --key the values of the table's other column are a key that is DEFERRABLE, at PostgreSQL's levels.
import { parseArgs } from "node:util";
import { PRODUCT_LEVELS, type ProductLevel } from "../../server/src/isolation/levels";
import {
  compareProgram,
  randomSeed,
  smallest,
  type ProgramAgreement,
} from "../unit/analysis/agreementRuns";
import { chooser } from "../unit/analysis/productsHarness";
import { randomTransactions, routinesText } from "../unit/analysis/randomTransactions";
import { levelNamed } from "../unit/analysis/randomSql";
import { endWith, printMost, printSums, programsOf, secondsSince } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
    shard: { type: "string", default: "1/1" },
    levels: { type: "string", default: "" },
    key: { type: "string", default: "" },
  },
});

const KINDS = ["same", "missed", "weaker", "false", "unconfirmed", "unknown"] as const;

const key = options.key === "deferred" || options.key === "immediate" ? options.key : undefined;

type Sums = Record<(typeof KINDS)[number] | "anomalous" | "verdicts", number>;

endWith(main());

/** The number of wrong verdicts. */
async function main(): Promise<number> {
  const levels = chosenLevels();
  const sums = new Map(levels.map((level) => [level.name, noSums()]));
  const causes = new Map<string, number>();
  const started = performance.now();
  const seconds = (): string => secondsSince(started);
  for (const number of programsOf(options.shard, Number(options.programs), seconds)) {
    const transactions = randomTransactions(chooser(randomSeed(Number(options.seed), number)));
    for (const level of levels)
      for (const result of await compareProgram(transactions, level, key)) {
        count(sums.get(level.name), result);
        if (result.kind !== "same")
          for (const reason of new Set(result.reasons)) {
            const cause = `${level.name}, ${result.kind}: ${reason.replace(/\d+/g, "N")}`;
            causes.set(cause, (causes.get(cause) ?? 0) + 1);
          }
        if (["missed", "weaker", "false"].includes(result.kind))
          await report(number, level, result);
      }
  }
  printSums(sums, ["verdicts", "anomalous", ...KINDS]);
  printMost(causes, 20);
  const all = [...sums.values()];
  const wrong = all.reduce((total, each) => total + each.missed + each.weaker + each.false, 0);
  const verdicts = all.reduce((total, each) => total + each.verdicts, 0);
  console.log(`${options.programs} programs, ${verdicts} verdicts, ${wrong} wrong, ${seconds()}`);
  return wrong;
}

function chosenLevels(): readonly ProductLevel[] {
  if (options.levels === "all") return PRODUCT_LEVELS;
  if (options.levels !== "") return options.levels.split(",").map(levelNamed);
  return PRODUCT_LEVELS.filter(
    ({ evidence, product }) =>
      evidence === "measured" && (key === undefined || product === "postgres"),
  );
}

async function report(
  number: number,
  level: ProductLevel,
  result: ProgramAgreement,
): Promise<void> {
  const shrunk = await smallest(result.transactions, level, result.kind, key);
  console.log(
    `program ${number} at ${level.name}: ${result.kind}, ${result.shown} by enumeration, ${result.claimed} by the search`,
  );
  console.log(routinesText(shrunk, key));
}

function noSums(): Sums {
  return {
    same: 0,
    missed: 0,
    weaker: 0,
    false: 0,
    unconfirmed: 0,
    unknown: 0,
    anomalous: 0,
    verdicts: 0,
  };
}

function count(sums: Sums | undefined, { kind, shown }: ProgramAgreement): void {
  if (sums === undefined) return;
  sums.verdicts += 1;
  sums[kind] += 1;
  if (shown !== "none") sums.anomalous += 1;
}
