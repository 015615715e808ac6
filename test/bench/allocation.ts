// `npm run bench:allocation -- [--most 6]`: levels lowered one by one beside every allocation over READ COMMITTED, REPEATABLE READ and
// SERIALIZABLE, for all programs of two and more of the small transactions, up to `--most` types.
import process from "node:process";
import { parseArgs } from "node:util";
import { PRODUCT_LEVELS } from "../../server/src/isolation/levels";
import type { Program } from "../../server/src/program/program";
import { allocate } from "../../server/src/service/allocate";
import { openSolveCache } from "../../server/src/service/search/tupleSolver";
import { analyseProgram } from "../unit/truth/analyse";
import { PARTS, programOf } from "../unit/service/allocationParts";

const { values: options } = parseArgs({ options: { most: { type: "string", default: "6" } } });

async function main(): Promise<void> {
  const among = PRODUCT_LEVELS.filter(({ product }) => product === "postgres");
  // A tuple that was asked at these levels is not asked again.
  const cache = openSolveCache(100_000);
  const check = (part: Program) =>
    analyseProgram(part, "postgres:read-committed", 2, 1, [], { cache });
  const { signal } = new AbortController();
  let odd = 0;
  const programs = subsets(Object.keys(PARTS)).filter(
    ({ length }) => length >= 2 && length <= Number(options.most),
  );
  for (const names of programs) {
    const question = { program: await programOf(names), among, bound: 2 };
    const started = process.cpuUsage();
    const all = await allocate(
      { ...question, mostTried: among.length ** names.length },
      check,
      signal,
    );
    const lowered = await allocate({ ...question, mostTried: 0 }, check, signal);
    const { user, system } = process.cpuUsage(started);
    const known = [all.levels, ...all.alternatives].map((each) => JSON.stringify(each));
    const isAmong = all.isExhaustive && known.includes(JSON.stringify(lowered.levels));
    if (!isAmong) odd += 1;
    const verdict = isAmong ? "among all" : "NOT among all";
    const seconds = ((user + system) / 1e6).toFixed(1);
    process.stdout.write(
      `${names.join(", ")}: ${String(known.length)} that cannot be weakened, lowered one by one ${verdict}, ${seconds} s\n`,
    );
  }
  process.stdout.write(
    `${String(programs.length)} programs, ${String(odd)} of them not among all\n`,
  );
  process.exitCode = odd > 0 ? 1 : 0;
}

/** All subsets, small ones first. */
function subsets(names: readonly string[]): readonly (readonly string[])[] {
  const all = names.reduce<readonly (readonly string[])[]>(
    (sets, name) => [...sets, ...sets.map((set) => [...set, name])],
    [[]],
  );
  return [...all].sort((a, b) => a.length - b.length);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
