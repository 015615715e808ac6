// Suspicion: the likelihood, judged from the text alone, that a tuple shows a harmful race. It orders solver queries and rules nothing out.
import { ofNode } from "../../query/nodes";
import type { FlatProgram, FlatTransaction, Operation, Term } from "../operations/operation";
import { columnsIn, subterms } from "../operations/terms";

/** A write that depends on an unlocked read of the same transaction. */
interface StaleUse {
  readonly table: string;
  /** Columns that determine what the read sees. */
  readonly columns: ReadonlySet<string>;
  /** The harm of a stale read here, from `HARM`. */
  readonly harm: number;
}

interface Profile {
  readonly uses: readonly StaleUse[];
  readonly writes: readonly Operation[];
  readonly weakened: boolean;
}

/** The harm of a write that depends on a stale read, worst first. */
const HARM = {
  /** A value computed from the same row's old value: updates are lost. */
  overwrite: 8,
  /** A row is inserted depending on a count, a sum or an absent row: limits break, duplicates appear. */
  insertion: 7,
  /** A row is changed or deleted depending on its own or another row's state. */
  transition: 5,
} as const;

/** Columns that count or cost something do more harm. */
const COUNTED_NAME =
  /allocated|amount|attempts?$|available|balance|(?:^|_)bal$|budget|cents$|count|credit|debt|fail(?:ed|ures)|inventory|likes$|limit|number|points?$|price|qty|quantity|quota|remaining|reserved|retries|score|seats?$|sequence|spent|stock|supply|total|usage|used|votes/iu;
const COUNTED_MORE = 2;

/** True if a column's name suggests an amount or a count. */
export function isCounted(column: string): boolean {
  return COUNTED_NAME.test(column);
}

/** The bonus for two runs of one transaction: the same request sent twice. */
const ITSELF = 2;

/** The penalty for statements that are not fully understood: their anomalies are rarely confirmed. */
const WEAKENED = 3;

/**
 * The suspicion of tuples of one program: higher is worse, 0 if no write depends on a read that can go stale. O(terms of the program) once,
 * then O(members^2 * reads * writes) per tuple.
 */
export function suspicionOf(flat: FlatProgram): (transactions: readonly number[]) => number {
  const profiles = flat.transactions.map(profileOf);
  return (transactions) => {
    const members = transactions.flatMap((each) => profiles[each] ?? []);
    const harms = members.flatMap(({ uses }, at) =>
      members.flatMap(({ writes }, other) =>
        other === at ? [] : uses.filter((use) => writes.some((write) => outdates(write, use))),
      ),
    );
    if (harms.length === 0) return 0;
    const same = new Set(transactions).size < transactions.length ? ITSELF : 0;
    const doubt = members.some(({ weakened }) => weakened) ? WEAKENED : 0;
    return Math.max(...harms.map(({ harm }) => harm)) + same - doubt;
  };
}

const profileOf = ofNode(({ operations, losses }: FlatTransaction): Profile => {
  const writes = operations.filter(({ kind }) => kind !== "read");
  const uses = writes.flatMap((write) => usesOf(write, operations));
  return { uses, writes, weakened: losses.length > 0 };
});

function usesOf(write: Operation, operations: readonly Operation[]): readonly StaleUse[] {
  const values = readsIn(Object.values({ ...write.set, ...write.update }));
  const conditions = readsIn([write.guard, write.where, ...Object.values(write.key)]);
  return operations.slice(0, write.index).flatMap((read): readonly StaleUse[] => {
    const isComputed = values.has(read.index);
    if (read.kind !== "read" || read.mustFind || read.mustMiss) return [];
    if (!isComputed && !conditions.has(read.index)) return [];
    // A locked row stays as it was read; an absent row cannot be locked.
    if (isHeld(read) && write.kind !== "insert") return [];
    const columns = columnsOf(read);
    const harm = harmOf(write, read, isComputed);
    return [{ table: read.table, columns, harm }];
  });
}

/** True if the read locks the row against changes. */
function isHeld({ lock }: Operation): boolean {
  return lock === "update" || lock === "no-key-update";
}

function harmOf(write: Operation, read: Operation, isComputed: boolean): number {
  const isSame = read.table === write.table;
  const changed = Object.keys({ ...write.set, ...write.update });
  if (write.kind === "insert") return HARM.insertion + (isSame || read.aggregate ? 1 : 0);
  const more = changed.some(isCounted) ? COUNTED_MORE : 0;
  return (isSame && isComputed ? HARM.overwrite : HARM.transition) + more;
}

function columnsOf(read: Operation): ReadonlySet<string> {
  const operand = read.aggregate?.operand;
  return columnsIn(
    read.where,
    ...Object.values(read.outputs),
    ...(operand === undefined ? [] : [operand]),
  );
}

/** True if the write changes what the read saw: one of its columns, or which rows exist. */
function outdates(write: Operation, { table, columns }: StaleUse): boolean {
  if (write.table !== table) return false;
  if (write.kind !== "update") return true;
  return Object.keys(write.set).some((column) => columns.has(column));
}

/** The operations whose results the terms mention. */
function readsIn(terms: readonly Term[]): ReadonlySet<number> {
  return new Set(
    [...subterms(...terms)].flatMap((term) => {
      switch (term.kind) {
        case "output":
        case "found":
        case "count":
        case "over":
        case "joined":
          return [term.operation];
        default:
          return [];
      }
    }),
  );
}
