// Views of a run's operations: the value of a column in a view is the initial one, changed by the visible writes in commit order, then by
// the instance's own. Straight-line definitions, each made once.
import { ownEntry } from "../../../protocol/dictionary";
import type { Term } from "../../operations/operation";
import { applyFree } from "../freeFunction";
import { termValue } from "../termValue";
import type { FoundRow, TermScope } from "../termValue";
import { FALSE, TRUE, and, eq, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt, choose, isTrue, nameValue, sameValue, sqlBool } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { RowKey } from "./database";
import { seenWrite } from "./dirty";
import { READABLE } from "./names";
import { openReplacement, openValue } from "./open";
import { EXISTS, hasOwnSnapshots, isWrite, mayReadStale } from "./tuple";
import type { Access, TupleTable, View } from "./tuple";
import type { Effect, Ledger, RunOptions, Views } from "./execution";

/** The options of an instance that follows all others. */
export const SEES_ALL: Pick<RunOptions, "sees" | "looksAfter"> = {
  sees: () => TRUE,
  looksAfter: () => TRUE,
};

/** A run while its views are computed. */
interface ViewState extends Ledger {
  readonly options: RunOptions;
  /** Per instance, the meaning of the leaves of its terms. */
  readonly leaves: readonly TermScope[];
  /** Cached columns as operations see them. */
  readonly memo: Map<string, SqlValue>;
  /** Cached values that writes give, by term and row. */
  readonly newValues: Map<Term, Map<string, SqlValue>>;
}

/** The views of a run. Its ledger must be filled in commit order: each part before anything that sees it. */
export function makeViews(ledger: Ledger, options: RunOptions): Views {
  const leaves: TermScope[] = [];
  const run: ViewState = { ...ledger, options, leaves, memo: new Map(), newValues: new Map() };
  leaves.push(...ledger.tuple.transactions.map((_, instance) => leavesOf(run, instance)));
  return {
    state: (...args) => state(run, ...args),
    final: (...args) => final(run, ...args),
    matches: (...args) => matches(run, ...args),
    finds: (...args) => finds(run, ...args),
    makesVersion: (...args) => makesVersion(run, ...args),
    replaced: (...args) => replaced(run, ...args),
    hasOwnVersion: (...args) => hasOwnVersion(run, ...args),
    seesWrite: (...args) => seesWrite(run, ...args),
    keyMatches: (...args) => keyMatches(run, ...args),
    touches: (...args) => touches(run, ...args),
    undone: (...args) => undone(run, ...args),
    hits: (...args) => hits(run, ...args),
    exec: (...args) => exec(run, ...args),
    rows: (...args) => rows(run, ...args),
    value: (...args) => value(run, ...args),
    columnAt: (...args) => columnAt(run, ...args),
    newValue: (...args) => newValue(run, ...args),
    insertedValue: (...args) => insertedValue(run, ...args),
  };
}

/** The leaves of an instance's terms: its parameters, and the results of its operations. */
function leavesOf(run: ViewState, instance: number): TermScope {
  const { script, database, done } = run;
  return {
    parameter: (name) => database.parameter(instance, name),
    unknown: (id, type) => database.unknown(instance, id, type),
    apply: (what, args) => applyFree(script, READABLE, what, args),
    output: (operation, name) => ownEntry(done[instance]?.[operation]?.outputs, name) ?? SQL_NULL,
    found: (operation) => done[instance]?.[operation]?.found ?? FALSE,
    count: (operation) => done[instance]?.[operation]?.count ?? "0",
    rows: (operation) => {
      const own = done[instance]?.[operation];
      return own ? foundRows(run, own) : [];
    },
    failed: (operation, code) => ownEntry(done[instance]?.[operation]?.failed, code) ?? FALSE,
    known: new Map<Term, SqlValue>(),
    shorten: (value) => nameValue(script, value),
  };
}

function value(
  run: ViewState,
  instance: number,
  term: Term,
  column?: (column: string) => SqlValue,
): SqlValue {
  const { leaves } = run;
  const own = leaves[instance];
  if (own === undefined) return SQL_NULL;
  return termValue(term, column ? { ...own, column } : own);
}

/** The rows that an operation selected, with their results. */
function foundRows(run: ViewState, { access, chosen }: Effect): readonly FoundRow[] {
  return chosen.map(({ row, is }) => ({
    is,
    output: (name) => {
      const term = ownEntry(access.operation.outputs, name);
      if (term === undefined) return SQL_NULL;
      return value(run, access.instance, term, columnAt(run, access, access.shows, row));
    },
  }));
}

function rows(run: ViewState, table: TupleTable): readonly RowKey[] {
  const { database, inserted } = run;
  return [...database.rows(table), ...(inserted.get(table.table.name) ?? [])];
}

function doneOf(run: ViewState, access: Access): Effect | undefined {
  const { done } = run;
  return done[access.instance]?.[access.operation.index];
}

function columnAt(
  run: ViewState,
  access: Access,
  view: View,
  row: RowKey,
): (column: string) => SqlValue {
  return (column: string): SqlValue => state(run, access, view, column, row);
}

function initial(run: ViewState, table: TupleTable, column: string, row: RowKey): SqlValue {
  const { database } = run;
  return column === EXISTS
    ? sqlBool(database.alive(table, row))
    : database.column(table, column, row);
}

/** The value after an instance's writes before `step`. */
function applyWrites(
  run: ViewState,
  before: SqlValue,
  instance: number,
  visible: Smt,
  at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  step = Infinity,
): SqlValue {
  const { done } = run;
  let result = before;
  if (visible === FALSE) return result;
  for (const each of done[instance] ?? []) {
    const { access } = each;
    if (access.instance !== instance || access.table !== at.table) continue;
    if (access.operation.step >= step || !isWrite(access)) continue;
    if (!access.writes.has(at.column)) continue;
    const undoneThen = undone(run, access, step);
    result = applyWrite(run, result, each, and(visible, not(undoneThen)), at);
  }
  return result;
}

function applyWrite(
  run: ViewState,
  before: SqlValue,
  write: Effect,
  visible: Smt,
  at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
): SqlValue {
  const { operation } = write.access;
  const { column, row } = at;
  switch (operation.kind) {
    case "read":
      return before;
    case "update": {
      const hit = touches(run, write.access, row);
      return hit === FALSE
        ? before
        : choose(
            and(visible, hit),
            newValue(run, write, ownEntry(operation.set, column), row),
            before,
          );
    }
    case "delete":
      return column === EXISTS
        ? choose(and(visible, touches(run, write.access, row)), sqlBool(FALSE), before)
        : before;
    case "insert": {
      const same = sameAll(write.row ?? [], row);
      if (same === FALSE) return before;
      const made = and(visible, same, write.inserted);
      const changed = and(visible, same, write.updated);
      if (column === EXISTS) return choose(made, sqlBool(TRUE), before);
      const kept = ownEntry(operation.update, column);
      const afterUpdate =
        kept === undefined ? before : choose(changed, newValue(run, write, kept, row), before);
      return choose(made, insertedValue(run, write, column), afterUpdate);
    }
  }
}

function insertedValue(run: ViewState, write: Effect, column: string): SqlValue {
  const term = ownEntry(write.access.operation.set, column);
  return term === undefined ? SQL_NULL : value(run, write.access.instance, term);
}

/** The value that a write gives a column, computed from the row's newest version. */
function newValue(run: ViewState, write: Effect, term: Term | undefined, row: RowKey): SqlValue {
  const { newValues, script } = run;
  if (term === undefined) return SQL_NULL;
  // A point write changes its own row only; equal rows have equal values.
  const own = write.row ?? row;
  const key = `w ${String(write.access.instance)} ${String(write.access.operation.index)} ${own.join(" ")}`;
  const at = columnAt(run, write.access, "current", own);
  const known = newValues.get(term)?.get(key);
  if (known) return known;
  const made = nameValue(script, value(run, write.access.instance, term, at));
  const perTerm = newValues.get(term) ?? new Map<string, SqlValue>();
  perTerm.set(key, made);
  newValues.set(term, perTerm);
  return made;
}

/** The name of the state that the access looks at: the newest commits, one snapshot, or a separate moment per row. */
function openView(run: ViewState, { instance, operation }: Access, view: View): string {
  const { memo, tuple } = run;
  const own = `y${String(instance)}`;
  if (view === "current") return `${own}c`;
  if (view === "look") return `${own}k${String(memo.size)}_`;
  return hasOwnSnapshots(tuple, instance) ? `${own}s${String(operation.step)}_` : `${own}s`;
}

function isVisible(run: ViewState, other: number, access: Access, view: View, row: RowKey): Smt {
  const { options } = run;
  switch (view) {
    case "current":
    case "dirty":
      return TRUE;
    case "snapshot":
      return options.sees(other, access);
    case "look":
      return options.looksAfter(other, access, row);
  }
}

/**
 * Own versions of a row whose snapshot may be older than the change: such a version shows the whole row as it was newest then, and an
 * UPDATE that changes nothing creates none.
 */
function applyOwnVersions(
  run: ViewState,
  before: SqlValue,
  access: Access,
  at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
): SqlValue {
  let result = before;
  for (const each of ownWrites(run, access, at.table)) {
    const made = and(
      changes(run, each, at.row),
      not(undone(run, each.access, access.operation.step)),
    );
    if (made === FALSE) continue;
    const base = state(run, each.access, "current", at.column, at.row);
    const writes = each.access.writes.has(at.column);
    result = choose(made, writes ? applyWrite(run, base, each, TRUE, at) : base, result);
  }
  return result;
}

function ownWrites(run: ViewState, access: Access, table: TupleTable): readonly Effect[] {
  const { done } = run;
  return (done[access.instance] ?? []).filter(
    (each) =>
      each.access.instance === access.instance &&
      each.access.table === table &&
      each.access.operation.step < access.operation.step &&
      isWrite(each.access),
  );
}

/** The condition that the write creates a version of the row: at some levels only if a value changes. */
function changes(run: ViewState, write: Effect, row: RowKey): Smt {
  const { tuple } = run;
  const { access } = write;
  const hit = touches(run, access, row);
  const level = tuple.levels[access.instance];
  if (hit === FALSE || level?.noVersionOnNoChange !== true) return hit;
  const { operation } = access;
  const differs = (set: Readonly<Record<string, Term>>): Smt =>
    or(
      ...Object.entries(set).map(([column, term]) =>
        not(sameValue(newValue(run, write, term, row), state(run, access, "current", column, row))),
      ),
    );
  if (operation.kind === "update") return and(hit, differs(operation.set));
  if (operation.kind !== "insert") return hit;
  return and(hit, or(write.inserted, differs(operation.update ?? {})));
}

function makesVersion(run: ViewState, access: Access, row: RowKey): Smt {
  const own = doneOf(run, access);
  return own === undefined ? FALSE : and(changes(run, own, row), not(undone(run, access)));
}

function hasOwnVersion(run: ViewState, access: Access, row: RowKey): Smt {
  return or(...ownWrites(run, access, access.table).map((each) => touches(run, each.access, row)));
}

function state(run: ViewState, access: Access, view: View, column: string, row: RowKey): SqlValue {
  const { memo, options, script, commits, tuple } = run;
  const { order } = options;
  const { table, instance, operation } = access;
  if (!table.mutable.has(column)) return initial(run, table, column, row);
  const own = String(instance);
  // Each operation's looks have their own moments.
  const who = view === "look" ? `o${String(operation.index)}` : String(operation.step);
  const key = `${view} ${own} ${who} ${table.table.name}.${column} ${row.join(" ")}`;
  const before = memo.get(key);
  if (before) return before;
  const at = { table, column, row };
  let result = options.open
    ? openValue(script, at, openView(run, access, view))
    : initial(run, table, column, row);
  if (view === "dirty" && options.times) result = applySeen(run, result, access, at);
  for (const other of options.open || (view === "dirty" && options.times) ? [] : order) {
    if (other === instance) break;
    const visible = isVisible(run, other, access, view, row);
    result = applyWrites(run, result, other, and(visible, commits[other] ?? TRUE), at);
  }
  const stale = view === "snapshot" && mayReadStale(tuple, instance);
  result = stale
    ? applyOwnVersions(run, result, access, at)
    : applyWrites(run, result, instance, TRUE, at, operation.step);
  result = nameValue(script, result);
  memo.set(key, result);
  return result;
}

/** The value after all visible writes of others, committed or not: locks order two writes of one row as the commits. */
function applySeen(
  run: ViewState,
  before: SqlValue,
  access: Access,
  at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
): SqlValue {
  const { done, options } = run;
  const { order } = options;
  let result = before;
  for (const other of order.filter((each) => each !== access.instance))
    for (const each of done[other] ?? []) {
      if (each.access.table !== at.table || !each.access.writes.has(at.column)) continue;
      if (isWrite(each.access))
        result = applyWrite(run, result, each, seesWrite(run, each.access, access), at);
    }
  return result;
}

function seesWrite(run: ViewState, write: Access, reader: Access): Smt {
  const { options, commits } = run;
  if (!options.times) return TRUE;
  const committed = commits[write.instance] ?? TRUE;
  const condition = (term: Term): Smt => isTrue(value(run, write.instance, term));
  return seenWrite(options.times, write, reader, committed, condition);
}

function final(run: ViewState, table: TupleTable, column: string, row: RowKey): SqlValue {
  const { commits, script, options } = run;
  const { order } = options;
  if (!table.mutable.has(column)) return initial(run, table, column, row);
  let result = initial(run, table, column, row);
  for (const instance of order)
    result = applyWrites(run, result, instance, commits[instance] ?? TRUE, { table, column, row });
  return nameValue(script, result);
}

function matches(run: ViewState, access: Access, view: View, row: RowKey): Smt {
  return and(
    state(run, access, view, EXISTS, row).value,
    isTrue(value(run, access.instance, access.operation.where, columnAt(run, access, view, row))),
  );
}

function keyMatches(run: ViewState, access: Access, row: RowKey): Smt {
  return and(
    ...access.table.table.primaryKey.map((column, at) => {
      const term = ownEntry(access.operation.key, column);
      if (term === undefined) return TRUE;
      const bound = value(run, access.instance, term);
      return and(not(bound.isNull), eq(asInt(bound), row[at] ?? "0"));
    }),
  );
}

function finds(run: ViewState, access: Access, row: RowKey): Smt {
  const found = matches(run, access, access.view, row);
  // Rows that it locks when it looks at them are the newest versions.
  if (access.plain || access.view !== "snapshot") return found;
  const stays =
    access.shows === "current"
      ? matches(run, access, "current", row)
      : state(run, access, "current", EXISTS, row).value;
  return and(found, stays, not(replaced(run, access, row)));
}

function replaced(run: ViewState, access: Access, row: RowKey): Smt {
  const { tuple, options, script, commits } = run;
  const { order } = options;
  const { instance, table } = access;
  const rechecks = tuple.levels[instance]?.conflict === "recheck";
  if (!rechecks || access.plain || access.view !== "snapshot") return FALSE;
  if (options.open && table.mutable.has(EXISTS))
    return openReplacement(script, `y${String(instance)}o${String(access.operation.index)}_`, row);
  if (!comesAgain(run, table)) return FALSE;
  return or(
    ...order
      .slice(0, order.indexOf(instance))
      .map((other) =>
        and(
          not(options.sees(other, access)),
          commits[other] ?? TRUE,
          or(...deletionsOf(run, other, table).map((each) => hits(run, each.access, row))),
        ),
      ),
  );
}

/** True if some instance inserts rows: only then can a deleted row reappear. */
function comesAgain(run: ViewState, table: TupleTable): boolean {
  const { tuple } = run;
  return tuple.accesses.some((own) =>
    own.some((each) => each.table === table && each.operation.kind === "insert"),
  );
}

function deletionsOf(run: ViewState, instance: number, table: TupleTable): readonly Effect[] {
  const { done } = run;
  return (done[instance] ?? []).filter(
    ({ access }) =>
      access.instance === instance && access.table === table && access.operation.kind === "delete",
  );
}

function exec(run: ViewState, access: Access): Smt {
  return doneOf(run, access)?.exec ?? FALSE;
}

function undone(run: ViewState, access: Access, step: number = Infinity): Smt {
  return or(
    ...(access.operation.undone ?? [])
      .filter(({ from }) => step >= from)
      .map(({ when }) => isTrue(value(run, access.instance, when))),
  );
}

function hits(run: ViewState, access: Access, row: RowKey): Smt {
  return and(touches(run, access, row), not(undone(run, access)));
}

function touches(run: ViewState, access: Access, row: RowKey): Smt {
  const { script } = run;
  const own = doneOf(run, access);
  if (own === undefined || !isWrite(access)) return FALSE;
  if (own.row) return and(sameAll(own.row, row), own.found);
  const key = keyMatches(run, access, row);
  return key === FALSE ? FALSE : script.name(and(own.exec, key, finds(run, access, row)), "Bool");
}
