// Constraints that end a transaction: NOT NULL and CHECK of the rows that it makes, and unique keys.
import type { Term } from "../operations/operation";
import { columnsIn } from "../operations/terms";
import type { RowKey } from "./productDatabase";
import { EXISTS } from "./productTuple";
import type { Access } from "./productTuple";
import type { Done, Views } from "./productViews";
import { FALSE, and, eq, not, or, sameAll } from "./smt";
import type { Smt } from "./smt";
import { SQL_NULL, asInt, isFalse } from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** The new version of some row breaks NOT NULL, or a CHECK. */
export function violates(views: Views, write: Done, what: "notNull" | "check"): Smt {
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
      set[name] === undefined
        ? state(access, "current", name, row)
        : newValue(write, set[name], row);
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
  // The row to insert is checked before it is known whether there is one in its place.
  return or(and(write.exec, whole), and(write.updated, changed));
}

/** Other rows that have the same values in a unique key. */
export function collisions(views: Views, access: Access, row: RowKey): readonly Smt[] {
  const { state, value, rows } = views;
  const { table, instance, operation } = access;
  if (!table.closed) return [];
  return table.table.uniqueKeys.flatMap((key) =>
    rows(table)
      .filter((other) => other.join() !== row.join())
      .map((other) => {
        const same = key.map((column) => {
          const mine = operation.set[column];
          const own = mine ? value(instance, mine) : SQL_NULL;
          const theirs = state(access, "current", column, other);
          return and(not(own.isNull), not(theirs.isNull), eq(asInt(own), asInt(theirs)));
        });
        const alive = state(access, "current", EXISTS, other).value;
        return and(alive, not(sameAll(row, other)), ...same);
      }),
  );
}
