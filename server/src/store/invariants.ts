// Invariants over concrete rows: the one that is broken, and the rows that they require.
import type { Expression, Query } from "../program/expression";
import { operandsOf } from "../program/operands";
import type { Invariant, Program } from "../program/program";
import type { Column, Schema, Table } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import type { Row, Value } from "../protocol/witness";
import { NOBODY, bareFrame } from "./bareFrame";
import { evaluate, truth } from "./evaluateExpression";
import { joinRelations } from "./evaluateQuery";
import { NotExecutable } from "./failure";
import { conjuncts, withRows, type Binding, type Frame } from "./frame";
import { findTable, initialRows, type TableRows } from "./row";
import { columnsOf } from "./columns";
import { uniqueKeysOf } from "./constraints";
import { plainValue, unusedValue } from "./plainValue";
import { toValue } from "./value";

type Rows = Readonly<Record<string, readonly Row[]>>;

/**
 * The first invariant that these rows break; undefined if all hold. O(r^n) for n tables with r rows each. Throws NotExecutable if a
 * condition cannot be evaluated.
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

/** Rounds in which added rows may require further ones. */
const ROUNDS = 5;

/**
 * The rows, plus those that invariants require and `mayAdd` accepts; columns that the invariant does not determine get arbitrary values.
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
    for (const asked of fitting) rows = withRow(program, rows, asked);
  }
  return Object.fromEntries(Object.entries(rows).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A row to add, and the columns whose values are fixed. */
export interface AddedRow {
  readonly table: string;
  readonly row: Row;
  readonly fixed: ReadonlySet<string>;
}

/** The rows plus one, whose free columns get simple values that break nothing, if there are some; unchanged if the same row exists. */
export function withRow(program: Program, rows: Rows, asked: AddedRow): Rows {
  const { table } = asked;
  const known = ownEntry(rows, table) ?? [];
  const added = (each: Row): Rows => ({ ...rows, [table]: [...known, each] });
  if (known.some((other) => JSON.stringify(other) === JSON.stringify(asked.row))) return rows;
  const { row, fixed } = withOwnKeys(findTable(program.schema, table), known, asked);
  const conditions = conditionsOn(program, table);
  if (conditions.length === 0) return added(row);
  const mentioned = new Set(conditions.flatMap((each) => columnsOf(each).map(({ column }) => column))); // prettier-ignore
  const free = findTable(program.schema, table).columns.filter(
    ({ name }) => mentioned.has(name) && !fixed.has(name),
  );
  const names = new Set(free.map(({ name }) => name));
  const texts = [...new Set(conditions.flatMap(textsIn))];
  let tried = 0;
  for (let changes = 0; changes <= MOST_CHANGES; changes += 1)
    for (const values of combinations(free, texts, changes)) {
      const next = added({ ...row, ...Object.fromEntries(values) });
      if (breaksNone(program, next, table, names)) return next;
      tried += 1;
      if (tried === MOST_TRIED) return added(row);
    }
  return added(row);
}

/** Limits of varied columns per row, and of tried rows. */
const MOST_CHANGES = 3;
const MOST_TRIED = 2_000;

/** Assignments of other values to some of the columns. */
function* combinations(
  columns: readonly Column[],
  texts: readonly string[],
  count: number,
): Generator<readonly (readonly [string, Value])[]> {
  if (count === 0) {
    yield [];
    return;
  }
  for (const [at, column] of columns.entries())
    for (const rest of combinations(columns.slice(at + 1), texts, count - 1))
      for (const value of candidates(column, texts)) yield [[column.name, value], ...rest];
}

/** Simple values of the column's type. */
function candidates(column: Column, texts: readonly string[]): readonly Value[] {
  const { type, nullable } = column;
  const plain = plainValue({ ...column, nullable: false });
  const own =
    type === "int" || type === "decimal"
      ? NUMBERS
      : type === "bool"
        ? [false, true]
        : [...(type === "text" || type === "other" ? texts : []), plain];
  return nullable ? [null, ...own] : own;
}

/** The row with unused keys, where its key columns are free. */
function withOwnKeys(table: Table, known: readonly Row[], asked: AddedRow): AddedRow {
  let { row, fixed } = asked;
  for (const { columns } of uniqueKeysOf(table)) {
    const isTaken = known.some((other) =>
      columns.every(
        (name) => ownEntry(row, name) !== null && ownEntry(other, name) === ownEntry(row, name),
      ),
    );
    const free = table.columns.find(({ name }) => columns.includes(name) && !fixed.has(name));
    if (!isTaken || !free) continue;
    const value = unusedValue(
      free,
      known.map((other) => ownEntry(other, free.name)),
    );
    if (value === undefined) continue;
    row = { ...row, [free.name]: value };
    fixed = new Set([...fixed, free.name]);
  }
  return { ...asked, row, fixed };
}

const NUMBERS = [0, 1, 2, 5, 10, 20, 100, 1000, -1];

/** Conditions of CHECKs and invariants on the table. */
function conditionsOn(program: Program, table: string): readonly Expression[] {
  const invariants = (program.invariants ?? []).filter(({ relations }) =>
    relations.some((each) => each.table === table),
  );
  return [
    ...findTable(program.schema, table).checks,
    ...invariants.flatMap(({ where, condition }) => [where, condition]),
  ];
}

function textsIn(expression: Expression): readonly string[] {
  const own = expression.kind === "literal" && typeof expression.value === "string";
  return own ? [String(expression.value)] : operandsOf(expression).flatMap(textsIn);
}

/**
 * True if a table's last row breaks no invariant and no CHECK on its free columns, as far as these can be evaluated: the judge says what
 * of the others stands in the way.
 */
function breaksNone(
  { schema, invariants = [] }: Program,
  rows: Rows,
  name: string,
  free: ReadonlySet<string>,
): boolean {
  const checks = findTable(schema, name).checks.filter((each) =>
    columnsOf(each).some(({ column }) => free.has(column)),
  );
  const tables = initialRows(schema, rows);
  const last = (tables.get(name) ?? []).slice(-1);
  const frame = frameOver(schema, tables);
  return (
    // A row that only requires another one is accepted: the other is added later.
    invariants.every(
      (each) =>
        each.condition.kind === "exists" ||
        unlessUnknown(() => breaking(schema, each, tables).length === 0),
    ) &&
    checks.every((check) =>
      last.every((row) =>
        unlessUnknown(() => truth(evaluate(check, withRows(frame, { [name]: row }))) !== false),
      ),
    )
  );
}

/** The answer, or true where it cannot be told. */
function unlessUnknown(ask: () => boolean): boolean {
  try {
    return ask();
  } catch (problem) {
    if (problem instanceof NotExecutable) return true;
    throw problem;
  }
}

function askedRows(schema: Schema, invariant: Invariant, rows: Rows): readonly AddedRow[] {
  const { condition } = invariant;
  const sought = condition.kind === "exists" ? condition.query.relations[0] : undefined;
  if (condition.kind !== "exists" || sought === undefined) return [];
  const tables = initialRows(schema, rows);
  const frame = frameOver(schema, tables);
  return breaking(schema, invariant, tables).map((binding) => ({
    table: sought.table,
    ...rowLike(findTable(schema, sought.table), condition.query, withRows(frame, binding)),
  }));
}

/** A row that satisfies the equalities of the query on its only relation. */
function rowLike(table: Table, query: Query, frame: Frame): Omit<AddedRow, "table"> {
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
  const row = Object.fromEntries(
    table.columns.map((column) => [column.name, given.get(column.name) ?? plainValue(column)]),
  );
  return { row, fixed: new Set(given.keys()) };
}

/** A frame over rows that do not change. */
function frameOver(schema: Schema, tables: ReadonlyMap<string, TableRows>): Frame {
  return {
    ...bareFrame(schema, NOBODY),
    tables: { rows: (table) => tables.get(table) ?? [] },
  };
}
