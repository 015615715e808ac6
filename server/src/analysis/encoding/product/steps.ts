// The effects of a run's operations: the rows that they select, their results, and their errors.
import { ERRORS } from "../../../program/errors";
import { ownEntry, setEntry } from "../../../protocol/dictionary";
import type { Operation, Term } from "../../operations/operation";
import { FALSE, TRUE, add, and, ite, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt, choose, isTrue, nameValue, sqlInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { collisions, takesUsedKey, violates } from "./constraints";
import { comesBefore } from "./order";
import type { RowKey } from "./database";
import { insertedKey, openRead, sampleColumn, settleRead } from "./dirty";
import { loosen } from "./open";
import { EXISTS, catchesDuplicate, isWrite } from "./tuple";
import type { Access, TupleTable, View } from "./tuple";
import type { Effect, Ledger, Views } from "./execution";

/** A run while its operations are added: what is defined so far, with its views. */
type StepState = Ledger & Views;

/** Adds operations to a ledger; returns the conditions under which an operation aborts its transaction. */
export function makeSteps(ledger: Ledger, views: Views): (access: Access) => readonly Smt[] {
  const run: StepState = { ...ledger, ...views };
  return (access) => addOperation(run, access);
}

function addOperation(run: StepState, access: Access): readonly Smt[] {
  const { script, value, done } = run;
  const { instance, operation } = access;
  const exec = script.name(isTrue(value(instance, access.guard)), "Bool");
  const isOpen = run.unsettled !== undefined && access.view === "dirty";
  const made = isOpen ? runOpen(run, access, exec) : runSettled(run, access, exec);
  done[instance]?.push(made);
  const errors: Readonly<Record<string, Smt>> = {
    [ERRORS.notNull]: isWrite(access)
      ? or(violates(run, made, "notNull"), withoutKey(run, made))
      : FALSE,
    [ERRORS.check]: isWrite(access) ? violates(run, made, "check") : FALSE,
    [ERRORS.duplicate]: operation.kind === "insert" ? refused(run, made) : takesUsedKey(run, made),
    [ERRORS.missingParent]: or(
      operation.mustFind ? and(exec, not(made.found)) : FALSE,
      operation.mustMiss ? made.found : FALSE,
    ),
  };
  const caught = (code: string): boolean => operation.caught?.includes(code) === true;
  return Object.entries(errors).flatMap(([code, error]) => {
    if (caught(code)) setEntry(made.failed, code, script.name(error, "Bool"));
    return caught(code) ? [] : [error];
  });
}

function runSettled(run: StepState, access: Access, exec: Smt): Effect {
  if (access.operation.kind === "insert") return runInsert(run, access, exec);
  return access.point ? runPoint(run, access, exec) : runScan(run, access, exec);
}

/** The selected rows of a dirty read depend on later definitions. */
function runOpen(run: StepState, access: Access, exec: Smt): Effect {
  const { value, script, rows } = run;
  const { instance, table } = access;
  const row = access.point ? keyOf(run, access).row : undefined;
  const sortOf = (term: Term): SqlValue["sort"] =>
    value(instance, term, (column) => sampleColumn(table.table, column)).sort;
  const open = openRead(script, access, exec, { rows: rows(table), ...(row && { row }), sortOf });
  run.unsettled?.push(() => {
    settleRead(script, open, runSettled(run, access, exec));
  });
  return open;
}

/** An insertion with a NULL key. */
function withoutKey(run: StepState, { access, exec }: Effect): Smt {
  return access.operation.kind === "insert" ? and(exec, not(keyOf(run, access).complete)) : FALSE;
}

/** An insertion of an existing key, without ON CONFLICT. */
function refused(run: StepState, made: Effect): Smt {
  const { state } = run;
  const { access, exec, row = [] } = made;
  if (access.operation.onDuplicate !== "error") return FALSE;
  const { complete } = keyOf(run, access);
  const taken = state(access, "current", EXISTS, row).value;
  return and(exec, complete, or(taken, skipped(run, access, row), ...collisions(run, access, row)));
}

/** A row in its snapshot makes the insertion do nothing. */
function skipped(run: StepState, access: Access, row: RowKey): Smt {
  const { state } = run;
  return access.skips ? state(access, "snapshot", EXISTS, row).value : FALSE;
}

function keyOf(run: StepState, access: Access): { readonly row: RowKey; readonly complete: Smt } {
  const { value, script } = run;
  const values = access.table.table.primaryKey.map((column) => {
    const term = ownEntry(access.operation.key, column);
    return term ? value(access.instance, term) : SQL_NULL;
  });
  const row = values.map((each) => script.name(asInt(each), "Int"));
  const { operation, table } = access;
  const isNamed = run.unsettled && operation.kind === "insert" && table.closed;
  const named = isNamed ? insertedKey(script, access) : row;
  if (isNamed) script.assert(sameAll(named, row));
  return {
    row: named,
    complete: and(...values.map((each) => not(each.isNull))),
  };
}

function runPoint(run: StepState, access: Access, exec: Smt): Effect {
  const { script, finds } = run;
  const { operation } = access;
  const { row, complete } = keyOf(run, access);
  const found = script.name(and(exec, complete, finds(access, row)), "Bool");
  const one = aggregateOf(run, access, [{ row, is: found }], exec);
  const view = access.shows;
  return {
    access,
    exec,
    row,
    found,
    count: ite(found, "1", "0"),
    outputs: { ...outputsAt(run, operation, access, view, [{ row, is: found }]), ...one },
    chosen: [{ row, is: found }],
    inserted: FALSE,
    updated: FALSE,
    failed: {},
  };
}

function runInsert(run: StepState, access: Access, exec: Smt): Effect {
  const { state, script, columnAt, value, rows, newValue, insertedValue } = run;
  const { instance, operation } = access;
  const { row, complete } = keyOf(run, access);
  const taken = state(access, "current", EXISTS, row).value;
  const clash = or(...collisions(run, access, row));
  const skips = skipped(run, access, row);
  const inserted = script.name(
    and(
      exec,
      complete,
      not(taken),
      not(skips),
      operation.onDuplicate === "error" && !catchesDuplicate(access) ? TRUE : not(clash),
    ),
    "Bool",
  );
  const mayUpdate = operation.onDuplicate === "update";
  const at = columnAt(access, "current", row);
  const updated = mayUpdate
    ? script.name(
        and(exec, complete, taken, isTrue(value(instance, operation.updateWhere ?? YES, at))),
        "Bool",
      )
    : FALSE;
  const { table } = access;
  if (table.closed && !rows(table).some((each) => each.join() === row.join()))
    run.inserted.set(table.table.name, [...(run.inserted.get(table.table.name) ?? []), row]);
  const found = or(inserted, updated);
  const base: Effect = {
    access,
    exec,
    row,
    found,
    count: ite(found, "1", "0"),
    outputs: {},
    chosen: [],
    inserted,
    updated,
    failed: {},
  };
  const outputs = Object.fromEntries(
    Object.entries(operation.outputs).map(([name, term]): [string, SqlValue] => {
      const after = value(instance, term, (column) => {
        const old = state(access, "current", column, row);
        const kept = ownEntry(operation.update, column);
        const changed = kept === undefined ? old : choose(updated, newValue(base, kept, row), old);
        return choose(inserted, insertedValue(base, column), changed);
      });
      return [name, nameValue(script, choose(found, after, SQL_NULL))];
    }),
  );
  return { ...base, outputs };
}

function runScan(run: StepState, access: Access, exec: Smt): Effect {
  const { rows, finds, script, keyMatches } = run;
  const { operation, table } = access;
  const view = access.shows;
  const candidates: { readonly row: RowKey; readonly is: Smt }[] = [];
  for (const row of rows(table)) {
    const again = or(...candidates.map((other) => sameAll(other.row, row)));
    const met = finds(access, row);
    const is = script.name(and(exec, keyMatches(access, row), met, not(again)), "Bool");
    if (is !== FALSE) candidates.push({ row, is });
  }
  const found = script.name(or(...candidates.map((each) => each.is)), "Bool");
  const counted = countOf(run, table, candidates);
  const wanted = operation.pick === "some" || operation.pick === "first";
  const chosen =
    wanted &&
    (Object.keys(operation.outputs).length > 0 || (operation.locksChosen && !access.plain))
      ? candidates.map((each) => ({
          row: each.row,
          is: script.name(firstOf(run, access, view, each, candidates), "Bool"),
        }))
      : candidates;
  const made: Effect = {
    access,
    exec,
    found,
    count: script.name(counted, "Int"),
    outputs: {
      ...(operation.aggregate ? {} : outputsAt(run, operation, access, view, chosen)),
      ...aggregateOf(run, access, candidates, exec),
    },
    chosen,
    inserted: FALSE,
    updated: FALSE,
    failed: {},
  };
  return run.open ? loosen(script, made) : made;
}

/** True if no other candidate comes before: by ORDER BY, then by key. */
function firstOf(
  run: StepState,
  access: Access,
  view: View,
  one: { readonly row: RowKey; readonly is: Smt },
  candidates: readonly { readonly row: RowKey; readonly is: Smt }[],
): Smt {
  const { state } = run;
  const before = (other: RowKey): Smt => comesBefore(state, access, view, other, one.row);
  const others = candidates.filter((each) => each !== one);
  return and(one.is, ...others.map((other) => not(and(other.is, before(other.row)))));
}

function outputsAt(
  run: StepState,
  operation: Operation,
  access: Access,
  view: View,
  chosen: readonly { readonly row: RowKey; readonly is: Smt }[],
): Readonly<Record<string, SqlValue>> {
  const { value, columnAt, script } = run;
  return Object.fromEntries(
    Object.entries(operation.outputs).map(([name, term]) => {
      const read = chosen.reduceRight<SqlValue>(
        (rest, each) =>
          choose(each.is, value(access.instance, term, columnAt(access, view, each.row)), rest),
        SQL_NULL,
      );
      return [name, nameValue(script, read)];
    }),
  );
}

/** The number of those rows. */
function countOf(
  run: StepState,
  table: TupleTable,
  found: readonly { readonly row: RowKey; readonly is: Smt }[],
): Smt {
  const alike = run.database.alike(table);
  return add(...found.map(({ row, is }) => ite(is, row === alike?.row ? alike.times : "1", "0")));
}

function aggregateOf(
  run: StepState,
  access: Access,
  candidates: readonly { readonly row: RowKey; readonly is: Smt }[],
  exec: Smt,
): Readonly<Record<string, SqlValue>> {
  const { script, value, columnAt } = run;
  const { aggregate } = access.operation;
  if (!aggregate) return {};
  const view = access.shows;
  const some = or(...candidates.map((each) => each.is));
  if (aggregate.function !== "sum" || !aggregate.operand) {
    const count = countOf(run, access.table, candidates);
    return { [aggregate.output]: nameValue(script, sqlInt(count, not(exec))) };
  }
  const { operand } = aggregate;
  const total = add(
    ...candidates.map((each) => {
      const term = value(access.instance, operand, columnAt(access, view, each.row));
      return ite(and(each.is, not(term.isNull)), asInt(term), "0");
    }),
  );
  return { [aggregate.output]: nameValue(script, sqlInt(total, not(some))) };
}

const YES: Term = { kind: "bool", value: true };
