// The rows that a statement locks until its transaction ends, and whether another one waits for them, by the levels of both. Uncertain
// locks count as absent: fewer locks allow more executions.
import type { ProductLevel } from "../../../isolation/levels";
import { plainRowLock, rowLocksExclude, type RowLock } from "../../../program/rowLocks";
import { conjunctsOf, mentionsRow } from "../../operations/terms";
import { FALSE, and, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { isTrue } from "../sqlValue";
import type { RowKey } from "./database";
import { comesBefore } from "./order";
import { EXISTS, isNamed } from "./tuple";
import type { Access, ProductTuple } from "./tuple";
import type { Run } from "./execution";

/** The rows on which two accesses can meet. */
export function rowsOf(run: Run, a: Access, b: Access): readonly RowKey[] {
  const own = (access: Access): RowKey | undefined =>
    run.done[access.instance]?.[access.operation.index]?.row;
  const row = own(a) ?? own(b);
  return row ? [row] : run.rows(a.table);
}

/** True if the locks of two statements on one row can conflict. */
export function mayConflict(tuple: ProductTuple, a: Access, b: Access): boolean {
  if (!rowLocksExclude(strengthOf(tuple, a), strengthOf(tuple, b))) return false;
  return !passesBeside(tuple, a, b) && !passesBeside(tuple, b, a);
}

/** True if a shared lock may be on an index only, of the columns that are read: a writer of other columns does not meet it. */
function passesBeside(tuple: ProductTuple, reader: Access, other: Access): boolean {
  if (levelOf(tuple, reader)?.candidates !== "current") return false;
  if (reader.operation.kind !== "read" || reader.point || !isShared(tuple, reader)) return false;
  return ![...reader.reads].some((column) => other.writes.has(column));
}

/** The condition that the later statement waits for the first one's lock on the row or on its gap. */
export function waitsFor(
  tuple: ProductTuple,
  run: Run,
  first: Access,
  later: Access,
  row: RowKey,
): Smt {
  const reached = reaches(tuple, run, later, row);
  if (reached === FALSE) return FALSE;
  const held = holds(tuple, run, first, row);
  const inserts = later.operation.kind === "insert";
  // INSERT IGNORE of an existing key only reads it.
  if (isShared(tuple, first) && inserts && ignoresDuplicates(later))
    return and(reached, guards(tuple, run, first, row), not(held));
  const made = run.done[first.instance]?.[first.operation.index]?.inserted ?? FALSE;
  if (isShared(tuple, later) && first.operation.kind === "insert" && ignoresDuplicates(first))
    return and(reached, held, made);
  return and(reached, inserts ? or(held, guards(tuple, run, first, row)) : held);
}

/** The condition that the statement requests a lock on the row, whether or not it gets it. */
export function reaches(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  const asked = looksFor(run, access, row);
  if (asked === FALSE) return FALSE;
  if (access.skips) return and(asked, not(run.state(access, "snapshot", EXISTS, row).value));
  if (access.operation.kind === "insert") return asked;
  if (access.operation.skipsLocked) return and(asked, run.matches(access, access.view, row));
  // A deleted row is still waited for in its old version.
  const level = levelOf(tuple, access);
  if (level?.locks === "scanned") return scans(run, access, row);
  if (level && isNamed(level, access.operation))
    return and(asked, run.state(access, access.view, EXISTS, row).value);
  return and(asked, run.matches(access, access.view, row));
}

/** The condition that the row itself is locked. */
export function holds(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  const asked = reaches(tuple, run, access, row);
  if (asked === FALSE || access.operation.kind === "insert") return asked;
  if (levelOf(tuple, access)?.locks !== "scanned") return asked;
  return and(asked, run.state(access, "current", EXISTS, row).value);
}

/** The condition that a gap lock prevents inserting the row. */
function guards(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  if (levelOf(tuple, access)?.gaps !== true || access.operation.kind === "insert") return FALSE;
  return scans(run, access, row);
}

/**
 * The condition that it visits the row: certain if it names the key or has no condition; a condition on other columns may use an index.
 */
function scans(run: Run, access: Access, row: RowKey): Smt {
  const { where } = access.operation;
  const asked = looksFor(run, access, row);
  const all = where.kind === "bool" && where.value;
  return access.point || all ? asked : and(asked, run.matches(access, "current", row));
}

/** The condition that the statement looks at the row, whether or not it locks it. */
export function looksFor(run: Run, access: Access, row: RowKey): Smt {
  const own = run.done[access.instance]?.[access.operation.index];
  const key = own?.row ? sameAll(own.row, row) : run.keyMatches(access, row);
  if (key === FALSE) return FALSE;
  // If a condition that concerns no row fails, no row is visited.
  const asks = conjunctsOf(access.operation.where).flatMap((each) =>
    mentionsRow(each) ? [] : [isTrue(run.value(access.instance, each))],
  );
  return and(run.exec(access), key, ...asks, not(stopsBefore(run, access, row)));
}

/** The condition that a statement with a limit stops before this row. */
function stopsBefore(run: Run, access: Access, row: RowKey): Smt {
  const { locksChosen, pick } = access.operation;
  if (locksChosen !== true || pick === "point") return FALSE;
  const chosen = run.done[access.instance]?.[access.operation.index]?.chosen ?? [];
  const before = (other: RowKey): Smt =>
    pick === "some"
      ? not(sameAll(other, row))
      : comesBefore(run.state, access, access.view, other, row);
  return or(...chosen.map((each) => and(each.is, before(each.row))));
}

function ignoresDuplicates(access: Access): boolean {
  const { onDuplicate, caught } = access.operation;
  return !access.skips && (onDuplicate === "nothing" || (caught?.length ?? 0) > 0);
}

function isShared(tuple: ProductTuple, access: Access): boolean {
  return strengthOf(tuple, access) === "share";
}

/** The lock strength. An UPDATE counts with the weaker lock, although key changes take the stronger; a new row is invisible to others. */
function strengthOf(tuple: ProductTuple, access: Access): RowLock {
  const { kind, lock } = access.operation;
  const own = kind === "delete" ? "update" : lock === "none" ? lockWithout(kind) : lock;
  return levelOf(tuple, access)?.candidates === "current" ? plainRowLock(own) : own;
}

/** The lock of a read without a locking clause, at levels where every read locks. */
function lockWithout(kind: "read" | "update" | "insert"): RowLock {
  return kind === "read" ? "share" : "no-key-update";
}

function levelOf(tuple: ProductTuple, access: Access): ProductLevel | undefined {
  return tuple.levels[access.instance];
}
