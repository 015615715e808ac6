// The instances of a tuple: the columns that each operation reads and writes, and the steps that write.
import { ownEntry } from "../../../protocol/dictionary";
import { HIDDEN } from "../../operations/operation";
import type {
  FlatProgram,
  FlatTable,
  FlatTransaction,
  Operation,
} from "../../operations/operation";
import { columnsIn } from "../../operations/terms";

/** The pseudo column for a row's existence. */
export const EXISTENCE = "@";

/** The hidden key of tables without a primary key. */
export const HIDDEN_KEY = "#";

/** An operation of an instance. */
export interface Site {
  readonly instance: number;
  readonly operation: Operation;
  /** Usable in SMT-LIB names. */
  readonly id: string;
  /** Columns that its result or effect depends on; `EXISTENCE` only if rows are inserted or deleted. */
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** A statement of an instance: its operations see the same and are atomic. */
export interface StepRef {
  readonly instance: number;
  readonly step: number;
}

export interface Instance {
  readonly index: number;
  readonly transaction: FlatTransaction;
  readonly sites: readonly Site[];
  /** In program order. */
  readonly steps: readonly StepRef[];
  /** The steps that write. */
  readonly writers: readonly StepRef[];
}

/** The instances of a tuple of transactions (indexes into the program). */
export function makeInstances(flat: FlatProgram, tuple: readonly number[]): readonly Instance[] {
  const transactions = tuple.flatMap((index) => {
    const transaction = flat.transactions[index];
    return transaction === undefined ? [] : [transaction];
  });
  const changing = new Set(
    transactions
      .flatMap((transaction) => transaction.operations)
      .filter((operation) => operation.kind === "insert" || operation.kind === "delete")
      .map((operation) => operation.table),
  );
  return transactions.map((transaction, index) => {
    // Locks on other things than rows have no meaning here.
    const operations = transaction.operations.filter(({ table }) => !table.startsWith(HIDDEN));
    const sites = operations.map((operation) => ({
      instance: index,
      operation,
      id: `${String(index)}_${String(operation.index)}`,
      reads: readsOf(flat, operation, changing.has(operation.table)),
      writes: writesOf(flat, operation),
    }));
    const numbers = [
      ...new Set([
        ...sites.map((site) => site.operation.step),
        ...(transaction.steps ?? []).map((_, step) => step),
      ]),
    ].sort((a, b) => a - b);
    const steps = numbers.map((step) => ({ instance: index, step }));
    const writing = new Set(
      sites.filter((site) => site.writes.size > 0).map((site) => site.operation.step),
    );
    return {
      index,
      transaction,
      sites,
      steps,
      writers: steps.filter((each) => writing.has(each.step)),
    };
  });
}

export function stepOf(site: Site): StepRef {
  return { instance: site.instance, step: site.operation.step };
}

/** The columns that identify rows. */
export function keyColumns(table: FlatTable): readonly string[] {
  return table.primaryKey.length === 0 ? [HIDDEN_KEY] : table.primaryKey;
}

export function tableOf(flat: FlatProgram, name: string): FlatTable {
  return (
    ownEntry(flat.tables, name) ?? { name, primaryKey: [], columns: [], uniqueKeys: [], checks: [] }
  );
}

/** True if it concerns at most one row, known beforehand. */
export function isPoint(flat: FlatProgram, operation: Operation): boolean {
  if (operation.kind === "insert") return true;
  const { primaryKey } = tableOf(flat, operation.table);
  return (
    primaryKey.length > 0 && primaryKey.every((column) => Object.hasOwn(operation.key, column))
  );
}

function readsOf(flat: FlatProgram, operation: Operation, changing: boolean): ReadonlySet<string> {
  const columns = new Set<string>();
  const terms = [
    operation.where,
    ...Object.values(operation.outputs),
    ...(operation.kind === "read" || operation.kind === "delete"
      ? []
      : Object.values(operation.set)),
    ...Object.values(operation.update ?? {}),
    ...(operation.updateWhere === undefined ? [] : [operation.updateWhere]),
    ...(operation.aggregate?.operand === undefined ? [] : [operation.aggregate.operand]),
  ];
  for (const term of terms) for (const column of columnsIn(term)) columns.add(column);
  if (operation.orderBy !== undefined) columns.add(operation.orderBy.column);
  for (const column of keyColumns(tableOf(flat, operation.table))) columns.delete(column);
  if (changing) columns.add(EXISTENCE);
  return columns;
}

function writesOf(flat: FlatProgram, operation: Operation): ReadonlySet<string> {
  const table = tableOf(flat, operation.table);
  const key = new Set(keyColumns(table));
  switch (operation.kind) {
    case "read":
      return new Set();
    case "update":
      return new Set(Object.keys(operation.set).filter((column) => !key.has(column)));
    case "insert":
    case "delete":
      return new Set([
        EXISTENCE,
        ...[...Object.keys(operation.set), ...table.columns.map((column) => column.name)].filter(
          (column) => !key.has(column),
        ),
      ]);
    default: {
      const never: never = operation.kind;
      return never;
    }
  }
}
