// The possible final states of a history: the last writer of each key, over all commit orders that the level allows.
import type { Client, Key, Value } from "./client";
import { copyRules } from "./copyRules";
import { isWeakLevel } from "./commitOrder";
import type { StoreLevel } from "./exploration";
import type { FinalState, History, Transaction, TransactionId } from "./history";
import { INITIAL } from "./history";
import { writersByKey, writesOf } from "./log";
import { versionOrders } from "./parallelSnapshot";
import type { Precedence } from "./precedence";
import { orderOf } from "./reorderings";
import { endings } from "./sequences";
import type { LastWriters, Step } from "./sequences";
import { stepsOf } from "./stepsOf";

/**
 * All final states of a history that the level allows, each once; `run` has the steps of its run, if any. Exponential in the unordered
 * writers.
 */
export function finalStatesOf(
  client: Client,
  history: History,
  level: StoreLevel,
  run?: readonly Step[],
): readonly FinalState[] {
  return lastWriters(history, level, run).map((last) => stateOf(client, history, last));
}

function lastWriters(
  history: History,
  level: StoreLevel,
  run: readonly Step[] | undefined,
): readonly LastWriters[] {
  if (isWeakLevel(level)) {
    const order = orderOf(history.transactions, level);
    return order === undefined ? [] : weakEndings(history.transactions, order.before);
  }
  if (level === "parallel-snapshot-isolation")
    return distinct(
      [...versionOrders(history)].map((order) => maximal(history.transactions, order)),
    );
  const rules = copyRules(level);
  const steps = run ?? (rules && stepsOf(history, rules));
  return steps === undefined ? [] : endings(steps);
}

/** Picks a last writer per key, as long as one commit order can put all of them last. */
function weakEndings(
  transactions: readonly Transaction[],
  before: Precedence,
): readonly LastWriters[] {
  const keys = [...writersByKey(transactions)];
  const count = transactions.length + 1;
  const found: LastWriters[] = [];
  const go = (at: number, order: Precedence, last: LastWriters): void => {
    const next = keys[at];
    if (next === undefined) {
      found.push(last);
      return;
    }
    const [key, writers] = next;
    for (const writer of writers) {
      const others = writers.filter((other) => other !== writer);
      if (others.some((other) => order.has(writer, other))) continue;
      const tried = order.copy();
      if (!others.every((other) => tried.insert(other, writer, count))) continue;
      const id = transactions[writer - 1]?.id ?? INITIAL;
      go(at + 1, tried, new Map([...last, [key, id]]));
    }
  };
  go(0, before, new Map());
  return found;
}

/** The last writers if all writers of a key are ordered. */
function maximal(transactions: readonly Transaction[], order: Precedence): LastWriters {
  return new Map(
    [...writersByKey(transactions)].map(([key, writers]) => {
      const last = writers.find((writer) => !writers.some((other) => order.has(writer, other)));
      return [key, transactions[(last ?? 0) - 1]?.id ?? INITIAL];
    }),
  );
}

function distinct(all: readonly LastWriters[]): readonly LastWriters[] {
  return [...new Map(all.map((last) => [[...last].join(), last])).values()];
}

function stateOf(client: Client, history: History, last: LastWriters): FinalState {
  const byId = new Map(history.transactions.map((transaction) => [transaction.id, transaction]));
  const state = new Map<Key, { writer: TransactionId; value: Value }>();
  for (const key of [...new Set([...client.initial.keys(), ...last.keys()])].sort()) {
    const writer = last.get(key) ?? INITIAL;
    const transaction = byId.get(writer);
    const value =
      transaction === undefined ? client.initial.get(key) : writesOf(transaction).get(key);
    if (value !== undefined) state.set(key, { writer, value });
  }
  return state;
}
