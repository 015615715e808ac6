// Unknowns of an open encoding, in which others take part: values that they may have written arbitrarily, and rows that they may have added
// to a search.
import { FALSE, and, apply, eq, imp, le, not } from "../smt";
import type { Script, Smt } from "../smt";
import { sqlBool } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { aliveName, columnName, columnType } from "./database";
import type { RowKey } from "./database";
import { EXISTS } from "./tuple";
import type { TupleTable } from "./tuple";
import type { Effect } from "./execution";

/** An arbitrary value of the column; the same for the same `view`, which names a state of the table. */
export function openValue(
  script: Script,
  {
    table,
    column,
    row,
  }: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  view: string,
): SqlValue {
  const value = (name: string, sort: "Int" | "Bool"): string =>
    script.name(apply(script.fn(`${view}${name}`, row.length, sort), row), sort);
  if (column === EXISTS) return sqlBool(value(aliveName(table), "Bool"));
  const sort = columnType(table.table, column) === "bool" ? "Bool" : "Int";
  const declared = table.table.columns.find((each) => each.name === column);
  const name = columnName(table, column);
  return {
    isNull: declared?.nullable === false ? FALSE : value(`null_${name}`, "Bool"),
    value: value(name, sort),
    sort,
  };
}

/** The condition that the row was deleted and reinserted while the named access waited for it. */
export function openReplacement(script: Script, access: string, row: RowKey): Smt {
  const name = script.fn(`${access}replaced`, row.length, "Bool");
  return script.name(apply(name, row), "Bool");
}

/** The effect of a search on the named rows, with anything possible among unnamed rows. */
export function loosen(script: Script, made: Effect): Effect {
  const { instance, operation } = made.access;
  const name = `y${String(instance)}o${String(operation.index)}_`;
  const found = script.constant(`${name}found`, "Bool");
  const count = script.constant(`${name}count`, "Int");
  script.assert(imp(made.found, found));
  script.assert(imp(found, made.exec));
  script.assert(le(made.count, count));
  script.assert(eq(eq(count, "0"), not(found)));
  const outputs = Object.entries(made.outputs).map(([output, { sort }], at) => {
    const value = script.constant(`${name}${String(at)}`, sort);
    const isNull = script.constant(`${name}${String(at)}_null`, "Bool");
    return [output, { isNull, value, sort }] as const;
  });
  const chosen = made.chosen.map(({ row, is }, at) => {
    const mayBe = script.constant(`${name}chosen${String(at)}`, "Bool");
    return { row, is: and(is, mayBe) };
  });
  return { ...made, found, count, chosen, outputs: Object.fromEntries(outputs) };
}
