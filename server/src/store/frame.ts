// The frame for evaluating an expression: the instance's variables and results, the rows in scope, and tables.
import type { RowLock } from "../program/rowLocks";
import { conjunctsOf } from "../program/operands";
import type { Expression, ValueType, Query } from "../program/expression";
import type { Schema, UniqueKey } from "../program/schema";
import { ofNode } from "../query/nodes";
import type { HeldLock } from "./locks";
import type { OutsideAnswers } from "./outsideAnswers";
import type { Recorder } from "./recorder";
import type { BoundRow, StoredRow, TableRows, Write } from "./row";
import type { SqlValue } from "./value";

/** Rows that a statement returned. */
export type ResultRows = readonly Readonly<Record<string, SqlValue>>[];

/** The state of an instance that is visible to expressions. */
export interface Environment {
  readonly instance: string;
  readonly parameters: Readonly<Record<string, SqlValue>>;
  readonly variables: Readonly<Record<string, SqlValue>>;
  readonly results: Readonly<Record<string, ResultRows>>;
  readonly affected: Readonly<Record<string, number>>;
  /** The index of the current row of each running loop. */
  readonly loops: Readonly<Record<string, number>>;
  /** A value that no other evaluation returns: determined by site and count, so that runs of one setup agree. */
  readonly fresh: (site: string, type: ValueType) => SqlValue;
  /** Answers to questions outside of the database, by `outsideAnswers`. */
  readonly answer: OutsideAnswers["answer"];
  /** Where the texts of unknown values that other rows decide are noted. */
  readonly ofRows: Set<string>;
}

/** Rows by alias; null for the missing side of an outer join. */
export type Binding = Readonly<Record<string, BoundRow | null>>;

/** The rows in scope of column names, inner queries first. */
export interface Scope {
  readonly binding: Binding;
  /** The rows of the group that aggregates range over. */
  readonly group: readonly Binding[] | undefined;
  /** In ON CONFLICT DO UPDATE: the row proposed for insertion. */
  readonly excluded: Readonly<Record<string, SqlValue>> | undefined;
  readonly outer: Scope | undefined;
}

/** The context of an expression. `tables` is absent in control flow, which has no snapshot. */
export interface Frame {
  readonly environment: Environment;
  /** Evaluates subqueries; injected because expressions and queries contain each other. */
  readonly runQuery: (query: Query, frame: Frame) => ResultRows;
  readonly schema: Schema;
  readonly scope: Scope | undefined;
  readonly tables: Tables | undefined;
  /** Tables in which rows to lock or change are searched, if they differ from those of plain reads. Not for subqueries. */
  readonly targets?: ((alias: string) => Tables) | undefined;
  readonly acting: Acting | undefined;
  readonly recorder: Recorder | undefined;
  /** Values of set-returning calls in the current row. */
  readonly sets?: ReadonlyMap<Expression, SqlValue> | undefined;
  /** Results of uncorrelated subqueries: evaluated once per statement. */
  readonly once: Map<Query, ResultRows> | undefined;
}

/** The tables as the statement's plain reads see them, including its own transaction's writes. */
export interface Tables {
  readonly rows: (table: string) => TableRows;
  /** Searches current rows instead, and locks them as the level requires. Throws WaitFor. */
  readonly search?: (table: string, search: Search) => TableRows;
  /** Fetches only the rows with one of these primary keys. */
  readonly withKeys?: (table: string, keys: readonly string[]) => TableRows;
}

/** A search of one table. */
export interface Search {
  /** True for values that the index range covers, also for dead rows and rows to be inserted. */
  readonly inRange: (values: Readonly<Record<string, SqlValue>>) => boolean;
  /** True if there can be at most one row. */
  readonly point: boolean;
  /** True if an index beside the primary key may lead to the rows: its entry is locked before the row. */
  readonly besideKey: boolean;
  readonly matches: (row: StoredRow) => boolean;
}

/** The way in which a statement reaches the rows that it locks, changes or checks; this is where levels differ. */
export interface Acting {
  /** Takes the lock and returns the version to act on. Throws WaitFor while another instance holds a conflicting lock. */
  readonly lock: (row: StoredRow, strength: RowLock, wait: Waiting) => LockOutcome;
  /** Locks a table or an advisory key. Throws WaitFor. */
  readonly lockObject: (name: string, mode: string, term?: LockTerm) => void;
  /** True if another session has a lock that keeps this one out; of runs without locks nobody knows, so it may be. */
  readonly isHeld: (name: string, mode: string) => boolean;
  /** Gives up the session's lock of that name, or all that outlive its transactions. */
  readonly unlockObject: (name: string | undefined, mode: string) => void;
  /** The newest rows, for constraints; with a primary key, only its row is needed. */
  readonly current: (table: string, key?: string) => TableRows;
  /** Throws WaitFor while another instance has an uncommitted change of a row with such values. */
  readonly awaitDecided: (
    table: string,
    concerns: (values: Readonly<Record<string, SqlValue>>) => boolean,
  ) => void;
  /** True if rows outside of the transaction's snapshot must not be changed (40001). */
  readonly firstUpdaterWins: boolean;
  /** True if an UPDATE that leaves a row's values unchanged creates no version. */
  readonly noVersionOnNoChange: boolean;
  /** Tables in which rows to lock with this strength are searched; absent if these are the ones that the statement reads. */
  readonly targets?: (
    strength: RowLock,
    wait: Waiting,
    what: "update" | "delete" | "read",
  ) => Tables;
  /** Throws WaitFor while another instance prevents the insertion of such a row. */
  readonly announce: (table: string, values: Readonly<Record<string, SqlValue>>) => void;
  /** Locks the existing row that an INSERT met, for products that do. */
  readonly lockDuplicate: (row: StoredRow) => void;
  /** Registers a key to be checked at commit; absent if there are no deferred keys. */
  readonly defer?: (write: Write, key: UniqueKey) => void;
  /** The index of the current step. */
  readonly step: number;
}

/** `at-commit`: the server takes the lock at the commit, which is the same where nobody else asks for it. Else throws NotExecutable. */
export type Waiting = "block" | "nowait" | "skip-locked" | "at-commit";

/** A lock that is held beyond the transaction's end, or taken at its commit only. */
export type LockTerm = "outlives" | "at-commit";

export type LockOutcome =
  /** `changed`: newer than what the statement saw, so that its conditions must be rechecked. */
  | { readonly kind: "row"; readonly row: StoredRow; readonly changed: boolean }
  /** Deleted since; `newest` is a tombstone, or another row with its key. */
  | { readonly kind: "gone"; readonly newest?: StoredRow }
  | { readonly kind: "skipped" };

/** Thrown by a statement that has to wait; its driver executes it again when the holder has ended. */
export class WaitFor extends Error {
  constructor(
    readonly holders: readonly string[],
    /** The requested row lock, which others queue behind. */
    readonly wants?: HeldLock,
  ) {
    super(`waits for ${holders.join(", ")}`);
    this.name = "WaitFor";
  }
}

/** Thrown by a statement that restarts with a new snapshot. */
export class StartAgain extends Error {
  constructor() {
    super("a row has changed since the statement's snapshot");
    this.name = "StartAgain";
  }
}

/** The frame with these rows added to the scope, in front. */
export function withRows(
  frame: Frame,
  binding: Binding,
  more?: Partial<Pick<Scope, "group" | "excluded">>,
): Frame {
  const outer = frame.scope;
  return inScope(frame, { binding, group: more?.group, excluded: more?.excluded, outer });
}

/** The frame with another scope. Written out for speed: every row of every query makes one. */
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

/** The conjuncts of a condition; called for every row. */
export function conjuncts(condition: Expression | undefined): readonly Expression[] {
  return condition === undefined ? [] : conjunctsIn(condition);
}

const conjunctsIn = ofNode((condition: Expression) => conjunctsOf(condition));
