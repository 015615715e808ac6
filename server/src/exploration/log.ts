// A history under construction: finished transactions, and the running one.
import { ofNode } from "../query/nodes";
import type { Key, Value } from "./client";
import { INITIAL, OWN, transactionId } from "./history";
import type { Event, History, Transaction, TransactionId } from "./history";

/** The final writes of a transaction: the last write of each key; none unless it committed. */
export function writesOf(transaction: Transaction): ReadonlyMap<Key, Value> {
  if (transaction.status !== "committed") return NOTHING;
  return lastWrites(transaction);
}

const NOTHING: ReadonlyMap<Key, Value> = new Map();
const lastWrites = ofNode(({ events }: Transaction): ReadonlyMap<Key, Value> => {
  const last = new Map<Key, Value>();
  for (const event of events) if (event.kind === "write") last.set(event.key, event.value);
  return last;
});

/** Positions, from 1, of the transactions that write each key. */
export function writersByKey(
  transactions: readonly Transaction[],
): ReadonlyMap<Key, readonly number[]> {
  const writers = new Map<Key, number[]>();
  transactions.forEach((transaction, index) => {
    for (const key of writesOf(transaction).keys())
      writers.set(key, [...(writers.get(key) ?? []), index + 1]);
  });
  return writers;
}

/** The running transaction. */
export interface OpenTransaction {
  readonly id: TransactionId;
  readonly session: number;
  readonly index: number;
  readonly name: string | undefined;
  readonly events: Event[];
  readonly writes: Map<Key, Value>;
  /** The index of the running statement; -1 before the first. */
  statement: number;
}

export function openTransaction(
  session: number,
  index: number,
  name: string | undefined,
): OpenTransaction {
  const id = transactionId(session, index);
  return { id, session, index, name, events: [], writes: new Map(), statement: -1 };
}

/** The end of a transaction. */
export interface Ending {
  readonly status: "committed" | "aborted";
  readonly result?: Value;
  readonly failure?: string;
}

/** The finished transaction. */
export function endTransaction(open: OpenTransaction, ending: Ending): Transaction {
  const { id, session, index, name, events } = open;
  const { status, result, failure } = ending;
  return {
    id,
    session,
    index,
    name,
    events,
    status,
    ...(failure !== undefined && { failure }),
    ...(result !== undefined && { result }),
  };
}

/** The log of a run with serial transactions. */
export class Log {
  readonly transactions: Transaction[] = [];
  private readonly byId = new Map<TransactionId, number>();
  private readonly writers = new Map<Key, TransactionId[]>();

  constructor(private readonly initial: ReadonlyMap<Key, Value>) {}

  /** Appends a finished transaction. */
  add(transaction: Transaction): void {
    this.transactions.push(transaction);
    this.byId.set(transaction.id, this.transactions.length);
    for (const key of writesOf(transaction).keys()) {
      const known = this.writers.get(key);
      if (known === undefined) this.writers.set(key, [transaction.id]);
      else known.push(transaction.id);
    }
  }

  /** The position of a transaction: 0 is the initial state, the first transaction is 1. */
  position(id: TransactionId): number {
    return id === INITIAL ? 0 : (this.byId.get(id) ?? -1);
  }

  /** Committed transactions that write the key, in the order of the run. */
  writersOf(key: Key): readonly TransactionId[] {
    return this.writers.get(key) ?? [];
  }

  /** The version that a transaction reads from that writer. */
  value(reader: OpenTransaction, key: Key, from: TransactionId): Value {
    if (from === OWN) return reader.writes.get(key);
    if (from === INITIAL) return this.initial.get(key);
    const writer = this.transactions[this.position(from) - 1];
    return writer && writesOf(writer).get(key);
  }

  history(): History {
    return { transactions: [...this.transactions] };
  }
}
