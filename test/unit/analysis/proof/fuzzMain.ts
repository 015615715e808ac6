// Many random programs: `npm run fuzz:proofs -- [FROM] [TO] [MOST]` compares what is proved with what is found.
import { openZ3 } from "../../../../server/src/engine/z3";
import { PROVED_LEVELS, compare, programOf } from "./contradictions";

async function main(): Promise<void> {
  const [from = 1, to = 201, most = 3] = process.argv.slice(2).map(Number);
  const solvers = await openZ3();
  const proved = new Map<string, number>();
  let contradictions = 0;
  for (let seed = from; seed < to; seed += 1)
    for (const level of PROVED_LEVELS) {
      const result = compare(solvers, programOf(seed), level, most);
      if (result.proved) proved.set(level, (proved.get(level) ?? 0) + 1);
      if (result.contradiction === undefined) continue;
      contradictions += 1;
      console.log(`seed ${String(seed)} at ${level}: proved, but ${result.contradiction}`);
    }
  const counts = [...proved].map(([level, count]) => `${level} ${String(count)}`).join(", ");
  console.log(
    `${String(to - from)} programs; proved: ${counts}; ${String(contradictions)} contradictions`,
  );
  process.exitCode = contradictions > 0 ? 1 : 0;
}

void main();
