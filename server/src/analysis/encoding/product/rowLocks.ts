// Which rows a statement locks until its transaction ends, and whether another one has to wait for that: by the levels of
// both. Where it is not certain that a row is locked, it is not: fewer locks allow more.
import type { ProductLevel } from "../../../isolation/levels";
import { plainRowLock, rowLocksExclude, type RowLock } from "../../../program/rowLocks";
import { conjunctsOf, mentionsRow } from "../../operations/terms";
import { FALSE, and, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { isTrue } from "../sqlValue";
import type { RowKey } from "./database";
import type { Run } from "./run";
import { comesBefore } from "./order";
import { EXISTS, isNamed } from "./tuple";
import type { Access, ProductTuple } from "./tuple";

/** The rows on which two accesses can meet. */
export function rowsOf(run: Run, a: Access, b: Access): readonly RowKey[] {
  const own = (access: Access): RowKey | undefined =>
    run.done[access.instance]?.[access.operation.index]?.row;
  const row = own(a) ?? own(b);
  return row ? [row] : run.rows(a.table);
}

/** True if the locks of two statements on one row can exclude each other. */
export function mayConflict(tuple: ProductTuple, a: Access, b: Access): boolean {
  if (!rowLocksExclude(strengthOf(tuple, a), strengthOf(tuple, b))) return false;
  return !passesBeside(tuple, a, b) && !passesBeside(tuple, b, a);
}

/** A shared lock may be on an index alone, of the columns that are read: who writes none of them does not come across it. */
function passesBeside(tuple: ProductTuple, reader: Access, other: Access): boolean {
  if (levelOf(tuple, reader)?.candidates !== "current") return false;
  if (reader.operation.kind !== "read" || reader.point || !isShared(tuple, reader)) return false;
  return ![...reader.reads].some((column) => other.writes.has(column));
}

/** The later statement waits for the lock that the first one took on the row, or on the gap that it is. */
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
  // INSERT IGNORE of a key that is there only reads it.
  if (isShared(tuple, first) && inserts && ignoresDuplicates(later))
    return and(reached, guards(tuple, run, first, row), not(held));
  const made = run.done[first.instance]?.[first.operation.index]?.inserted ?? FALSE;
  if (isShared(tuple, later) && first.operation.kind === "insert" && ignoresDuplicates(first))
    return and(reached, held, made);
  return and(reached, inserts ? or(held, guards(tuple, run, first, row)) : held);
}

/** The statement asks for a lock on the row, whatever becomes of it. */
export function reaches(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  const asked = looksFor(run, access, row);
  if (asked === FALSE) return FALSE;
  if (access.skips) return and(asked, not(run.state(access, "snapshot", EXISTS, row).value));
  if (access.operation.kind === "insert") return asked;
  // A row that is gone is still waited for as it was.
  const level = levelOf(tuple, access);
  if (level?.locks === "scanned") return scans(run, access, row);
  if (level && isNamed(level, access.operation))
    return and(asked, run.state(access, access.view, EXISTS, row).value);
  return and(asked, run.matches(access, access.view, row));
}

/** The row itself is locked. */
export function holds(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  const asked = reaches(tuple, run, access, row);
  if (asked === FALSE || access.operation.kind === "insert") return asked;
  if (levelOf(tuple, access)?.locks !== "scanned") return asked;
  return and(asked, run.state(access, "current", EXISTS, row).value);
}

/** Nobody may insert the row. */
function guards(tuple: ProductTuple, run: Run, access: Access, row: RowKey): Smt {
  if (levelOf(tuple, access)?.gaps !== true || access.operation.kind === "insert") return FALSE;
  return scans(run, access, row);
}

/**
 * It comes across the row: for certain where it names the key, or asks for nothing else; a condition on other columns
 * may have an index.
 */
function scans(run: Run, access: Access, row: RowKey): Smt {
  const { where } = access.operation;
  const asked = looksFor(run, access, row);
  const all = where.kind === "bool" && where.value;
  return access.point || all ? asked : and(asked, run.matches(access, "current", row));
}

function looksFor(run: Run, access: Access, row: RowKey): Smt {
  const own = run.done[access.instance]?.[access.operation.index];
  const key = own?.row ? sameAll(own.row, row) : run.keyMatches(access, row);
  if (key === FALSE) return FALSE;
  // Where a condition that concerns no row fails, no row is looked for.
  const asks = conjunctsOf(access.operation.where).flatMap((each) =>
    mentionsRow(each) ? [] : [isTrue(run.value(access.instance, each))],
  );
  return and(run.exec(access), key, ...asks, not(stopsBefore(run, access, row)));
}

/** A statement that goes no further than the row that it chooses does not come to this one. */
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

/** An UPDATE counts with its weaker lock, although one that changes a key takes the stronger; nobody else sees a new row. */
function strengthOf(tuple: ProductTuple, access: Access): RowLock {
  const { kind, lock } = access.operation;
  const own = kind === "delete" ? "update" : lock === "none" ? lockWithout(kind) : lock;
  return levelOf(tuple, access)?.candidates === "current" ? plainRowLock(own) : own;
}

/** Reads that lock although they do not ask for it are those of levels where all that is read is locked. */
function lockWithout(kind: "read" | "update" | "insert"): RowLock {
  return kind === "read" ? "share" : "no-key-update";
}

function levelOf(tuple: ProductTuple, access: Access): ProductLevel | undefined {
  return tuple.levels[access.instance];
}
