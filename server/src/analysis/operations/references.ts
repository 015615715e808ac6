// Foreign keys as reads of the statement that they concern: rows that must exist for what it writes, and rows that must not exist for what
// it deletes.
import type { Table } from "../../program/schema";
import { ownEntry } from "../../protocol/dictionary";
import type { Builder, Draft } from "./builder";
import { addOperation, joinedColumn, leaveOut, outputOf } from "./builder";
import type { FlatTable, Operation, Term } from "./operation";
import { tableOf } from "./tables";
import { NULL, TRUE, and, compare, isNull, mentionsRow, not, substitute } from "./terms";

type Values = Readonly<Record<string, Term>>;

/** Reads the parents of a row to insert, before its insertion. Rows of otherwise unused tables are assumed to exist. */
export function insertedParents(builder: Builder, declared: Table, set: Values, guard: Term): void {
  for (const foreign of declared.foreignKeys) {
    if (!builder.tables.accessed.has(foreign.table)) continue;
    parentRead(
      builder,
      foreign,
      foreign.columns.map((column) => ownEntry(set, column) ?? NULL),
      guard,
    );
  }
}

/** Reads the new parents of updated rows, after the update; unknown ones are a loss. */
export function updatedParents(builder: Builder, declared: Table, draft: Draft, set: Values): void {
  for (const foreign of declared.foreignKeys) {
    if (!builder.tables.accessed.has(foreign.table)) continue;
    if (!foreign.columns.some((column) => Object.hasOwn(set, column))) continue;
    const values = foreign.columns.map(
      (column): Term => ownEntry(set, column) ?? { kind: "column", column },
    );
    if (draft.pick !== "point" && values.some(mentionsRow)) {
      leaveOut(
        builder,
        `the rows of ${foreign.table} that an UPDATE of several rows of ${declared.name} refers to are not looked up`,
      );
      continue;
    }
    const own = values.map((value) => substitute(value, (column) => outputOf(draft, column)));
    parentRead(builder, foreign, own, { kind: "found", operation: draft.index });
  }
}

/** Reads the rows that refer to what a DELETE deletes: they must find nothing. */
export function deletedChildren(builder: Builder, draft: Draft, leavesNoChildren = false): void {
  for (const { child, foreign } of references(builder, draft.table, leavesNoChildren)) {
    const own = tableOf(builder.tables, draft.table);
    const table = tableOf(builder.tables, child.name);
    const referenced = foreign.referenced.length > 0 ? foreign.referenced : own.primaryKey;
    const point = draft.pick === "point";
    const valueOf = (column: string): Term =>
      point
        ? (ownEntry(draft.key, column) ?? outputOf(draft, column))
        : joinedColumn(draft, column);
    const bound = new Map(
      foreign.columns.map((column, at) => [column, valueOf(referenced[at] ?? "")]),
    );
    const isOther =
      child.name === draft.table ? not(amongDeleted(draft, own.primaryKey, ownColumn)) : TRUE;
    const search = point
      ? selection(table, bound, isOther)
      : {
          key: {},
          where: and(
            amongDeleted(draft, foreign.columns, ownColumn, (column) => bound.get(column) ?? NULL),
            isOther,
          ),
          pick: "some" as const,
        };
    addOperation(builder, {
      kind: "read",
      table: child.name,
      guard: { kind: "found", operation: draft.index },
      ...search,
      mustMiss: true,
    });
  }
}

/** Changes of referenced columns other than by a plain DELETE: a loss, since the database may refuse them. */
export function changedParents(builder: Builder, table: string, columns: readonly string[]): void {
  const own = tableOf(builder.tables, table);
  for (const { child, foreign } of references(builder, table)) {
    const referenced = foreign.referenced.length > 0 ? foreign.referenced : own.primaryKey;
    if (!referenced.some((column) => columns.includes(column))) continue;
    leaveOut(
      builder,
      `whether rows of ${child.name} refer to what is changed in ${table} is not looked at`,
    );
  }
}

type ForeignKey = Table["foreignKeys"][number];

/** Foreign keys into a table from used tables, except those that change their rows along with it, unless nothing is left to change. */
function references(
  builder: Builder,
  table: string,
  leavesNoChildren = false,
): readonly { readonly child: Table; readonly foreign: ForeignKey }[] {
  return [...builder.tables.declared.values()]
    .filter(({ name }) => builder.tables.accessed.has(name))
    .flatMap((child) =>
      child.foreignKeys
        .filter((foreign) => foreign.table === table)
        .filter(({ onDelete }) => onDelete === undefined || leavesNoChildren)
        .map((foreign) => ({ child, foreign })),
    );
}

function parentRead(
  builder: Builder,
  foreign: ForeignKey,
  values: readonly Term[],
  guard: Term,
): void {
  if (values.some((value) => value.kind === "null")) return;
  const parent = tableOf(builder.tables, foreign.table);
  const referenced = foreign.referenced.length > 0 ? foreign.referenced : parent.primaryKey;
  const bound = new Map(referenced.map((column, at) => [column, values[at] ?? NULL]));
  addOperation(builder, {
    kind: "read",
    table: foreign.table,
    guard: and(guard, ...values.map((value) => not(isNull(value)))),
    ...selection(parent, bound),
    lock: "key-share",
    mustFind: true,
  });
}

/** The selection of the rows with these values. */
function selection(
  { primaryKey }: FlatTable,
  bound: ReadonlyMap<string, Term>,
  rest: Term = TRUE,
): Pick<Operation, "key" | "where" | "pick"> {
  const point = primaryKey.every((column) => bound.has(column));
  const tested = [...bound].filter(([column]) => !point || !primaryKey.includes(column));
  return {
    key: Object.fromEntries(
      point ? primaryKey.map((column) => [column, bound.get(column) ?? NULL]) : [],
    ),
    where: and(...tested.map(([column, value]) => compare("=", ownColumn(column), value)), rest),
    pick: point ? "point" : "some",
  };
}

/** True if some deleted row has the current row's values in those columns. */
function amongDeleted(
  draft: Draft,
  columns: readonly string[],
  left: (column: string) => Term,
  right: (column: string) => Term = (column) => joinedColumn(draft, column),
): Term {
  return {
    kind: "over",
    operation: draft.index,
    function: "exists",
    where: and(...columns.map((column) => compare("=", left(column), right(column)))),
    value: TRUE,
  };
}

function ownColumn(column: string): Term {
  return { kind: "column", column };
}
