// `npm run litmus:live`: litmus programs on the servers that are installed, statement by statement in every interleaving
// (or a sample), beside what the store allows. Prints a line per program and level, every outcome that was observed and
// is not allowed, and the sums; exits with 1 when there is one.
//
//   npm run litmus:live -- [--only REGEX] [--levels NAME,NAME] [--runs N] [--random N [--keys]] [--seed N]
//
// With --keys the values of random programs are a key that is DEFERRABLE.
import process from "node:process";
import { parseArgs } from "node:util";
import { MODELLED_LEVELS, type ProductLevel } from "../../server/src/isolation/levels";
import { compareLive, litmusOf } from "../support/liveComparison";
import { openStage, runLive, type LiveStage } from "../support/liveLitmus";
import { serverFor } from "../support/liveServers";
import { randomSeed } from "../unit/analysis/agreementRuns";
import { chooser } from "../unit/analysis/productsHarness";
import { randomTransactions } from "../unit/analysis/randomTransactions";
import { productOf } from "../unit/store/programs";
import { readLitmus, type Litmus } from "../unit/store/litmus";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    levels: { type: "string", default: "" },
    runs: { type: "string", default: "100" },
    random: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
    keys: { type: "boolean", default: false },
  },
});

const sums = { cells: 0, runs: 0, waits: 0, observed: 0, allowed: 0, missing: 0, extra: 0 };

main().then(
  () => process.exit(sums.missing > 0 ? 1 : 0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  const started = performance.now();
  for (const product of ["postgres", "mariadb"] as const) {
    const temporary = await serverFor(product, {
      diagnostic: (message) => {
        console.log(message);
      },
    });
    if (temporary === undefined) continue;
    const stage = await openStage(temporary.server);
    console.log(temporary.server.version);
    try {
      await runAll(stage);
    } finally {
      await stage.close();
      await temporary.stop();
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const texts = Object.entries(sums).map(([name, value]) => `${value} ${name}`);
  console.log(`${texts.join(", ")}; ${seconds} s`);
}

async function runAll(stage: LiveStage): Promise<void> {
  const wanted = new RegExp(options.only, "i");
  const programs =
    randomPrograms() ?? readLitmus().filter(({ name, id }) => wanted.test(`${id} ${name}`));
  for (const litmus of programs)
    for (const levels of levelsFor(stage, litmus)) await runCell(stage, litmus, levels);
}

async function runCell(
  stage: LiveStage,
  litmus: Litmus,
  levels: readonly ProductLevel[],
): Promise<void> {
  const choose = chooser(randomSeed(Number(options.seed), sums.cells));
  const choice = (below: number): number => choose(NUMBERS) % below;
  const live = await runLive(stage, litmus, levels, { most: Number(options.runs), choose: choice });
  const { allowed, missing, extra } = compareLive(litmus, levels, live);
  sums.cells += 1;
  sums.runs += live.runs;
  sums.waits += live.waits;
  sums.observed += live.outcomes.size;
  sums.allowed += allowed;
  sums.missing += missing.length;
  sums.extra += live.complete ? extra.length : 0;
  const names = levels.map((each) => each.name).join(" + ");
  console.log(
    `${litmus.id} ${names.padEnd(50)} runs ${live.runs}${live.complete ? " (all)" : ""} aborted ${live.aborted}` +
      ` observed ${live.outcomes.size} allowed ${allowed} missing ${missing.length} extra ${extra.length}  ${litmus.name}`,
  );
  for (const outcome of missing) console.log(`    missing: ${outcome}`);
  if (live.complete) for (const outcome of extra) console.log(`    extra: ${outcome}`);
}

const DISTINCT: readonly [Litmus["initial"], ...Litmus["initial"][]] = [
  { 1: 1, 2: 2 },
  { 1: 5, 2: 6 },
  { 1: 7, 2: 1, 3: 2 },
  { 1: 1, 2: 2, 3: 3 },
];

const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;

/** The levels at which a program is run: all that were measured, or those that are asked for. */
function levelsFor({ server }: LiveStage, litmus: Litmus): readonly (readonly ProductLevel[])[] {
  if (options.levels !== "")
    return options.levels
      .split(",")
      .map((names) => names.split("+").map((name) => productOf(name.trim())))
      .filter((levels) => levels.every(({ product }) => product === server.product));
  if (litmus.key !== undefined && server.product !== "postgres") return [];
  const single = MODELLED_LEVELS.filter(
    ({ product, evidence }) => product === server.product && evidence === "measured",
  ).map((level) => [level]);
  const mixed = Object.keys(litmus.observedMixed ?? {})
    .map((names) => names.split(" + ").map(productOf))
    .filter((levels) => levels.every(({ product }) => product === server.product));
  return [...single, ...mixed];
}

function randomPrograms(): readonly Litmus[] | undefined {
  const count = Number(options.random);
  if (count === 0) return undefined;
  return Array.from({ length: count }, (_, number) => {
    const choose = chooser(randomSeed(Number(options.seed), number));
    const transactions = randomTransactions(choose);
    const pair = transactions.length === 1 ? [...transactions, ...transactions] : transactions;
    const initial = choose([{ 1: 1, 2: 2 }, { 1: 5, 2: 5 }, { 1: 7, 2: 1, 3: 3 }, { 1: 6 }]);
    const program = litmusOf(`r${String(number)}`, pair, initial);
    if (!options.keys) return program;
    return {
      ...program,
      initial: choose(DISTINCT),
      key: choose(["deferred", "deferred", "immediate"]),
    };
  });
}
