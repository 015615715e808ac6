// Random programs: what the explorer finds is what the definitions allow, each history once.
import { exploreSync } from "../../../server/src/exploration/explore";
import type {
  AxiomaticLevel,
  ExploreOptions,
  ExploreSummary,
  Run,
} from "../../../server/src/exploration/exploration";
import type { Client } from "../../../server/src/exploration/client";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { allHistories, allowedTexts } from "./enumerate";
import { checkerSays } from "./judge";
import { historyText, programOf, randomProgram, type Program } from "./keyPrograms";

export const LEVELS: readonly AxiomaticLevel[] = [
  "any",
  "read-committed",
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
];

/** Levels at which no run may be in vain. */
const NEVER_BLOCKED: readonly AxiomaticLevel[] = LEVELS.slice(0, 4);

/** All runs of a client, and the summary. */
export function explored(
  client: Client,
  options: ExploreOptions,
): { readonly runs: readonly Run[]; readonly summary: ExploreSummary } {
  const runs: Run[] = [];
  const events = exploreSync(client, options);
  for (;;) {
    const event = events.next();
    if (event.done === true) return { runs, summary: event.value };
    if (event.value.kind === "run") runs.push(event.value.run);
    else runs.length = 0;
  }
}

export interface Disagreement {
  readonly program: string;
  readonly level: AxiomaticLevel;
  readonly missing: number;
  readonly extra: number;
  readonly twice: number;
  readonly blocked: number;
  /** Histories that the history checker refuses. */
  readonly refused: number;
}

/** Compares at all levels; undefined where the program has too many histories to enumerate. */
export function disagreements(program: Program, most = 60_000): Disagreement[] | undefined {
  const histories = allHistories(program, most);
  if (histories === undefined || (histories[0]?.transactions.length ?? 0) > 6) return undefined;
  return LEVELS.flatMap((level) => {
    const wanted = allowedTexts(histories, level);
    const { runs, summary } = explored(program.client, { level });
    const found = new Set(runs.map((run) => historyText(run.history)));
    const result: Disagreement = {
      program: program.text,
      level,
      missing: [...wanted].filter((text) => !found.has(text)).length,
      extra: [...found].filter((text) => !wanted.has(text)).length,
      twice: runs.length - found.size,
      blocked: NEVER_BLOCKED.includes(level) ? summary.blocked : 0,
      refused: runs.filter((run) => checkerSays(run.history, level) === "violated").length,
    };
    const { missing, extra, twice, blocked, refused } = result;
    return missing + extra + twice + blocked + refused === 0 ? [] : [result];
  });
}

export interface FuzzResult {
  readonly compared: number;
  readonly found: readonly Disagreement[];
}

/** Compares that many random programs that are small enough. */
export function fuzz(count: number, firstSeed: number): FuzzResult {
  const found: Disagreement[] = [];
  let compared = 0;
  for (let seed = firstSeed; compared < count; seed++) {
    const random = randomNumbers(seed);
    const program = randomProgram(random, {
      sessions: 2 + random(2),
      transactions: 2,
      operations: 1 + random(3),
      keys: 1 + random(3),
      branches: random(2) === 0,
    });
    const result = disagreements(program, 20_000);
    if (result === undefined) continue;
    compared++;
    found.push(...result.map((each) => smallest(each)));
  }
  return { compared, found };
}

/** Leaves out operations, transactions and sessions as long as the explorer is still wrong. */
function smallest(found: Disagreement): Disagreement {
  for (let at = 0; ; at++) {
    const words = found.program.split(" ");
    if (at >= words.length) return found;
    const text = words.filter((_, index) => index !== at).join(" ");
    if (words[at] === "|" || words[at]?.endsWith(";") === true) continue;
    const fewer = disagreements(programOf(text))?.find(({ level }) => level === found.level);
    if (fewer !== undefined) return smallest(fewer);
  }
}
