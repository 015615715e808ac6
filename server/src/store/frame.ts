// Frame of the evaluation of an expression: the instance's variables and results, rows in scope, tables.
import type { RowLock } from "../program/rowLocks";
import { conjunctsOf } from "../program/operands";
import type { Expression, ValueType } from "../program/expression";
import type { Schema, UniqueKey } from "../program/schema";
import type { Query } from "../program/statement";
import type { HeldLock } from "./locks";
import type { OutsideAnswers } from "./outsideAnswers";
import type { Recorder } from "./recorder";
import type { BoundRow, StoredRow, TableRows, Write } from "./row";
import type { SqlValue } from "./value";

/** Rows that a statement returned. */
export type ResultRows = readonly Readonly<Record<string, SqlValue>>[];

/** The state of an instance as expressions see it. */
export interface Environment {
  readonly instance: string;
  readonly parameters: Readonly<Record<string, SqlValue>>;
  readonly variables: Readonly<Record<string, SqlValue>>;
  readonly results: Readonly<Record<string, ResultRows>>;
  readonly affected: Readonly<Record<string, number>>;
  /** Per running loop the index of the row at hand. */
  readonly loops: Readonly<Record<string, number>>;
  /** A value that no other evaluation gives: per site and count, so that runs of one setup agree. */
  readonly fresh: (site: string, type: ValueType) => SqlValue;
  /** Answers to questions outside of the database: `outsideAnswers`. */
  readonly answer: OutsideAnswers["answer"];
}

/** Rows by alias; null for the missing side of an outer join. */
export type Binding = Readonly<Record<string, BoundRow | null>>;

/** The rows that columns mean, inner queries first. */
export interface Scope {
  readonly binding: Binding;
  /** The rows of the group that aggregates range over. */
  readonly group: readonly Binding[] | undefined;
  /** In ON CONFLICT DO UPDATE: the row proposed for insertion. */
  readonly excluded: Readonly<Record<string, SqlValue>> | undefined;
  readonly outer: Scope | undefined;
}

/** Everything that an expression may ask. `tables` is absent in control flow, where no snapshot exists. */
export interface Frame {
  readonly environment: Environment;
  /** Evaluates subqueries; given here because queries are made of expressions and expressions of queries. */
  readonly runQuery: (query: Query, frame: Frame) => ResultRows;
  readonly schema: Schema;
  readonly scope: Scope | undefined;
  readonly tables: Tables | undefined;
  /** Where the rows that the statement locks or changes are looked for, if not where it reads. Not for subqueries. */
  readonly targets?: ((alias: string) => Tables) | undefined;
  readonly acting: Acting | undefined;
  readonly recorder: Recorder | undefined;
  /** Values of calls that give several, in the row at hand. */
  readonly sets?: ReadonlyMap<Expression, SqlValue> | undefined;
  /** Results of subqueries that depend on no row: evaluated once per statement. */
  readonly once: Map<Query, ResultRows> | undefined;
}

/** The tables as the statement's plain reads see them, its own transaction's writes included. */
export interface Tables {
  readonly rows: (table: string) => TableRows;
  /** Goes over current rows instead, and locks them as the level says. Throws WaitFor. */
  readonly search?: (table: string, search: Search) => TableRows;
  /** Where rows are fetched: those with one of these primary keys, so that no others need be. */
  readonly withKeys?: (table: string, keys: readonly string[]) => TableRows;
}

/** A search through one table. */
export interface Search {
  /** Rows that an index leads it to, dead rows and rows to be included. */
  readonly inRange: (values: Readonly<Record<string, SqlValue>>) => boolean;
  /** At most one row can be there. */
  readonly point: boolean;
  readonly matches: (row: StoredRow) => boolean;
}

/** How a statement reaches its rows when it locks, changes or checks them; the levels differ here. */
export interface Acting {
  /** Takes the lock and gives the version to act on. Throws WaitFor while another instance is in the way. */
  readonly lock: (row: StoredRow, strength: RowLock, wait: Waiting) => LockOutcome;
  /** Takes a lock on a table or on an advisory key. Throws WaitFor. */
  readonly lockObject: (name: string, mode: string) => void;
  /** The newest rows, for constraints; with a primary key, other rows are not wanted. */
  readonly current: (table: string, key?: string) => TableRows;
  /** Throws WaitFor while an uncommitted change of another instance concerns a row with such values. */
  readonly awaitDecided: (
    table: string,
    concerns: (values: Readonly<Record<string, SqlValue>>) => boolean,
  ) => void;
  /** Rows outside of the transaction's snapshot must not be acted on (40001). */
  readonly firstUpdaterWins: boolean;
  /** An UPDATE that leaves a row's values as they are makes no new version of it. */
  readonly noVersionOnNoChange: boolean;
  /** Where rows to lock in that strength are looked for; absent where that is where the statement reads. */
  readonly targets?: (
    strength: RowLock,
    wait: Waiting,
    what: "update" | "delete" | "read",
  ) => Tables;
  /** Throws WaitFor while another instance keeps such a row from being inserted. */
  readonly announce: (table: string, values: Readonly<Record<string, SqlValue>>) => void;
  /** Locks the row that an INSERT found in its place, where the product does. */
  readonly lockDuplicate: (row: StoredRow) => void;
  /** Notes that the write gives its row a key that is checked at the commit; absent where nothing checks it then. */
  readonly defer?: (write: Write, key: UniqueKey) => void;
  /** The number of the step at hand. */
  readonly step: number;
}

export type Waiting = "block" | "nowait" | "skip-locked";

export type LockOutcome =
  /** `changed`: newer than what the statement saw, so that its conditions must be tested again. */
  | { readonly kind: "row"; readonly row: StoredRow; readonly changed: boolean }
  /** Deleted since; `newest` is what stands in its place: a tombstone, or another row with its key. */
  | { readonly kind: "gone"; readonly newest?: StoredRow }
  | { readonly kind: "skipped" };

/** Thrown through a statement that has to wait; its driver executes it again when the holder has ended. */
export class WaitFor extends Error {
  constructor(
    readonly holders: readonly string[],
    /** The row lock that it asks for, where others queue behind it. */
    readonly wants?: HeldLock,
  ) {
    super(`waits for ${holders.join(", ")}`);
    this.name = "WaitFor";
  }
}

/** Thrown through a statement that starts again with a new snapshot. */
export class StartAgain extends Error {
  constructor() {
    super("a row has changed since the statement's snapshot");
    this.name = "StartAgain";
  }
}

/** The frame with these rows in scope, in front of what was in scope before. */
export function withRows(
  frame: Frame,
  binding: Binding,
  more?: Partial<Pick<Scope, "group" | "excluded">>,
): Frame {
  const outer = frame.scope;
  return inScope(frame, { binding, group: more?.group, excluded: more?.excluded, outer });
}

/** The frame with another scope. Spelled out, because every row of every query makes one. */
export function inScope(frame: Frame, scope: Scope | undefined): Frame {
  return {
    environment: frame.environment,
    runQuery: frame.runQuery,
    schema: frame.schema,
    scope,
    tables: frame.tables,
    targets: frame.targets,
    acting: frame.acting,
    recorder: frame.recorder,
    once: frame.once,
  };
}

/** Conjuncts of a condition, which every row is asked for. */
export function conjuncts(condition: Expression | undefined): readonly Expression[] {
  if (condition === undefined) return [];
  const known = knownConjuncts.get(condition);
  if (known !== undefined) return known;
  const found = conjunctsOf(condition);
  knownConjuncts.set(condition, found);
  return found;
}

const knownConjuncts = new WeakMap<Expression, readonly Expression[]>();
