// Shared types of all changes: their work, their result, and the table they are about.
import type { Key as StoreKey } from "../../exploration/client";
import type { Table } from "../catalog";
import { isPostgres, type Compiler, type Env, type QueryColumn } from "../compile/node";
import type { Slices } from "../compile/slices";
import { shownName } from "../schemaMap";
import { failure } from "../sqlError";
import type { SqlRow } from "../values/value";
import type { ChangedRow } from "../routine/triggers";
import type { Changes } from "./changes";

/** The parts of a change besides the environment of its expressions. */
export interface ChangeWork {
  readonly changes: Changes;
  /** Keys of rows that this statement has changed. */
  readonly touched: Set<StoreKey>;
  readonly keyOf: (row: SqlRow) => StoreKey | undefined;
  /** The row as triggers that run before the change leave it; undefined where one gives it up. */
  readonly before: (row: ChangedRow, env: Env) => SqlRow | undefined;
  /** A column that is numbered got this value. */
  readonly reached: (sequence: string, value: number) => void;
}

export interface ChangeResult {
  readonly rows: readonly SqlRow[];
  readonly count: number;
  /** Rows that are not as they were, where that is less than those found. */
  readonly changed?: number;
  readonly insertId?: number;
}

export interface CompiledChange {
  /** The columns of RETURNING. */
  readonly columns: readonly QueryColumn[];
  readonly run: (env: Env, work: ChangeWork) => Slices<ChangeResult>;
}

/** A table that statements change. */
export function changeTarget(name: string, compiler: Compiler): Table {
  const table = compiler.catalog.tables.get(name);
  if (table !== undefined) return table;
  if (compiler.catalog.views.has(name)) {
    throw failure(
      "unsupported",
      `a change through the view ${name} is not supported by this store`,
    );
  }
  throw isPostgres(compiler)
    ? failure("noTable", `relation "${shownName(name)}" does not exist`)
    : failure("noTable", `Table '${name}' doesn't exist`, { table: name });
}
