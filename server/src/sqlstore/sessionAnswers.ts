// Answers of MySQL that go on: SHOW ... WHERE, and SELECT ... INTO variables.
import type { Reply, Request } from "../exploration/client";
import type { UserVariables } from "./compile/node";
import type { Diagnostics } from "./sessionDiagnostics";
import { queryOf, selectOf } from "./selectOf";
import { commandResult } from "./sessionParts";
import type { SqlResult } from "./sessionTypes";
import { failure } from "./sqlError";
import type { SqlExpression, SqlQuery } from "./tree";
import type { SqlValue } from "./values/value";

/** The rows of SHOW for which the condition holds. */
export function* filterShown(
  shown: SqlResult,
  where: SqlExpression,
  run: (query: SqlQuery) => Generator<Request, SqlResult, Reply>,
): Generator<Request, SqlResult, Reply> {
  if (shown.rows.length === 0) return shown;
  const numbered = shown.rows.map((row, at) => [
    { kind: "number", text: String(at) } as const,
    ...row.map(literalOf),
  ]);
  const { rows } = yield* run(
    queryOf({
      kind: "select",
      distinct: false,
      outputs: [{ value: { kind: "column", path: [PLACE] } }],
      from: [
        {
          kind: "query",
          query: queryOf({ kind: "values", rows: numbered }),
          alias: "shown",
          columns: [PLACE, ...shown.columns.map(({ name }) => name.toLowerCase())],
          lateral: false,
        },
      ],
      where,
      groupBy: [],
      windows: new Map(),
    }),
  );
  const kept = rows.flatMap(([at = null]) => {
    const row = shown.rows[Number(at)];
    return row === undefined ? [] : [row];
  });
  return { ...shown, rows: kept, rowCount: kept.length };
}

/** The result of a call that stands alone, under the name that its text gives it. */
export function withWrittenName(result: SqlResult, { body }: SqlQuery): SqlResult {
  const name = body.kind === "select" ? body.outputs[0]?.text : undefined;
  if (name === undefined) return result;
  return { ...result, columns: result.columns.map((column) => ({ ...column, name })) };
}

/** The column that tells which row it is. */
const PLACE = "#";

function literalOf(value: SqlValue): SqlExpression {
  if (value === null) return { kind: "null" };
  return typeof value === "number"
    ? { kind: "number", text: String(value) }
    : { kind: "string", value: typeof value === "string" ? value : "" };
}

/** Gives the one row of a query to variables. Fails with 1222 and 1172 where they do not fit it. */
export function selectInto(
  { columns, rows }: SqlResult,
  names: readonly string[],
  variables: UserVariables,
  diagnostics: Pick<Diagnostics, "add">,
): SqlResult {
  if (columns.length !== names.length)
    throw failure("unionColumns", "The used SELECT statements have a different number of columns");
  const [row] = rows;
  if (row === undefined) {
    const message = "No data - zero rows fetched, selected, or processed";
    diagnostics.add({ level: "Warning", code: 1329, message });
    return commandResult("SELECT INTO");
  }
  for (const [at, name] of names.entries())
    variables.set(name, { type: columns[at]?.type ?? "text", value: row[at] ?? null });
  if (rows.length > 1) throw failure("manyData", "Result consisted of more than one row");
  return { ...commandResult("SELECT INTO"), rowCount: 1 };
}

/** A query with SQL_CALC_FOUND_ROWS, of which FOUND_ROWS() counts the rows behind the limit as well. */
export function* countAllRows(
  { limit, offset, ...query }: SqlQuery,
  run: (query: SqlQuery) => Generator<Request, SqlResult, Reply>,
): Generator<Request, SqlResult, Reply> {
  const zero: SqlExpression = { kind: "number", text: "0" };
  const bounds = yield* run(selectOf([offset ?? zero, limit ?? zero]));
  const all = yield* run(query);
  const [from = 0, count = 0] = (bounds.rows[0] ?? []).map(Number);
  const rows = all.rows.slice(from, limit === undefined ? undefined : from + count);
  return { ...all, rows, rowCount: rows.length };
}
