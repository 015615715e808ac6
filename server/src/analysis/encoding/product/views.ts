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

/** The views of a run. Its ledger must be filled in commit order: each part before anything that sees it. */
export function makeViews(ledger: Ledger, options: RunOptions): Views {
  const { script, tuple, database, done, commits } = ledger;
  const { order } = options;
  const memo = new Map<string, SqlValue>();
  const newValues = new Map<Term, Map<string, SqlValue>>();
  const leaves = tuple.transactions.map((_, instance): TermScope => ({
    parameter: (name) => database.parameter(instance, name),
    unknown: (id, type) => database.unknown(instance, id, type),
    apply: (what, args) => applyFree(script, READABLE, what, args),
    output: (operation, name) => ownEntry(done[instance]?.[operation]?.outputs, name) ?? SQL_NULL,
    found: (operation) => done[instance]?.[operation]?.found ?? FALSE,
    count: (operation) => done[instance]?.[operation]?.count ?? "0",
    rows: (operation) => {
      const own = done[instance]?.[operation];
      return own ? foundRows(own) : [];
    },
    failed: (operation, code) => ownEntry(done[instance]?.[operation]?.failed, code) ?? FALSE,
    known: new Map<Term, SqlValue>(),
    shorten: (value) => nameValue(script, value),
  }));

  const value: Views["value"] = (instance, term, column) => {
    const own = leaves[instance];
    if (own === undefined) return SQL_NULL;
    return termValue(term, column ? { ...own, column } : own);
  };

  /** The rows that an operation selected, with their results. */
  const foundRows = ({ access, chosen }: Effect): readonly FoundRow[] =>
    chosen.map(({ row, is }) => ({
      is,
      output: (name) => {
        const term = ownEntry(access.operation.outputs, name);
        if (term === undefined) return SQL_NULL;
        return value(access.instance, term, columnAt(access, access.shows, row));
      },
    }));

  const rows: Views["rows"] = (table) => [
    ...database.rows(table),
    ...(ledger.inserted.get(table.table.name) ?? []),
  ];

  const doneOf = (access: Access): Effect | undefined =>
    done[access.instance]?.[access.operation.index];

  const columnAt =
    (access: Access, view: View, row: RowKey) =>
    (column: string): SqlValue =>
      state(access, view, column, row);

  const initial = (table: TupleTable, column: string, row: RowKey): SqlValue =>
    column === EXISTS ? sqlBool(database.alive(table, row)) : database.column(table, column, row);

  /** The value after an instance's writes before `step`. */
  const applyWrites = (
    before: SqlValue,
    instance: number,
    visible: Smt,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
    step = Infinity,
  ): SqlValue => {
    let result = before;
    if (visible === FALSE) return result;
    for (const each of done[instance] ?? []) {
      const { access } = each;
      if (access.instance !== instance || access.table !== at.table) continue;
      if (access.operation.step >= step || !isWrite(access)) continue;
      if (!access.writes.has(at.column)) continue;
      const undoneThen = undone(access, step);
      result = applyWrite(result, each, and(visible, not(undoneThen)), at);
    }
    return result;
  };

  const applyWrite = (
    before: SqlValue,
    write: Effect,
    visible: Smt,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  ): SqlValue => {
    const { operation } = write.access;
    const { column, row } = at;
    switch (operation.kind) {
      case "read":
        return before;
      case "update": {
        const hit = touches(write.access, row);
        return hit === FALSE
          ? before
          : choose(
              and(visible, hit),
              newValue(write, ownEntry(operation.set, column), row),
              before,
            );
      }
      case "delete":
        return column === EXISTS
          ? choose(and(visible, touches(write.access, row)), sqlBool(FALSE), before)
          : before;
      case "insert": {
        const same = sameAll(write.row ?? [], row);
        if (same === FALSE) return before;
        const made = and(visible, same, write.inserted);
        const changed = and(visible, same, write.updated);
        if (column === EXISTS) return choose(made, sqlBool(TRUE), before);
        const kept = ownEntry(operation.update, column);
        const afterUpdate =
          kept === undefined ? before : choose(changed, newValue(write, kept, row), before);
        return choose(made, insertedValue(write, column), afterUpdate);
      }
    }
  };

  const insertedValue = (write: Effect, column: string): SqlValue => {
    const term = ownEntry(write.access.operation.set, column);
    return term === undefined ? SQL_NULL : value(write.access.instance, term);
  };

  /** The value that a write gives a column, computed from the row's newest version. */
  const newValue = (write: Effect, term: Term | undefined, row: RowKey): SqlValue => {
    if (term === undefined) return SQL_NULL;
    // A point write changes its own row only; equal rows have equal values.
    const own = write.row ?? row;
    const key = `w ${String(write.access.instance)} ${String(write.access.operation.index)} ${own.join(" ")}`;
    const at = columnAt(write.access, "current", own);
    const known = newValues.get(term)?.get(key);
    if (known) return known;
    const made = nameValue(script, value(write.access.instance, term, at));
    const perTerm = newValues.get(term) ?? new Map<string, SqlValue>();
    perTerm.set(key, made);
    newValues.set(term, perTerm);
    return made;
  };

  /** The name of the state that the access looks at: the newest commits, one snapshot, or a separate moment per row. */
  const openView = ({ instance, operation }: Access, view: View): string => {
    const own = `y${String(instance)}`;
    if (view === "current") return `${own}c`;
    if (view === "look") return `${own}k${String(memo.size)}_`;
    return hasOwnSnapshots(tuple, instance) ? `${own}s${String(operation.step)}_` : `${own}s`;
  };

  const isVisible = (other: number, access: Access, view: View, row: RowKey): Smt => {
    switch (view) {
      case "current":
      case "dirty":
        return TRUE;
      case "snapshot":
        return options.sees(other, access);
      case "look":
        return options.looksAfter(other, access, row);
    }
  };

  /**
   * Own versions of a row whose snapshot may be older than the change: such a version shows the whole row as it was newest then, and an
   * UPDATE that changes nothing creates none.
   */
  const applyOwnVersions = (
    before: SqlValue,
    access: Access,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  ): SqlValue => {
    let result = before;
    for (const each of ownWrites(access, at.table)) {
      const made = and(changes(each, at.row), not(undone(each.access, access.operation.step)));
      if (made === FALSE) continue;
      const base = state(each.access, "current", at.column, at.row);
      const writes = each.access.writes.has(at.column);
      result = choose(made, writes ? applyWrite(base, each, TRUE, at) : base, result);
    }
    return result;
  };

  const ownWrites = (access: Access, table: TupleTable): readonly Effect[] =>
    (done[access.instance] ?? []).filter(
      (each) =>
        each.access.instance === access.instance &&
        each.access.table === table &&
        each.access.operation.step < access.operation.step &&
        isWrite(each.access),
    );

  /** The condition that the write creates a version of the row: at some levels only if a value changes. */
  const changes = (write: Effect, row: RowKey): Smt => {
    const { access } = write;
    const hit = touches(access, row);
    const level = tuple.levels[access.instance];
    if (hit === FALSE || level?.noVersionOnNoChange !== true) return hit;
    const { operation } = access;
    const differs = (set: Readonly<Record<string, Term>>): Smt =>
      or(
        ...Object.entries(set).map(([column, term]) =>
          not(sameValue(newValue(write, term, row), state(access, "current", column, row))),
        ),
      );
    if (operation.kind === "update") return and(hit, differs(operation.set));
    if (operation.kind !== "insert") return hit;
    return and(hit, or(write.inserted, differs(operation.update ?? {})));
  };

  const makesVersion: Views["makesVersion"] = (access, row) => {
    const own = doneOf(access);
    return own === undefined ? FALSE : and(changes(own, row), not(undone(access)));
  };

  const hasOwnVersion: Views["hasOwnVersion"] = (access, row) =>
    or(...ownWrites(access, access.table).map((each) => touches(each.access, row)));

  const state: Views["state"] = (access, view, column, row) => {
    const { table, instance, operation } = access;
    if (!table.mutable.has(column)) return initial(table, column, row);
    const own = String(instance);
    // Each operation's looks have their own moments.
    const who = view === "look" ? `o${String(operation.index)}` : String(operation.step);
    const key = `${view} ${own} ${who} ${table.table.name}.${column} ${row.join(" ")}`;
    const before = memo.get(key);
    if (before) return before;
    const at = { table, column, row };
    let result = options.open
      ? openValue(script, at, openView(access, view))
      : initial(table, column, row);
    if (view === "dirty" && options.times) result = applySeen(result, access, at);
    for (const other of options.open || (view === "dirty" && options.times) ? [] : order) {
      if (other === instance) break;
      const visible = isVisible(other, access, view, row);
      result = applyWrites(result, other, and(visible, commits[other] ?? TRUE), at);
    }
    const stale = view === "snapshot" && mayReadStale(tuple, instance);
    result = stale
      ? applyOwnVersions(result, access, at)
      : applyWrites(result, instance, TRUE, at, operation.step);
    result = nameValue(script, result);
    memo.set(key, result);
    return result;
  };

  /** The value after all visible writes of others, committed or not: locks order two writes of one row as the commits. */
  const applySeen = (
    before: SqlValue,
    access: Access,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  ): SqlValue => {
    let result = before;
    for (const other of order.filter((each) => each !== access.instance))
      for (const each of done[other] ?? []) {
        if (each.access.table !== at.table || !each.access.writes.has(at.column)) continue;
        if (isWrite(each.access))
          result = applyWrite(result, each, seesWrite(each.access, access), at);
      }
    return result;
  };

  const seesWrite: Views["seesWrite"] = (write, reader) => {
    if (!options.times) return TRUE;
    const committed = commits[write.instance] ?? TRUE;
    const condition = (term: Term): Smt => isTrue(value(write.instance, term));
    return seenWrite(options.times, write, reader, committed, condition);
  };

  const final: Views["final"] = (table, column, row) => {
    if (!table.mutable.has(column)) return initial(table, column, row);
    let result = initial(table, column, row);
    for (const instance of order)
      result = applyWrites(result, instance, commits[instance] ?? TRUE, { table, column, row });
    return nameValue(script, result);
  };

  const matches: Views["matches"] = (access, view, row) =>
    and(
      state(access, view, EXISTS, row).value,
      isTrue(value(access.instance, access.operation.where, columnAt(access, view, row))),
    );

  const keyMatches: Views["keyMatches"] = (access, row) =>
    and(
      ...access.table.table.primaryKey.map((column, at) => {
        const term = ownEntry(access.operation.key, column);
        if (term === undefined) return TRUE;
        const bound = value(access.instance, term);
        return and(not(bound.isNull), eq(asInt(bound), row[at] ?? "0"));
      }),
    );

  const finds: Views["finds"] = (access, row) => {
    const found = matches(access, access.view, row);
    // Rows that it locks when it looks at them are the newest versions.
    if (access.plain || access.view !== "snapshot") return found;
    const stays =
      access.shows === "current"
        ? matches(access, "current", row)
        : state(access, "current", EXISTS, row).value;
    return and(found, stays, not(replaced(access, row)));
  };

  const replaced: Views["replaced"] = (access, row) => {
    const { instance, table } = access;
    const rechecks = tuple.levels[instance]?.conflict === "recheck";
    if (!rechecks || access.plain || access.view !== "snapshot") return FALSE;
    if (options.open && table.mutable.has(EXISTS))
      return openReplacement(
        script,
        `y${String(instance)}o${String(access.operation.index)}_`,
        row,
      );
    if (!comesAgain(table)) return FALSE;
    return or(
      ...order
        .slice(0, order.indexOf(instance))
        .map((other) =>
          and(
            not(options.sees(other, access)),
            commits[other] ?? TRUE,
            or(...deletionsOf(other, table).map((each) => hits(each.access, row))),
          ),
        ),
    );
  };

  /** True if some instance inserts rows: only then can a deleted row reappear. */
  const comesAgain = (table: TupleTable): boolean =>
    tuple.accesses.some((own) =>
      own.some((each) => each.table === table && each.operation.kind === "insert"),
    );

  const deletionsOf = (instance: number, table: TupleTable): readonly Effect[] =>
    (done[instance] ?? []).filter(
      ({ access }) =>
        access.instance === instance &&
        access.table === table &&
        access.operation.kind === "delete",
    );

  const exec: Views["exec"] = (access) => doneOf(access)?.exec ?? FALSE;

  const undone: Views["undone"] = (access, step = Infinity) =>
    or(
      ...(access.operation.undone ?? [])
        .filter(({ from }) => step >= from)
        .map(({ when }) => isTrue(value(access.instance, when))),
    );

  const hits: Views["hits"] = (access, row) => and(touches(access, row), not(undone(access)));

  const touches: Views["touches"] = (access, row) => {
    const own = doneOf(access);
    if (own === undefined || !isWrite(access)) return FALSE;
    if (own.row) return and(sameAll(own.row, row), own.found);
    const key = keyMatches(access, row);
    return key === FALSE ? FALSE : script.name(and(own.exec, key, finds(access, row)), "Bool");
  };

  return {
    state,
    final,
    matches,
    finds,
    makesVersion,
    replaced,
    hasOwnVersion,
    seesWrite,
    keyMatches,
    touches,
    undone,
    hits,
    exec,
    rows,
    value,
    columnAt,
    newValue,
    insertedValue,
  };
}
