// Many random programs: `npm run fuzz:proofs -- [--count N] [--seed FIRST] [--most N] [--level NAME]...` compares what is
// proved with what a search of up to so many transactions finds.
import { parseArgs } from "node:util";
import { openZ3 } from "../../../../server/src/engine/z3";
import { PROVED_LEVELS, compare, programOf } from "./contradictions";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      most: { type: "string", default: "3" },
      level: { type: "string", multiple: true, default: [...PROVED_LEVELS] },
    },
  });
  const [count, first, most] = [values.count, values.seed, values.most].map(Number);
  if (!count || first === undefined || !most)
    throw new Error("--count, --seed and --most are numbers");
  const solvers = await openZ3();
  const proved = new Map<string, number>();
  let contradictions = 0;
  for (let seed = first; seed < first + count; seed += 1)
    for (const level of values.level) {
      const result = compare(solvers, programOf(seed), level, most);
      if (result.proved) proved.set(level, (proved.get(level) ?? 0) + 1);
      if (result.contradiction === undefined) continue;
      contradictions += 1;
      console.log(`seed ${String(seed)} at ${level}: proved, but ${result.contradiction}`);
    }
  const counts = [...proved].map(([level, each]) => `${level} ${String(each)}`).join(", ");
  console.log(
    `${String(count)} programs; proved: ${counts}; ${String(contradictions)} contradictions`,
  );
  process.exitCode = contradictions > 0 ? 1 : 0;
}

void main();
