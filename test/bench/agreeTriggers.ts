// `npm run agree:triggers`: random schemas with triggers and transactions that fire them, on which a PostgreSQL and the
// store must leave the same rows. Prints what differs; the exit code is then 1.
//
//   npm run agree:triggers -- [--programs N] [--seed N]
import { parseArgs } from "node:util";
import { startPostgres } from "../../server/src/replay/servers/temporary";
import { randomSeed } from "../unit/analysis/agreementRuns";
import { chooser } from "../unit/analysis/productsHarness";
import { compareTriggers, randomTriggers, triggersText } from "../unit/replay/randomTriggers";
import { endWith, printMost } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
});

endWith(main());

/** The number of programs that differ. */
async function main(): Promise<number> {
  const started = await startPostgres();
  if (!started.ok) throw new Error(started.reason);
  const { server, stop } = started.temporary;
  const session = await server.open();
  const sums = { same: 0, different: 0, open: 0 };
  const open = new Map<string, number>();
  try {
    for (let number = 1; number <= Number(options.programs); number += 1) {
      const program = randomTriggers(chooser(randomSeed(Number(options.seed), number)));
      const { kind, ...states } = await compareTriggers(session, program);
      sums[kind] += 1;
      if (kind === "open") open.set(states.store, (open.get(states.store) ?? 0) + 1);
      if (kind !== "different") continue;
      console.log(`program ${number}:\n${triggersText(program)}`);
      console.log(`the server:\n${states.server}\nthe store:\n${states.store}\n`);
    }
  } finally {
    await session.close();
    await stop();
  }
  printMost(open, 20);
  console.log(
    `${options.programs} programs, ${sums.same} same, ${sums.different} different, ${sums.open} not understood`,
  );
  return sums.different;
}
