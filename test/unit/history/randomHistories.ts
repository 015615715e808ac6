// Random small histories of every sort, the same for the same seed, and their conversion to what the checker takes.
import { HistoryBuilder } from "../../../server/src/history/builder";
import type { History } from "../../../server/src/history/history";
import {
  ABORTED,
  APPEND,
  COMMITTED,
  READ,
  UNKNOWN,
  WRITE,
} from "../../../server/src/history/history";
import type { PlainHistory, PlainOperation, PlainTransaction } from "./bruteForce";

/** A number below the bound. */
export type Random = (bound: number) => number;

/** xorshift32 */
export function randomFrom(seed: number): Random {
  let state = seed | 0 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

interface Draft {
  readonly session: number;
  readonly status: PlainTransaction["status"];
  readonly operations: {
    kind: PlainOperation["kind"];
    key: number;
    value?: number;
    values?: number[];
  }[];
}

/**
 * Up to six transactions on up to three keys. Most reads return something that was written; a few histories contain
 * aborted, undecided, intermediate and thin-air reads, lists, and times.
 */
export function randomHistory(random: Random): PlainHistory {
  const sessions = 1 + random(4);
  const keys = 1 + random(3);
  const lists = random(4) === 0;
  const unsound = random(5) === 0;
  const undecided = random(3) === 0;
  const drafts: Draft[] = [];
  let value = 1;
  const count = 2 + random(5);
  for (let t = 0; t < count; t++) {
    const status =
      unsound && random(5) === 0
        ? "aborted"
        : undecided && random(3) === 0
          ? "unknown"
          : "committed";
    const draft: Draft = { session: random(sessions), status, operations: [] };
    for (let op = 1 + random(4); op > 0; op--) {
      const writes = random(2) === 0;
      const key = random(keys);
      if (writes) draft.operations.push({ kind: lists ? "append" : "write", key, value: value++ });
      else draft.operations.push({ kind: lists ? "list" : "read", key });
    }
    drafts.push(draft);
  }
  for (const draft of drafts) fillReads(draft, drafts, random, unsound, keys);
  return withTimes(drafts, random);
}

function fillReads(
  draft: Draft,
  drafts: readonly Draft[],
  random: Random,
  unsound: boolean,
  keys: number,
): void {
  // Mostly one reads the same again, and what was written before: else hardly any history would satisfy a level.
  const steady = random(4) !== 0;
  const forwards = random(4) !== 0;
  // A reader of a snapshot sees the first transactions up to some point, or some of those before it.
  const ownIndex = drafts.indexOf(draft);
  const until = random(3) === 0 ? random(ownIndex + 1) : Math.max(0, ownIndex - random(3));
  const sampled = random(3) === 0;
  const visible = drafts.filter(
    (each, index) =>
      (index < until && !(sampled && random(4) === 0)) ||
      (index < ownIndex && each.session === draft.session),
  );
  const snapshot = random(5) !== 0;
  const orders = Array.from({ length: keys }, (_, key) => finalList(drafts, key, random));
  draft.operations.forEach((op, place) => {
    const own = draft.operations
      .slice(0, place)
      .filter((each) => each.value !== undefined && each.key === op.key && each.kind !== "read");
    if (op.kind === "read") {
      const last = own.at(-1);
      op.value =
        last !== undefined && !(unsound && random(8) === 0) ? (last.value ?? 0) : someValue(op.key);
    } else if (op.kind === "list") {
      const order = (orders[op.key] ?? []).filter(
        (each) => unsound || !draft.operations.some((mine) => mine.value === each),
      );
      const again = draft.operations
        .slice(0, place)
        .find((each) => each.kind === "list" && each.key === op.key);
      const seen =
        steady && again?.values !== undefined && own.length === 0
          ? [...again.values]
          : snapshot
            ? order.filter((each) =>
                visible.some((other) => other.operations.some((mine) => mine.value === each)),
              )
            : order.slice(0, random(order.length + 1));
      if (unsound && random(8) === 0) seen.reverse();
      if (unsound && random(10) === 0) seen.push(99);
      op.values = [...seen, ...own.map((each) => each.value ?? 0)];
    }
  });

  function someValue(key: number): number {
    if (unsound && random(10) === 0) return 99;
    if (snapshot) {
      const seen = visible
        .filter((each) => each.status !== "aborted")
        .flatMap((each) =>
          each.operations.filter((op) => op.kind === "write" && op.key === key).slice(-1),
        );
      return seen.at(-1)?.value ?? 0;
    }
    const candidates = [0];
    for (const each of forwards ? drafts.slice(0, drafts.indexOf(draft)) : drafts) {
      if (!unsound && (each.status === "aborted" || each === draft)) continue;
      const writes = each.operations.filter((op) => op.kind === "write" && op.key === key);
      const offered = unsound && random(4) === 0 ? writes : writes.slice(-1);
      candidates.push(...offered.map((op) => op.value ?? 0));
    }
    return candidates[random(candidates.length)] ?? 0;
  }
}

/** One order of all appends that every reader sees a prefix of: the same for all readers, mostly. */
function finalList(drafts: readonly Draft[], key: number, random: Random): readonly number[] {
  const appends = drafts
    .filter((each) => each.status !== "aborted")
    .map((each) =>
      each.operations
        .filter((op) => op.kind === "append" && op.key === key)
        .map((op) => op.value ?? 0),
    );
  // A permutation that is the same for all, with a rare exception.
  const turn = random(12) === 0 ? random(3) : 0;
  return appends.map((_, index) => appends[(index + turn) % appends.length] ?? []).flat();
}

function withTimes(drafts: readonly Draft[], random: Random): PlainHistory {
  if (random(3) !== 0) return drafts;
  const clocks = new Map<number, number>();
  return drafts.map((draft) => {
    if (random(6) === 0) return draft;
    const begin = (clocks.get(draft.session) ?? 0) + 1 + random(4);
    const end = begin + 1 + random(8);
    clocks.set(draft.session, end);
    return draft.status === "unknown" ? { ...draft, begin } : { ...draft, begin, end };
  });
}

export interface Naming {
  /** The order in which the transactions are given, as a permutation that keeps the order of each session. */
  readonly order?: readonly number[];
  readonly key?: (key: number) => number;
  readonly value?: (value: number) => number;
}

export function toHistory(plain: PlainHistory, naming: Naming = {}): History {
  const builder = new HistoryBuilder({ zeroIsInitial: true, placeUnit: "line" });
  const keyName = naming.key ?? ((key) => key);
  const valueName = naming.value ?? ((value) => value);
  let line = 0;
  for (const index of naming.order ?? plain.keys()) {
    const each = plain[index];
    if (each === undefined) continue;
    const session = builder.session(each.session, 0);
    const transaction = builder.transaction(session, index + 1, 0);
    builder.setStatus(
      transaction,
      each.status === "committed" ? COMMITTED : each.status === "aborted" ? ABORTED : UNKNOWN,
    );
    if (each.begin !== undefined || each.end !== undefined)
      builder.setTimes(transaction, each.begin ?? Number.NaN, each.end ?? Number.NaN);
    for (const op of each.operations) {
      line++;
      const key = builder.key(keyName(op.key), 0);
      const version = (value: number) =>
        builder.version(key, value === 0 ? 0 : valueName(value), value === 0 ? 0 : -1);
      if (op.kind === "list") {
        for (const value of op.values ?? []) builder.listElement(version(value));
        builder.addListRead(transaction, key, line);
      } else {
        const kind = op.kind === "read" ? READ : op.kind === "append" ? APPEND : WRITE;
        builder.add(kind, transaction, key, version(op.value ?? 0), line);
      }
    }
  }
  return builder.finish();
}

/** True if two orders of the transactions are one history: a random merge of the sessions. */
export function anotherOrder(plain: PlainHistory, random: Random): readonly number[] {
  const sessions = new Map<number, number[]>();
  plain.forEach((each, index) => {
    sessions.set(each.session, [...(sessions.get(each.session) ?? []), index]);
  });
  const left = [...sessions.values()];
  const order: number[] = [];
  while (left.some((each) => each.length > 0)) {
    const open = left.filter((each) => each.length > 0);
    const next = open[random(open.length)]?.shift();
    if (next !== undefined) order.push(next);
  }
  return order;
}
