// Many random programs: `npm run fuzz:proofs -- [--count N] [--seed FIRST] [--most N] [--starts N] [--level NAME]...`
// compares what is proved with what a search of up to so many transactions finds, and with all runs from so many starts.
import { parseArgs } from "node:util";
import { openZ3 } from "../../../../server/src/engine/z3";
import { PROVED_LEVELS, compare } from "./contradictions";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      most: { type: "string", default: "3" },
      starts: { type: "string", default: "20" },
      level: { type: "string", multiple: true, default: [...PROVED_LEVELS] },
    },
  });
  const [count = NaN, first = NaN, most = NaN, starts = NaN] = [
    values.count,
    values.seed,
    values.most,
    values.starts,
  ].map(Number);
  if ([count, first, most, starts].some(Number.isNaN))
    throw new Error("--count, --seed, --most and --starts are numbers");
  const solvers = await openZ3();
  const proved = new Map<string, number>();
  let contradictions = 0;
  for (let seed = first; seed < first + count; seed += 1)
    for (const level of values.level) {
      const result = await compare(solvers, seed, level, { most, starts, instances: 3 });
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
