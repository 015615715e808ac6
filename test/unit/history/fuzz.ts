// Random histories against brute force: `npm run fuzz:history -- [count] [seed]` for many, the unit test for some.
import { checkHistory } from "../../../server/src/history/check";
import type { PlainHistory } from "./bruteForce";
import { LEVELS, judge } from "./bruteForce";
import { anotherOrder, randomFrom, randomHistory, toHistory } from "./randomHistories";

export interface FuzzResult {
  /** Descriptions of histories on which checker and definitions disagree. */
  readonly mismatches: readonly string[];
  /** How many histories had which pattern of verdicts, such as "RC+ RA+ CC+ PSI- SI- SER-". */
  readonly patterns: ReadonlyMap<string, number>;
}

/** Checks `count` histories, each also in another order of sessions and with other names. */
export function fuzz(count: number, seed: number): FuzzResult {
  const random = randomFrom(seed);
  const mismatches: string[] = [];
  const patterns = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    const history = randomHistory(random);
    const strict = history.some((each) => each.begin !== undefined);
    const expected = judge(history, strict);
    const pattern = LEVELS.map((level) => `${level}${expected[level] ? "+" : "-"}`).join(" ");
    patterns.set(pattern, (patterns.get(pattern) ?? 0) + 1);
    const variants = [
      {},
      { order: anotherOrder(history, random), key: (key: number) => 900_000_000 - key * 7 },
      { value: (value: number) => -value * 1_000_003 },
    ];
    for (const naming of variants) {
      const { verdicts } = checkHistory(toHistory(history, naming), { strict });
      const found = [...verdicts.values()].map((verdict) => verdict === "ok");
      const different = LEVELS.filter((level, at) => found[at] !== expected[level]);
      if (different.length === 0) continue;
      mismatches.push(`${different.join(" ")} ${strict ? "strict " : ""}${textOf(history)}`);
      break;
    }
  }
  return { mismatches, patterns };
}

function textOf(history: PlainHistory): string {
  return history
    .map((each, index) => {
      const operations = each.operations.map((op) => {
        const value = op.values === undefined ? (op.value ?? 0) : `[${op.values.join(" ")}]`;
        return `${op.kind}(${op.key},${value})`;
      });
      const times = each.begin === undefined ? "" : ` ${each.begin}..${each.end ?? ""}`;
      return `\n  T${index + 1} session ${each.session} ${each.status}${times}: ${operations.join(" ")}`;
    })
    .join("");
}
