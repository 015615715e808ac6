// The locks of a transaction, in text order, as far as the text shows them: the input of the search for deadlocks.
import type { ProductLevel } from "../../isolation/levels";
import { plainRowLock, rowLocksExclude, type RowLock } from "../../program/rowLocks";
import type { StatementId } from "../../program/statement";
import type { FlatTable, FlatTransaction, Operation } from "../operations/operation";
import { isFalseLiteral } from "../operations/terms";

/** A lock on a row, on an inserted row, or on the gap of a search. */
export type LockMode = RowLock | "insertion" | "gap";

export interface TakenLock {
  readonly operation: Operation;
  readonly mode: LockMode;
  readonly statement: StatementId;
  /** The number of the statement's run that takes it, from 1. */
  readonly nth: number;
}

/** A lock that a transaction holds while it requests another one. */
export interface LockOrder {
  readonly holds: TakenLock;
  readonly wants: TakenLock;
}

/** The locks of a transaction at a level, in order. */
export function locksOf(
  { operations, steps = [] }: FlatTransaction,
  level: ProductLevel,
  tableOf: (name: string) => FlatTable | undefined,
): readonly TakenLock[] {
  return operations
    .filter(({ guard, perhaps }) => !isFalseLiteral(guard) && perhaps === undefined)
    .flatMap((operation) => {
      const { statement, step } = operation;
      const nth = steps.filter((each, at) => at <= step && each.statement === statement).length;
      return modesOf(operation, level, tableOf(operation.table)).map((mode): TakenLock => ({
        operation,
        mode,
        statement,
        nth,
      }));
    });
}

function modesOf(
  operation: Operation,
  level: ProductLevel,
  table: FlatTable | undefined,
): readonly LockMode[] {
  if (operation.kind === "insert") return ["insertion"];
  const own = rowLockOf(operation, level, table);
  if (own === undefined) return [];
  const mode = level.candidates === "current" ? plainRowLock(own) : own;
  return level.gaps ? [mode, "gap"] : [mode];
}

function rowLockOf(
  operation: Operation,
  level: ProductLevel,
  table: FlatTable | undefined,
): RowLock | undefined {
  switch (operation.kind) {
    case "read":
      if (operation.mustMiss) return undefined;
      if (operation.lock !== "none") return operation.lock;
      return level.plainRead === "locking" ? "share" : undefined;
    case "delete":
      return "update";
    case "update": {
      const keys = [...(table?.primaryKey ?? []), ...(table?.uniqueKeys ?? []).flat()];
      return keys.some((column) => Object.hasOwn(operation.set, column)) ? "update" : "no-key-update"; // prettier-ignore
    }
    case "insert":
      return undefined;
  }
}

/** True if the held lock conflicts with the wanted one on the same row or gap. */
export function keepsFrom(held: TakenLock, wanted: TakenLock): boolean {
  if (held.operation.table !== wanted.operation.table) return false;
  const [own, other] = [held.mode, wanted.mode];
  if (other === "insertion") return own === "insertion" || own === "gap";
  if (own === "insertion" || own === "gap" || other === "gap") return false;
  return rowLocksExclude(own, other);
}

/** Longer transactions are data scripts: only their first locks are considered. */
const MOST_LOCKS = 24;

/** The orders in which a transaction takes two locks, once per pair of statements and modes. */
export function lockOrders(
  transaction: FlatTransaction,
  level: ProductLevel,
  tableOf: (name: string) => FlatTable | undefined,
): readonly LockOrder[] {
  const locks = locksOf(transaction, level, tableOf).slice(0, MOST_LOCKS);
  const partOf = ({ operation }: TakenLock): number | undefined =>
    transaction.parts?.findIndex(
      ({ from, to, single }) => !single && from <= operation.step && operation.step < to,
    );
  const orders = new Map<string, LockOrder>();
  for (const holds of locks)
    for (const wants of locks) {
      if (wants.operation.step <= holds.operation.step || wants.mode === "gap") continue;
      const part = partOf(holds);
      if (part === -1 || part !== partOf(wants)) continue;
      const key = [holds, wants].map(({ statement, mode, operation }) => `${statement} ${mode} ${operation.table}`); // prettier-ignore
      if (!orders.has(key.join())) orders.set(key.join(), { holds, wants });
    }
  return [...orders.values()];
}
