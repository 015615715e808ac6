// The initial rows of a witness, completed by NOT NULL columns that it does not mention, and by rows that foreign keys require.
import type { ValueType } from "../program/expression";
import type { Schema, Table } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import type { Row, Value } from "../protocol/witness";

/** Tables with their rows, referenced tables first. */
export function completeRows(
  schema: Schema,
  initial: Readonly<Record<string, readonly Row[]>>,
): readonly { readonly table: Table; readonly rows: readonly Row[] }[] {
  const ordered = inInsertOrder(schema);
  const all = new Map<string, readonly Row[]>();
  for (const table of [...ordered].reverse()) {
    const rows = [...(ownEntry(initial, table.name) ?? []), ...(all.get(table.name) ?? [])];
    const filled = rows.map((row) => ({ ...row, ...Object.fromEntries(fillers(table, row)) }));
    all.set(table.name, filled);
    for (const row of filled) addParents(schema, table, row, initial, all);
  }
  return ordered.map((table) => ({
    table,
    rows: (all.get(table.name) ?? []).map((row) => withoutGenerated(table, row)),
  }));
}

/** The server computes generated columns itself, and refuses values for them. */
function withoutGenerated({ columns }: Table, row: Row): Row {
  const generated = columns.filter((each) => each.generated !== undefined);
  if (generated.length === 0) return row;
  const names = new Set(generated.map(({ name }) => name));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)));
}

/** Adds missing rows that the row's foreign keys reference. */
function addParents(
  { tables }: Schema,
  { foreignKeys }: Table,
  row: Row,
  initial: Readonly<Record<string, readonly Row[]>>,
  all: Map<string, readonly Row[]>,
): void {
  for (const { table: name, columns, referenced } of foreignKeys) {
    const target = tables.find((each) => each.name === name);
    const keys = referenced.length > 0 ? referenced : (target?.primaryKey ?? []);
    const wanted = columns.map(
      (column, at) => [keys[at] ?? "", ownEntry(row, column) ?? null] as const,
    );
    if (!target || wanted.some(([, value]) => value === null)) continue;
    const known = [...(ownEntry(initial, name) ?? []), ...(all.get(name) ?? [])];
    if (known.some((each) => wanted.every(([column, value]) => ownEntry(each, column) === value)))
      continue;
    const parent = Object.fromEntries(wanted);
    all.set(name, [...(all.get(name) ?? []), parent]);
  }
}

function fillers(table: Table, row: Row): readonly (readonly [string, Value])[] {
  return table.columns
    .filter(
      ({ name, nullable, default: given }) => !nullable && !given && !Object.hasOwn(row, name),
    )
    .map(({ name, type }) => [name, FILLERS[type]]);
}

const FILLERS: Readonly<Record<ValueType, Value>> = {
  int: 0,
  decimal: 0,
  text: "",
  bool: false,
  time: "2000-01-01",
  json: "{}",
  bytes: "",
  other: "",
};

/** Tables after those that their foreign keys reference. */
function inInsertOrder({ tables }: Schema): readonly Table[] {
  const ordered: Table[] = [];
  const visit = (table: Table, above: readonly Table[]): void => {
    if (ordered.includes(table) || above.includes(table)) return;
    for (const key of table.foreignKeys) {
      const target = tables.find(({ name }) => name === key.table);
      if (target) visit(target, [...above, table]);
    }
    ordered.push(table);
  };
  for (const table of tables) visit(table, []);
  return ordered;
}
