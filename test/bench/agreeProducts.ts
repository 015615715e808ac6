// `npm run agree:products`: random programs, on which the search must find whatever some interleaving of the store shows, at
// levels of real databases that are encoded in different ways. Stops at the first that is missed, and prints it.
//
//   npm run agree:products -- [--programs N] [--seed N]
import process from "node:process";
import { parseArgs } from "node:util";
import { checkRandom } from "../unit/analysis/productsHarness";
import { OTHERS, POSTGRES, randomProgram } from "../unit/analysis/randomSql";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "5000" },
    seed: { type: "string", default: "1" },
  },
});

/** Programs between two lines of figures. */
const BATCH = 50;

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  const levels = [...POSTGRES.filter((each) => !each.serializable), ...OTHERS];
  const started = performance.now();
  let [programs, anomalous, turn] = [0, 0, 0];
  for (let seed = Number(options.seed); programs < Number(options.programs); seed += 1) {
    anomalous += await checkRandom({
      seed: seed * 7919,
      rounds: BATCH,
      programs: randomProgram,
      levelsOf: () => [levels[turn++ % levels.length]].flatMap((each) => each ?? []),
    });
    programs += BATCH;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${programs} programs, ${anomalous} with an anomaly, none missed, ${seconds} s`);
  }
}
