// Invariants over concrete rows: which one is broken, and which rows have to be there because others are.
import type { Expression } from "../program/expression";
import type { Invariant, Program } from "../program/program";
import type { Schema, Table } from "../program/schema";
import type { Query } from "../program/statement";
import type { Row, Value } from "../protocol/witness";
import { NOBODY, bareFrame } from "./bareFrame";
import { evaluate } from "./evaluateExpression";
import { joinRelations } from "./evaluateQuery";
import { conjuncts, withRows, type Binding, type Frame } from "./frame";
import { findTable, initialRows, type TableRows } from "./row";
import { columnsOf } from "./columns";
import { plainValue } from "./plainValue";
import { toValue } from "./value";

type Rows = Readonly<Record<string, readonly Row[]>>;

/**
 * The first invariant that these rows break, undefined when all hold. O(r^n) for n tables and r rows of each. Throws
 * NotExecutable where a condition cannot be evaluated.
 */
export function brokenInvariant(
  program: Program,
  tables: ReadonlyMap<string, TableRows>,
): Invariant | undefined {
  return (program.invariants ?? []).find(
    (each) => breaking(program.schema, each, tables).length > 0,
  );
}

/** The combinations of rows that break an invariant. */
function breaking(
  schema: Schema,
  { relations, where, condition }: Invariant,
  tables: ReadonlyMap<string, TableRows>,
): readonly Binding[] {
  const broken: Expression = {
    kind: "and",
    operands: [where, { kind: "not", operand: condition }],
  };
  return joinRelations(relations, broken, frameOver(schema, tables));
}

/** How often rows that were added may ask for further ones. */
const ROUNDS = 5;

/**
 * The rows, with those that invariants ask for and that `mayAdd` accepts: columns that the invariant does not
 * determine have any value.
 */
export function withAskedRows(
  program: Program,
  initial: Rows,
  mayAdd: (table: string, row: Row) => boolean,
): Rows {
  let rows = initial;
  for (let round = 0; round < ROUNDS; round += 1) {
    const added = (program.invariants ?? []).flatMap((each) =>
      askedRows(program.schema, each, rows),
    );
    const fitting = added.filter(({ table, row }) => mayAdd(table, row));
    if (fitting.length === 0) break;
    for (const { table, row } of fitting) {
      const known = rows[table] ?? [];
      if (!known.some((other) => JSON.stringify(other) === JSON.stringify(row)))
        rows = { ...rows, [table]: [...known, row] };
    }
  }
  return Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function askedRows(
  schema: Schema,
  invariant: Invariant,
  rows: Rows,
): readonly { readonly table: string; readonly row: Row }[] {
  const { condition } = invariant;
  const sought = condition.kind === "exists" ? condition.query.relations[0] : undefined;
  if (condition.kind !== "exists" || sought === undefined) return [];
  const tables = initialRows(schema, rows);
  const frame = frameOver(schema, tables);
  return breaking(schema, invariant, tables).map((binding) => ({
    table: sought.table,
    row: rowLike(findTable(schema, sought.table), condition.query, withRows(frame, binding)),
  }));
}

/** A row that satisfies the equalities of the query on its one relation. */
function rowLike(table: Table, query: Query, frame: Frame): Row {
  const alias = query.relations[0]?.alias ?? table.name;
  const given = new Map<string, Value>();
  for (const condition of conjuncts(query.where)) {
    if (condition.kind !== "comparison" || condition.operator !== "=") continue;
    for (const [column, value] of [
      [condition.left, condition.right],
      [condition.right, condition.left],
    ] as const)
      if (
        column.kind === "column" &&
        column.relation === alias &&
        !columnsOf(value).some((each) => each.relation === alias)
      )
        given.set(column.column, toValue(evaluate(value, frame)));
  }
  return Object.fromEntries(
    table.columns.map((column) => [column.name, given.get(column.name) ?? plainValue(column)]),
  );
}

/** A statement's view of rows that nobody changes. */
function frameOver(schema: Schema, tables: ReadonlyMap<string, TableRows>): Frame {
  return {
    ...bareFrame(schema, NOBODY),
    tables: { rows: (table) => tables.get(table) ?? [] },
  };
}
