// Suspicion: how likely a tuple is to show a race that costs something, told from the text alone. It orders the questions to
// the solver and rules nothing out.
import type { FlatProgram, FlatTransaction, Operation, Term } from "../operations/operation";
import { columnsIn, subterms } from "../operations/terms";

/** A write of a transaction that rests on what one of its reads saw and does not hold on to. */
interface StaleUse {
  readonly table: string;
  /** Columns that decide what the read sees. */
  readonly columns: ReadonlySet<string>;
  /** Cost of an outdated read here: `HARM`. */
  readonly harm: number;
}

interface Profile {
  readonly uses: readonly StaleUse[];
  readonly writes: readonly Operation[];
  readonly weakened: boolean;
}

/** Harm of a write that rests on an outdated read, the worst first. */
const HARM = {
  /** A value is written that was computed from what the same row held: updates are lost. */
  overwrite: 8,
  /** A row is inserted because of what was counted, summed or not found: limits break, rows stand twice. */
  insertion: 7,
  /** A row changes, or goes, because of the state that it or another row was in. */
  transition: 5,
} as const;

/** A value that people count or pay with costs more than another. */
const COUNTED_NAME =
  /amount|balance|(?:^|_)bal$|budget|count|credit|limit|number|points?$|price|quantity|quota|remaining|score|seats?$|sequence|spent|stock|supply|total|usage|used/iu;
const COUNTED_MORE = 2;

/** True if the name of a column is that of an amount or a number of things. */
export function isCounted(column: string): boolean {
  return COUNTED_NAME.test(column);
}

/** Two runs of one transaction: somebody sends a request twice. */
const ITSELF = 2;

/** An anomaly of statements that are not fully understood is seldom confirmed. */
const WEAKENED = 3;

/**
 * The suspicion of tuples of one program: higher is worse, 0 where no read goes stale under a write that rests on it.
 * O(terms of the program) once, then O(members^2 * reads * writes) per tuple.
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

function profileOf({ operations, losses }: FlatTransaction): Profile {
  const writes = operations.filter(({ kind }) => kind !== "read");
  const uses = writes.flatMap((write) => usesOf(write, operations));
  return { uses, writes, weakened: losses.length > 0 };
}

function usesOf(write: Operation, operations: readonly Operation[]): readonly StaleUse[] {
  const values = readsIn(Object.values({ ...write.set, ...write.update }));
  const conditions = readsIn([write.guard, write.where, ...Object.values(write.key)]);
  return operations.slice(0, write.index).flatMap((read): readonly StaleUse[] => {
    const isComputed = values.has(read.index);
    if (read.kind !== "read" || read.mustFind || read.mustMiss) return [];
    if (!isComputed && !conditions.has(read.index)) return [];
    // A row that is locked stays as it was read; one that is not there cannot be locked.
    if (isHeld(read) && write.kind !== "insert") return [];
    const columns = columnsOf(read);
    const harm = harmOf(write, read, isComputed);
    return [{ table: read.table, columns, harm }];
  });
}

/** Nobody else changes the row behind the read. */
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

/** True if the write changes what the read saw: one of its columns, or which rows there are. */
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
