// `npm run agree:triggers`: random schemas with triggers and transactions that fire them, on which a server and the store must
// leave the same rows. Prints what differs; the exit code is then 1.
//
//   npm run agree:triggers -- [--product postgres|mariadb] [--programs N] [--seed N]
import { parseArgs } from "node:util";
import type { LiveSession } from "../../server/src/replay/servers/liveSession";
import { startMariadb, startPostgres } from "../../server/src/replay/servers/temporary";
import { randomSeed } from "../unit/analysis/agreementRuns";
import { chooser, type Choose } from "../unit/analysis/productsHarness";
import {
  compareStoredTriggers,
  randomStoredTriggers,
  storedTriggersText,
} from "../unit/replay/randomStoredTriggers";
import {
  compareTriggers,
  randomTriggers,
  triggersText,
  type TriggerComparison,
} from "../unit/replay/randomTriggers";
import { endWith, printMost } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    product: { type: "string", default: "postgres" },
  },
});

endWith(main());

interface Compared extends TriggerComparison {
  readonly text: string;
}

async function onPostgres(session: LiveSession, choose: Choose): Promise<Compared> {
  const program = randomTriggers(choose);
  return { ...(await compareTriggers(session, program)), text: triggersText(program) };
}

async function onMariadb(session: LiveSession, choose: Choose): Promise<Compared> {
  const program = randomStoredTriggers(choose);
  return { ...(await compareStoredTriggers(session, program)), text: storedTriggersText(program) };
}

/** The number of programs that differ. */
async function main(): Promise<number> {
  const isMariadb = options.product === "mariadb";
  const started = await (isMariadb ? startMariadb() : startPostgres());
  if (!started.ok) throw new Error(started.reason);
  const { server, stop } = started.temporary;
  const session = await server.open();
  if (isMariadb) {
    await session.execute("CREATE DATABASE triggers");
    await session.execute("USE triggers");
  }
  const sums = { same: 0, different: 0, open: 0 };
  const open = new Map<string, number>();
  try {
    for (let number = 1; number <= Number(options.programs); number += 1) {
      const compare = isMariadb ? onMariadb : onPostgres;
      const choose = chooser(randomSeed(Number(options.seed), number));
      const { kind, text, ...states } = await compare(session, choose);
      sums[kind] += 1;
      if (kind === "open") open.set(states.store, (open.get(states.store) ?? 0) + 1);
      if (kind !== "different") continue;
      console.log(`program ${number}:\n${text}`);
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
