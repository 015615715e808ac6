// The shared parts of the comparisons on random programs: which programs are of this run, how it ends, and sums as a table.
import process from "node:process";
import { ownEntry } from "../../server/src/protocol/dictionary";

/** Programs between two lines of progress. */
const BATCH = 250;

/** Ends the process with 1 if anything is wrong, or where the comparison itself fails. */
export function endWith(wrong: Promise<number>): void {
  wrong.then(
    (count) => process.exit(count === 0 ? 0 : 1),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

/** The numbers of a shard "I/N" up to `count`; says now and then how far it has come. */
export function* programsOf(
  shardText: string,
  count: number,
  seconds: () => string,
): Generator<number> {
  const [shard = 1, shards = 1] = shardText.split("/").map(Number);
  for (let number = shard; number <= count; number += shards) {
    yield number;
    if (number % BATCH < shards) console.log(`${number} programs, ${seconds()}`);
  }
}

/** A row of counts for each name. */
export function printSums<Column extends string>(
  sums: ReadonlyMap<string, Readonly<Record<Column, number>>>,
  columns: readonly Column[],
): void {
  const width = Math.max(...[...sums.keys(), "level"].map((name) => name.length)) + 2;
  console.log(["level".padEnd(width), ...columns].join("  "));
  for (const [name, sum] of sums) {
    const cells = columns.map((each) => String(ownEntry(sum, each)).padStart(each.length));
    console.log([name.padEnd(width), ...cells].join("  "));
  }
}

/** How often each thing was met, the most frequent first. */
export function printMost(counts: ReadonlyMap<string, number>, most: number): void {
  for (const [what, times] of [...counts].sort(([, a], [, b]) => b - a).slice(0, most))
    console.log(`${String(times).padStart(5)}  ${what}`);
}

/** Seconds since `started`, a moment of `performance.now()`. */
export function secondsSince(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(0)} s`;
}

/** Each with how often it occurs, the most frequent first. */
export function counted(all: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
