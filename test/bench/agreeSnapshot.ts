// `npm run agree:snapshot`: random programs without inserts and locks, on which snapshot isolation by the relational
// encoding must give the verdict of PostgreSQL's REPEATABLE READ by that of products, and the store at SERIALIZABLE
// (the axioms', PostgreSQL's, InnoDB's by its locks) exactly the outcomes of the serial runs. Exits with 1 otherwise.
//
//   npm run agree:snapshot -- [--programs N] [--seed N]
import { parseArgs } from "node:util";
import { findLevel, type Level } from "../../server/src/isolation/levels";
import { compareSerial, plainTransactions } from "../unit/analysis/agreementPlain";
import { verdictOf } from "../unit/analysis/agreement";
import { randomSeed } from "../unit/analysis/agreementRuns";
import { chooser, readRandom } from "../unit/analysis/productsHarness";
import { routinesText } from "../unit/analysis/randomTransactions";
import { endWith, secondsSince } from "./randomRun";

const { values: options } = parseArgs({
  options: {
    programs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
  },
});

endWith(main());

async function main(): Promise<number> {
  const [si, rr] = [levelOf("snapshot-isolation"), levelOf("postgres:repeatable-read")];
  const sums = { programs: 0, anomalous: 0, unknown: 0, verdicts: 0, outcomes: 0 };
  const started = performance.now();
  for (let number = 1; number <= Number(options.programs); number += 1) {
    const transactions = plainTransactions(chooser(randomSeed(Number(options.seed), number)));
    const text = routinesText(transactions);
    const program = await readRandom(text);
    const verdicts = [];
    for (const level of [si, rr]) verdicts.push(await verdictOf(program, level, [0, 1]));
    const [relational, product] = verdicts;
    sums.programs += 1;
    if (product !== "none") sums.anomalous += 1;
    // Severities depend on which of several cycles is met first at the papers' levels: the verdict is what must agree.
    const differ = (relational === "none") !== (product === "none");
    if (verdicts.includes("unknown")) sums.unknown += 1;
    else if (differ) {
      sums.verdicts += 1;
      console.log(
        `program ${number}: ${relational ?? ""} relational, ${product ?? ""} product\n${text}`,
      );
    }
    const wrong = compareSerial(program);
    sums.outcomes += wrong.length;
    for (const each of wrong) console.log(`program ${number}: ${each}\n${text}`);
  }
  console.log(
    `${sums.programs} programs, ${sums.anomalous} with an anomaly, ${sums.unknown} unknown, ` +
      `${sums.verdicts} verdicts differ, ${sums.outcomes} sets of outcomes differ, ${secondsSince(started)}`,
  );
  return sums.verdicts + sums.outcomes;
}

function levelOf(name: string): Level {
  const level = findLevel(name);
  if (level === undefined) throw new Error(`no level ${name}`);
  return level;
}
