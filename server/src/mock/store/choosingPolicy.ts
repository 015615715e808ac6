// Levels at which each read may return any version that keeps the history consistent: `any`, read committed, read
// atomic and causal consistency, by the axioms of Biswas and Enea (OOPSLA 2019), as MonkeyDB does (OOPSLA 2021).
import type { Key } from "../../exploration/client";
import { Precedence } from "../../exploration/precedence";
import type { Random } from "../../exploration/randomNumbers";
import {
  INITIAL,
  isWriter,
  readsOf,
  versionsOf,
  type Database,
  type Transaction,
  type Version,
} from "./database";
import type { Policy, Strategy, StrategyOf } from "./policy";

export type ChoosingLevel = "any" | "read-committed" | "read-atomic" | "causal";

/** A demand on the order of commits: the first before the second. */
type Demand = readonly [number, number];

/** No read ever fails, and no commit (but see `createdKeys.ts`): reading what the transaction's own past demands is always possible. */
export function choosingPolicy(
  level: ChoosingLevel,
  database: Database,
  strategyOf: StrategyOf,
): Policy {
  /** Session order and reads-from, closed. */
  const past = new Precedence();
  /** `past` and what reads demand of the order of commits, closed. */
  const before = new Precedence();
  const lastOfSession = new Map<number, number>();
  const sessionPast = new Map<number, readonly number[]>();

  function wrote(number: number, key: Key): boolean {
    const transaction = database.transactions.get(number);
    return transaction?.status === "committed" && transaction.writes.has(key);
  }

  /** The committed transactions that the reader sees, as the level has it, apart from the initial state. */
  function seenBy(reader: Transaction): readonly number[] {
    switch (level) {
      case "any":
        return [];
      case "read-committed":
        return [...new Set([...readsOf(reader)].map(({ from }) => from))];
      case "read-atomic":
        return [
          ...(sessionPast.get(reader.session) ?? []),
          ...new Set([...readsOf(reader)].map(({ from }) => from)),
        ];
      case "causal":
        return members(past, reader.number);
    }
  }

  /** Demands of reading from there; undefined if it demands that something comes before the initial state. */
  function demands(reader: Transaction, key: Key, from: number): readonly Demand[] | undefined {
    if (level === "any") return [];
    const found: Demand[] = [];
    const isOrdered = (writers: readonly number[], read: Key, source: number): boolean => {
      for (const writer of writers) {
        if (writer === source || writer === INITIAL || !wrote(writer, read)) continue;
        if (source === INITIAL) return false;
        found.push([writer, source]);
      }
      return true;
    };
    const newlySeen =
      level === "read-committed"
        ? []
        : level === "read-atomic"
          ? [from]
          : [from, ...members(past, from)];
    if (!isOrdered([...seenBy(reader), ...newlySeen], key, from)) return undefined;
    for (const read of readsOf(reader))
      if (!isOrdered(newlySeen, read.key, read.from)) return undefined;
    return found;
  }

  function isPossible(all: readonly Demand[]): boolean {
    const open = all.filter(([one, other]) => !before.has(one, other));
    if (open.some(([one, other]) => before.has(other, one))) return false;
    if (open.length < 2) return true;
    const tried = before.copy();
    return open.every(([one, other]) => tried.insert(one, other, database.transactions.size));
  }

  return {
    begin(transaction) {
      const { number, session } = transaction;
      for (const each of [past, before]) {
        each.reserve(number + 1);
        each.follow(INITIAL, number);
      }
      const previous = lastOfSession.get(session);
      if (previous === undefined) return;
      past.follow(previous, number);
      before.follow(previous, number);
    },
    statement: () => undefined,
    choose(key, newest, { transaction, random }) {
      for (const version of inOrder(versionsOf(newest), strategyOf(transaction), random)) {
        const needed = demands(transaction, key, version.writer);
        if (!needed || !isPossible(needed)) continue;
        for (const [one, other] of needed) before.insert(one, other, database.transactions.size);
        past.follow(version.writer, transaction.number);
        before.follow(version.writer, transaction.number);
        return version;
      }
      throw new Error(`no version of ${key} can be read at ${level}`);
    },
    validate: () => undefined,
    precedes: (one, other) => before.has(one, other),
    committed(transaction) {
      const { number, session } = transaction;
      lastOfSession.set(session, number);
      if (level === "read-atomic" && isWriter(transaction))
        sessionPast.set(session, [...(sessionPast.get(session) ?? []), number]);
    },
  };
}

/** The things that precede this one. */
function members(relation: Precedence, of: number): number[] {
  const found: number[] = [];
  for (let word = 0; word < relation.rowWords; word++) {
    for (let bits = relation.row(of, word); bits !== 0; bits &= bits - 1)
      found.push(32 * word + 31 - Math.clz32(bits & -bits));
  }
  return found;
}

/** All versions, the one to try first in front. */
function* inOrder(
  versions: readonly Version[],
  strategy: Strategy,
  random: Random,
): Generator<Version> {
  const left = [...versions];
  while (left.length > 0) {
    const at =
      strategy === "uniform" ? random(left.length) : strategy === "latest" ? left.length - 1 : 0;
    const [version] = left.splice(at, 1);
    if (version) yield version;
  }
}
