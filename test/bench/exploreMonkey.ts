// The five assertions of MonkeyDB's Table 1 (Biswas et al., OOPSLA 2021), broken by the random driver at causal
// consistency, and how soon random runs have seen all states that there are (its Figure 13).
import path from "node:path";
import process from "node:process";
import { exploreClient, openJudge } from "../../server/src/clients/exploreClient";
import { accessRules } from "../../server/src/clients/statementView";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { randomRuns } from "../../server/src/exploration/randomRuns";
import { loadClient } from "../../server/src/service/exploration/loadClient";

export interface MonkeyResult {
  readonly name: string;
  /** Runs until the assertion fails, and their time of this process in seconds, as averages; and the paper's. */
  readonly iterations: number;
  readonly seconds: number;
  readonly published: { readonly iterations: number; readonly seconds: number };
  /** Different outcomes after so many runs. */
  readonly seen: readonly { readonly runs: number; readonly states: number }[];
  /** Different outcomes of all histories; absent where there was no time to see them all. */
  readonly all: number | undefined;
}

const FOLDER = path.join(__dirname, "..", "clients", "monkeydb");

const TABLE = [
  { name: "stack.js", title: "Stack: element popped twice", iterations: 3.7, seconds: 0.02 },
  { name: "overflow.client.json", title: "Courseware: overflow", iterations: 10.6, seconds: 0.09 },
  { name: "removed.client.json", title: "Courseware: removed", iterations: 57.5, seconds: 0.52 },
  {
    name: "reappears.client.json",
    title: "Shopping: item reappears",
    iterations: 20.2,
    seconds: 0.14,
  },
  { name: "tweets.client.json", title: "Twitter: missing tweets", iterations: 6.3, seconds: 0.03 },
] as const;

/** Numbers of runs after which outcomes are counted. */
export const SAMPLES = [10, 100, 1000, 5000] as const;

/** Runs each of the five so many times, seeds from 1 on; gives up counting all states after `limit` milliseconds. */
export async function monkeyResults(runs: number, limit: number): Promise<readonly MonkeyResult[]> {
  const parsers = { pg: await loadPgParser() };
  const results: MonkeyResult[] = [];
  for (const { name, title, iterations, seconds } of TABLE) {
    const { client, problems } = await loadClient(path.join(FOLDER, name), parsers);
    if (client === undefined) throw new Error(`${name}: ${problems[0]?.message ?? "no client"}`);
    const explorable = client.open(accessRules({ family: "paper" }));
    const judge = openJudge(client.assertions);
    const sessions = explorable.open();
    const driver = randomRuns({ initial: explorable.initial, sessions }, { level: "causal" });
    const sync = sessions.every(({ kind }) => kind === "sync");
    const seen: { runs: number; states: number }[] = [];
    const begin = cpu();
    for (let seed = 1; seed <= runs; seed++) {
      await judge.take(sync ? driver.runSync(seed) : await driver.run(seed));
      if (SAMPLES.some((each) => each === seed))
        seen.push({ runs: seed, states: judge.result().statesSeen });
    }
    const each = (cpu() - begin) / 1000 / runs;
    const failed = judge.broken.get(0)?.count ?? 0;
    const end = cpu() + limit;
    const all = await exploreClient(explorable, client.assertions, {
      level: "causal",
      stop: () => cpu() > end,
    });
    results.push({
      name: title,
      iterations: runs / failed,
      seconds: (each * runs) / failed,
      published: { iterations, seconds },
      seen,
      all: all.exhausted ? all.statesSeen : undefined,
    });
  }
  return results;
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
