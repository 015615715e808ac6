// `npm run agree`: 500 random programs and the examples, on which the two tiers of the relational encoding must give
// the same verdict at every level from read-atomic on, and no tuple that its pairs reject may have a cycle.
//
//   npm run agree -- [--programs N] [--size K]
import { parseArgs } from "node:util";
import { openZ3 } from "../../server/src/engine/z3";
import { compareTiers } from "../unit/analysis/tiersAgree";
import { randomProgram } from "../unit/analysis/randomFlat";
import { endWith, secondsSince } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "500" },
    size: { type: "string", default: "2" },
  },
});

endWith(main());

/** The number of disagreements. */
async function main(): Promise<number> {
  const z3 = await openZ3();
  const [programs, size] = [Number(options.programs), Number(options.size)];
  let [compared, sat, disagreements] = [0, 0, 0];
  const started = performance.now();
  for (let seed = 1; seed <= programs; seed += 1) {
    const result = compareTiers(z3, randomProgram(seed), size);
    compared += result.compared;
    sat += result.sat;
    disagreements += result.disagreements.length;
    for (const each of result.disagreements) console.log(`seed ${seed}: ${each}`);
  }
  console.log(
    `${programs} programs, ${compared} verdicts on tuples of ${size} (${sat} with a cycle), ${disagreements} disagreements, ${secondsSince(started)}`,
  );
  z3.dispose();
  return disagreements;
}
