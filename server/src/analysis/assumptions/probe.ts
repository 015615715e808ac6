// A synthetic transaction that reads one combination of rows of an invariant: run after another transaction, it shows whether that one
// broke the invariant. Its keys are arbitrary.
import { ownEntry } from "../../protocol/dictionary";
import type {
  FlatInvariant,
  FlatProgram,
  FlatTransaction,
  Operation,
  Term,
} from "../operations/operation";
import { HIDDEN, fromRowColumn, rowColumn } from "../operations/operation";
import { FALSE, TRUE, and, columnsIn, not, substitute } from "../operations/terms";

export interface Probe {
  readonly transaction: FlatTransaction;
  /** True if all rows of the combination exist. */
  readonly present: Term;
  /** True if they violate the invariant. */
  readonly broken: Term;
}

/** The probe of an invariant: one read for each of its rows, and one for the row that has to exist. */
export function probeOf(flat: FlatProgram, invariant: FlatInvariant): Probe {
  const { tables, broken, exists } = invariant;
  const wanted = columnsIn(broken, ...(exists ? [exists.where, ...Object.values(exists.key)] : []));
  const operations = tables.map((table, row) => {
    const columns = [...wanted].flatMap((name) => {
      const at = fromRowColumn(name);
      return at.row === row ? [at.column] : [];
    });
    return reading(row, table, keyOf(flat, table, row), columns);
  });
  const valueAt = (name: string): Term => {
    const { row, column } = fromRowColumn(name);
    return { kind: "output", operation: row, name: column };
  };
  const onRows = substitute(broken, valueAt);
  const present = operations.map(({ index }): Term => ({ kind: "found", operation: index }));
  if (!exists)
    return { transaction: transactionOf(operations), present: and(...present), broken: onRows };
  const sought = tables.length;
  const isKnown = (name: string): boolean => fromRowColumn(name).row < sought;
  const onSought = (term: Term): Term =>
    substitute(term, (name) =>
      isKnown(name) ? valueAt(name) : { kind: "column", column: fromRowColumn(name).column },
    );
  const key = Object.fromEntries(
    Object.entries(exists.key).map(([column, term]) => [column, onSought(term)]),
  );
  const { primaryKey = [] } = ownEntry(flat.tables, exists.table) ?? {};
  const whole = primaryKey.length > 0 && primaryKey.every((column) => Object.hasOwn(key, column));
  const search: Operation = {
    ...reading(sought, exists.table, key, []),
    where: onSought(exists.where),
    pick: whole ? "point" : "some",
  };
  const missing = not({ kind: "found", operation: sought });
  return {
    transaction: transactionOf([...operations, search]),
    present: and(...present),
    broken: and(onRows, missing),
  };
}

/** A probe that reads one row of each of these tables. */
export function probeOfTables(flat: FlatProgram, tables: readonly string[]): Probe {
  const relevant: FlatInvariant = { text: "", tables, broken: TRUE };
  return probeOf(flat, relevant);
}

function keyOf(flat: FlatProgram, table: string, row: number): Readonly<Record<string, Term>> {
  const { primaryKey = [], columns = [] } = ownEntry(flat.tables, table) ?? {};
  return Object.fromEntries(
    primaryKey.map((column): [string, Term] => {
      const type = columns.find(({ name }) => name === column)?.type ?? "other";
      return [column, { kind: "unknown", id: rowColumn(row, column), type }];
    }),
  );
}

function reading(
  index: number,
  table: string,
  key: Readonly<Record<string, Term>>,
  columns: readonly string[],
): Operation {
  return {
    index,
    step: index,
    statement: `${HIDDEN}probe/${String(index)}`,
    table,
    kind: "read",
    lock: "none",
    guard: TRUE,
    key,
    where: TRUE,
    pick: "point",
    outputs: Object.fromEntries(
      columns.map((column): [string, Term] => [column, { kind: "column", column }]),
    ),
    set: {},
    onDuplicate: "error",
    mustFind: false,
    precision: "exact",
  };
}

function transactionOf(operations: readonly Operation[]): FlatTransaction {
  return {
    id: `${HIDDEN}probe`,
    parameters: [],
    preconditions: [],
    steps: operations.map(({ statement }) => ({ statement, guard: TRUE })),
    operations,
    aborts: FALSE,
    returns: [],
    visible: [],
    losses: [],
  };
}
