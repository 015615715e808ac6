// Session state of MySQL and similar products: user variables, row counts, generated ids.
import type { Expression } from "../../../program/expression";
import type { LineIndex } from "../text/lines";
import type { Lowering } from "../lowering";
import type { Span } from "../text/split";
import { compare } from "../terms";
import { literal } from "../expressions";
import { top, type State } from "./state";
import { assign, valueOf } from "./variables";

/** The value of `@x`, ROW_COUNT() and the like at this point of a script. */
export function sessionValue(state: State, path: readonly string[]): Expression | undefined {
  const [name = "", ...others] = path;
  if (others.length > 0) return undefined;
  switch (name) {
    case "row_count()":
      return state.rowCount;
    case "found_rows()":
      return state.lastResult === undefined
        ? undefined
        : { kind: "size", result: state.lastResult.name };
    case "last_insert_id()":
      return state.insertId;
    default:
      return name.startsWith("@") ? valueOf(state, name.slice(1)) : undefined;
  }
}

/** SELECT ... INTO @x, SET @x = ...: assigns the statement's variables. */
export function assignSessionValues(state: State, lowered: Lowering, at: Span): void {
  const { result, targets = [], values = [], insertId } = lowered;
  for (const { variable, column } of result === undefined ? [] : targets) {
    const name = variable.replace(/^@/, "");
    const value: Expression = {
      kind: "field",
      result: result?.name ?? "",
      field: column,
      at: "first",
    };
    const isBound = top(state).bound.has(name);
    assign(state, name, isBound && !hasOneRow(lowered) ? kept(state, name, value) : value, at);
  }
  for (const { variable, value } of values) assign(state, variable.replace(/^@/, ""), value, at);
  if (insertId !== undefined) state.insertId = insertId;
}

/** The statement with the values that its variables keep where it finds no row. */
export function withKeptValues(state: State, lowered: Lowering): Lowering {
  const { targets = [], statements } = lowered;
  const last = statements.at(-1);
  if (last?.kind !== "select" || last.kept === undefined) return lowered;
  const keptAs = last.kept.map((output) => {
    const variable = targets.find(({ column }) => column === output.name)?.variable;
    const name = variable?.replace(/^@/, "") ?? "";
    return top(state).bound.has(name) ? { ...output, value: valueOf(state, name) } : output;
  });
  return { ...lowered, statements: [...statements.slice(0, -1), { ...last, kept: keptAs }] };
}

/** True if a non-PostgreSQL script uses a generated id between two positions. */
export function asksForInsertId(lines: LineIndex, start: number, end: number): boolean {
  return lines.written !== undefined && INSERT_ID.test(lines.text.slice(start, end));
}

const INSERT_ID =
  /\blast_insert_id\s*\(|@@identity\b|\bscope_identity\s*\(|\blast_insert_rowid\s*\(/i;

/** Without a row a variable is unchanged. */
function kept(state: State, name: string, value: Expression): Expression {
  const before = valueOf(state, name);
  if (value.kind !== "field") return value;
  const size: Expression = { kind: "size", result: value.result };
  const condition = compare(">", size, literal(0));
  return { kind: "conditional", condition, then: value, otherwise: before };
}

/** An aggregate without groups always has one row. */
function hasOneRow({ statements }: Lowering): boolean {
  const last = statements.at(-1);
  if (last?.kind !== "select") return false;
  const { query } = last;
  if (query.relations.length === 0) return true;
  const values = JSON.stringify(query.outputs.map(({ value }) => value));
  return (
    query.groupBy.length === 0 &&
    query.having === undefined &&
    values.includes('"kind":"aggregate"')
  );
}
