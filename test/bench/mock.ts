// Runs a small TPC-C against the mock database: which of its twelve consistency conditions break at which level, and
// whether every recorded history satisfies the level. `npm run bench:mock -- 20 causal`: so many runs, at those levels.
// Each condition is asked twice: of the state in which everything has arrived everywhere, and by a transaction of the
// level in a session of its own, as an application asks it.
import process from "node:process";
import pg from "pg";
import { randomNumbers } from "../../server/src/exploration/randomNumbers";
import { openStore, type OpenedStore } from "../../server/src/mock/openStore";
import { ownEntry } from "../../server/src/protocol/dictionary";
import { printTable } from "./statistics";
import { randomTransaction } from "./tpcc/client";
import { CONDITIONS } from "./tpcc/conditions";
import { population } from "./tpcc/population";

const RUNS = 100;
const SESSIONS = 3;
const TRANSACTIONS = 6;
/** At `any` no axiom holds, not even that a key is created once; there is nothing to judge. */
const LEVELS = ["any", "read-committed", "causal", "snapshot-isolation", "serializable"] as const;

export interface LevelResult {
  readonly level: string;
  readonly runs: number;
  readonly committed: number;
  readonly refused: number;
  /** How many runs broke each condition in their final state, in the order of the conditions. */
  readonly broken: readonly number[];
  /** In how many runs a transaction of the level that came after all others found each condition broken. */
  readonly seenBroken: readonly number[];
  /** Seeds of runs whose history does not satisfy the level. */
  readonly wrong: readonly number[];
  readonly milliseconds: number;
}

/** So many runs at a level, each from the start and with a seed of its own. */
export async function runLevel(
  level: string,
  runs: number,
  overwriteKeys = false,
): Promise<LevelResult> {
  const schema = population();
  const broken = CONDITIONS.map(() => 0);
  const seenBroken = CONDITIONS.map(() => 0);
  const wrong: number[] = [];
  let [committed, refused] = [0, 0];
  const started = performance.now();
  for (let seed = 1; seed <= runs; seed++) {
    const store = await openStore({ level, seed, schema, overwriteKeys });
    try {
      const outcomes = await Promise.all(
        Array.from({ length: SESSIONS }, (_, session) => runSession(store, seed * 100 + session)),
      );
      committed += outcomes.flat().filter(Boolean).length;
      refused += outcomes.flat().filter((each) => !each).length;
      for (const [at, condition] of CONDITIONS.entries()) {
        const [row] = store.rows(condition.broken);
        if (row?.["count"] !== "0") broken[at] = (broken[at] ?? 0) + 1;
      }
      for (const at of await seenBrokenBy(store)) seenBroken[at] = (seenBroken[at] ?? 0) + 1;
      if (level !== "any" && ownEntry(store.verdicts(), level) !== "ok") wrong.push(seed);
    } finally {
      await store.close();
    }
  }
  const milliseconds = performance.now() - started;
  return { level, runs, committed, refused, broken, seenBroken, wrong, milliseconds };
}

/** The conditions that a new session finds broken, each in a transaction of its own. */
async function seenBrokenBy(store: OpenedStore): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  const found: number[] = [];
  for (const [at, { broken }] of CONDITIONS.entries()) {
    await client.query("BEGIN");
    const { rows } = await client.query<{ count: string }>(broken);
    await client.query("COMMIT");
    if (rows[0]?.count !== "0") found.push(at);
  }
  await client.end();
  return found;
}

async function runSession(store: OpenedStore, seed: number): Promise<readonly boolean[]> {
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  const random = randomNumbers(seed);
  const outcomes: boolean[] = [];
  for (let count = 0; count < TRANSACTIONS; count++)
    outcomes.push(await randomTransaction(client, random));
  await client.end();
  return outcomes;
}

async function main(args: readonly string[]): Promise<void> {
  const runs = Number(args.find((each) => /^\d+$/.test(each)) ?? RUNS);
  const asked = LEVELS.filter((level) => args.includes(level));
  const results: LevelResult[] = [];
  for (const level of asked.length > 0 ? asked : LEVELS) results.push(await runLevel(level, runs));
  const columns = [
    "level",
    "conditions in",
    "committed",
    "refused",
    ...CONDITIONS.map(({ number }) => `C${String(number)}`),
  ];
  printTable(
    [...columns, "broken", "histories ok", "ms a run"].map((title, at) => ({
      title,
      align: at === 0 ? "left" : "right",
    })),
    results.flatMap(({ level, committed, refused, broken, seenBroken, wrong, milliseconds }) => [
      [
        level,
        "the final state",
        String(committed),
        String(refused),
        ...cells(broken),
        level === "any" ? "-" : `${String(runs - wrong.length)} of ${String(runs)}`,
        (milliseconds / runs).toFixed(0),
      ],
      ["", "a transaction's reads", "", "", ...cells(seenBroken), "", ""],
    ]),
    (line) => {
      console.log(line);
    },
  );
  for (const { level, wrong } of results)
    if (wrong.length > 0) console.log(`${level}: not so with the seeds ${wrong.join(", ")}`);
  if (results.some(({ wrong }) => wrong.length > 0)) process.exitCode = 1;
}

/** A column for each condition, and how many there are that broke at all. */
function cells(broken: readonly number[]): readonly string[] {
  return [
    ...broken.map(String),
    `${String(broken.filter((count) => count > 0).length)} of ${String(CONDITIONS.length)}`,
  ];
}

if (require.main === module) void main(process.argv.slice(2));
