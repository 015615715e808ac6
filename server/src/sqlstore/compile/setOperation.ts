// Set operations: UNION, INTERSECT and EXCEPT, and the types that their columns have in common.
import { failure } from "../sqlError";
import type { SqlQueryBody } from "../tree";
import { identities } from "../values/compare";
import { widest, type SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import {
  convertNode,
  isPostgres,
  type CompiledQuery,
  type Compiler,
  type Env,
  type Scope,
  type WithQuery,
} from "./node";
import { mysqlCommonType } from "./operators";
import { inSlices, rowsIn } from "./queryRows";
import { compileQuery } from "./recursion";
import type { Slices } from "./slices";

/** The type of one column of a set operation. */
export function setType(types: readonly SqlType[], compiler: Compiler, what: string): SqlType {
  if (!isPostgres(compiler)) return mysqlCommonType(types);
  let common: SqlType = "unknown";
  for (const type of types) {
    const wider = widest(common, type);
    if (wider === undefined) {
      throw failure("typeMismatch", `${what} types ${common} and ${type} cannot be matched`);
    }
    common = wider;
  }
  return common === "unknown" ? "text" : common;
}

export function setOperation(
  body: Extract<SqlQueryBody, { readonly kind: "set" }>,
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledQuery {
  const [left, right] = [body.left, body.right].map((query) =>
    compileQuery(query, compiler, parent, withs, "open"),
  );
  if (left === undefined || right === undefined || left.columns.length !== right.columns.length) {
    throw isPostgres(compiler)
      ? failure(
          "syntax",
          `each ${body.operator.toUpperCase()} query must have the same number of columns`,
        )
      : failure("unionColumns", "The used SELECT statements have a different number of columns");
  }
  const types = left.columns.map((column, at) =>
    setType(
      [column.type, right.columns[at]?.type ?? "unknown"],
      compiler,
      body.operator.toUpperCase(),
    ),
  );
  const rowsOf = (query: CompiledQuery): ((env: Env) => Slices<readonly SqlRow[]>) => {
    const converts = query.columns.map((column, at) =>
      conversion(column.type, types[at] ?? "text", compiler),
    );
    return function* (env) {
      const rows = yield* rowsIn(query, env);
      return rows.map((row) => row.map((value, at) => converts[at]?.(value) ?? value));
    };
  };
  const [lefts, rights] = [rowsOf(left), rowsOf(right)];
  const name = (row: SqlRow): string => identities(row, types, compiler.dialect);
  const told = {
    columns: left.columns.map((column, at) => ({ ...column, type: types[at] ?? "text" })),
    volatile: left.volatile || right.volatile,
  };
  return inSlices(told, function* (env) {
    return combined(body.operator, body.all, yield* lefts(env), yield* rights(env), name);
  });
}

/** A conversion of values of a row; NULL and what has the type already stay. */
export function conversion(
  from: SqlType,
  to: SqlType,
  compiler: Compiler,
): (value: SqlValue) => SqlValue {
  if (from === to) return (value) => value;
  const cell: { value: SqlValue } = { value: null };
  const node = convertNode({ type: from, run: () => cell.value, constant: false }, to, compiler);
  return (value) => {
    cell.value = value;
    // The node reads nothing but the cell.
    return node.run(NOWHERE);
  };
}

const NOWHERE: Env = Object.freeze({
  get work(): never {
    throw failure("internal", "a conversion asked for the statement");
  },
  tuple: [],
  up: undefined,
  aggregates: [],
  windows: [],
});

function combined(
  operator: "union" | "intersect" | "except",
  all: boolean,
  left: readonly SqlRow[],
  right: readonly SqlRow[],
  name: (row: SqlRow) => string,
): readonly SqlRow[] {
  const unique = (rows: readonly SqlRow[]): readonly SqlRow[] =>
    all ? rows : [...new Map(rows.map((row) => [name(row), row])).values()];
  if (operator === "union") return unique([...left, ...right]);
  const counts = new Map<string, number>();
  for (const row of right) counts.set(name(row), (counts.get(name(row)) ?? 0) + 1);
  const kept = unique(left).filter((row) => {
    const key = name(row);
    const count = counts.get(key) ?? 0;
    if (all && count > 0) counts.set(key, count - 1);
    return count > 0 === (operator === "intersect");
  });
  return kept;
}
