// Constraints that abort a transaction: NOT NULL and CHECK on the rows that it writes, and unique keys.
import { ownEntry } from "../../../protocol/dictionary";
import type { Term } from "../../operations/operation";
import { deferredKeysOf } from "../../operations/tables";
import { columnsIn } from "../../operations/terms";
import { FALSE, and, eq, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt, isFalse } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { RowKey } from "./database";
import { EXISTS } from "./tuple";
import type { Access } from "./tuple";
import type { Effect, Views } from "./execution";

/** The condition that a written row version violates NOT NULL, or a CHECK. */
export function violates(views: Views, write: Effect, what: "notNull" | "check"): Smt {
  const { state, value, touches, newValue, insertedValue } = views;
  const { access } = write;
  const { operation, table, instance } = access;
  const breaks = (column: (name: string) => SqlValue, written: readonly string[]): Smt => {
    if (what === "notNull")
      return or(
        ...table.table.columns
          .filter(({ name, nullable }) => !nullable && written.includes(name))
          .map(({ name }) => column(name).isNull),
      );
    const checks = table.table.checks
      .filter((check) => [...columnsIn(check)].some((name) => written.includes(name)))
      .map((check) => isFalse(value(instance, check, column)));
    return or(...checks);
  };
  const changedBy =
    (set: Readonly<Record<string, Term>>, row: RowKey) =>
    (name: string): SqlValue =>
      ownEntry(set, name) === undefined
        ? state(access, "current", name, row)
        : newValue(write, ownEntry(set, name), row);
  if (operation.kind === "delete") return FALSE;
  if (operation.kind === "update") {
    const columns = Object.keys(operation.set);
    const touched = write.row ? [write.row] : write.chosen.map((each) => each.row);
    return or(
      ...touched.map((row) => {
        const broken = breaks(changedBy(operation.set, row), columns);
        return broken === FALSE ? FALSE : and(touches(access, row), broken);
      }),
    );
  }
  const whole = breaks((name) => insertedValue(write, name), Object.keys(operation.set));
  const update = operation.update ?? {};
  const changed = breaks(changedBy(update, write.row ?? []), Object.keys(update));
  // The row to insert is checked before any conflict with an existing row.
  return or(and(write.exec, whole), and(write.updated, changed));
}

/** Other rows with the inserted values in a unique key. */
export function collisions(views: Views, access: Access, row: RowKey): readonly Smt[] {
  return access.table.table.uniqueKeys.flatMap((key) => keyHolders(views, access, row, key));
}

/** Other rows with the inserted values in this key. */
export function keyHolders(
  views: Views,
  access: Access,
  row: RowKey,
  key: readonly string[],
): readonly Smt[] {
  const { set } = access.operation;
  return holders(views, access, row, key, (column) => {
    const term = ownEntry(set, column);
    return term ? views.value(access.instance, term) : SQL_NULL;
  });
}

/**
 * The condition that an update of one row takes a unique key of another row. For updates of several rows the result depends on their order,
 * which is not modelled.
 */
export function takesUsedKey(views: Views, write: Effect): Smt {
  const { access, row } = write;
  const { operation, table } = access;
  if (operation.kind !== "update" || row === undefined) return FALSE;
  const { set } = operation;
  const own = (column: string): SqlValue =>
    ownEntry(set, column) === undefined
      ? views.state(access, "current", column, row)
      : views.newValue(write, ownEntry(set, column), row);
  const keys = table.table.uniqueKeys.filter((key) =>
    key.some((column) => Object.hasOwn(set, column)),
  );
  const taken = or(...keys.flatMap((key) => holders(views, access, row, key, own)));
  return taken === FALSE ? FALSE : and(views.touches(access, row), taken);
}

/**
 * Reasons why the transaction of these operations cannot commit: a row with a deferred key that it wrote shares the key with another row at
 * the end.
 */
export function refusesCommit(views: Views, own: readonly Effect[]): readonly Smt[] {
  return own.flatMap((write) => {
    const { access, row, chosen } = write;
    const { table, operation } = access;
    // Deferred keys are checked after all operations of the transaction.
    const end: Access = { ...access, operation: { ...operation, step: Infinity } };
    const at =
      (each: RowKey) =>
      (column: string): SqlValue =>
        views.state(end, "current", column, each);
    return deferredKeysOf(operation, table.table).flatMap((key) =>
      (row ? [row] : chosen.map((each) => each.row)).map((each) => {
        const touched = views.touches(access, each);
        if (touched === FALSE) return FALSE;
        const shared = or(...holders(views, end, each, key, at(each)));
        return and(touched, at(each)(EXISTS).value, shared);
      }),
    );
  });
}

/** For each other row, the condition that it has these values in a unique key. */
function holders(
  { state, rows }: Views,
  access: Access,
  row: RowKey,
  key: readonly string[],
  own: (column: string) => SqlValue,
): readonly Smt[] {
  const { table } = access;
  if (!table.closed) return [];
  return rows(table)
    .filter((other) => other.join() !== row.join())
    .map((other) => {
      const same = key.map((column) => {
        const [mine, theirs] = [own(column), state(access, "current", column, other)];
        return and(not(mine.isNull), not(theirs.isNull), eq(asInt(mine), asInt(theirs)));
      });
      const alive = state(access, "current", EXISTS, other).value;
      return and(alive, not(sameAll(row, other)), ...same);
    });
}
