// What query builders have in common: a statement that is put together call by call, written as SQL text with values in
// it, and read like all other SQL.
import type { Dialect } from "../../../../program/dialect";
import {
  constantText,
  NOWHERE,
  scalar,
  type Connection,
  type TextPart,
  type Value,
} from "../../values";
import type { SqlOutcome, Tools } from "../library";
import type { SourceRange } from "../../../../protocol/source";

/** A part of a statement: text and values. */
export type Fragment = readonly TextPart[];

export interface Draft {
  readonly verb: "select" | "insert" | "update" | "delete";
  /** The table with its alias, or tables. */
  readonly table: Fragment;
  readonly columns: readonly Fragment[];
  readonly isDistinct: boolean;
  /** `JOIN ... ON ...`. */
  readonly joins: readonly Fragment[];
  /** All of them hold. */
  readonly where: readonly Fragment[];
  readonly groupBy: readonly Fragment[];
  readonly having: readonly Fragment[];
  readonly orderBy: readonly Fragment[];
  readonly limit?: Fragment;
  readonly offset?: Fragment;
  /** `FOR UPDATE ...`. */
  readonly lock?: string;
  readonly set: readonly (readonly [column: string, value: Fragment])[];
  /** The rows of an INSERT by their columns. */
  readonly rows: readonly ReadonlyMap<string, Fragment>[];
  /** What stands behind the rows: `ON CONFLICT ...`. */
  readonly conflict?: Fragment;
  readonly returning: readonly Fragment[];
}

/** A statement of which only its verb and table are known. */
export function draftOf(verb: Draft["verb"], table: Fragment): Draft {
  return {
    verb,
    table,
    columns: [],
    isDistinct: false,
    joins: [],
    where: [],
    groupBy: [],
    having: [],
    orderBy: [],
    set: [],
    rows: [],
    returning: [],
  };
}

/** Text as it stands. */
export function raw(text: string): Fragment {
  return [{ kind: "run", run: { text, start: -1 }, file: NOWHERE }];
}

/** A value. */
export function given(value: Value): Fragment {
  return [{ kind: "hole", value }];
}

/** A name in the dialect's quotes; `a.b` is a column of a table. */
export function quoted(name: string, dialect: Dialect): string {
  if (name === "*" || name.endsWith(".*")) return name;
  const mark = dialect === "mysql" || dialect === "mariadb" ? "`" : '"';
  return name
    .split(".")
    .map((part) => `${mark}${part}${mark}`)
    .join(".");
}

/** The parts one behind the other. */
export function sequence(...parts: readonly (string | Fragment)[]): Fragment {
  return parts.flatMap((part) => (typeof part === "string" ? raw(part) : part));
}

/** The parts with something between them. */
export function separated(parts: readonly Fragment[], separator: string): Fragment {
  return parts.flatMap((part, at) => (at === 0 ? part : sequence(separator, part)));
}

/** The statement as SQL text. */
export function sqlOf(draft: Draft, dialect: Dialect): Value {
  return { kind: "text", parts: textOf(draft, dialect) };
}

/** The same as a part of another statement. */
export function textOf(draft: Draft, dialect: Dialect): Fragment {
  const { table, where } = draft;
  const condition = where.length === 0 ? [] : sequence(" WHERE ", allOf(where));
  const back =
    draft.returning.length === 0 ? [] : sequence(" RETURNING ", separated(draft.returning, ", "));
  switch (draft.verb) {
    case "select":
      return sequence(
        draft.isDistinct ? "SELECT DISTINCT " : "SELECT ",
        draft.columns.length === 0 ? "*" : separated(draft.columns, ", "),
        " FROM ",
        table,
        ...draft.joins.map((join) => sequence(" ", join)),
        condition,
        draft.groupBy.length === 0 ? "" : sequence(" GROUP BY ", separated(draft.groupBy, ", ")),
        draft.having.length === 0 ? "" : sequence(" HAVING ", allOf(draft.having)),
        draft.orderBy.length === 0 ? "" : sequence(" ORDER BY ", separated(draft.orderBy, ", ")),
        draft.limit === undefined ? "" : sequence(" LIMIT ", draft.limit),
        draft.offset === undefined ? "" : sequence(" OFFSET ", draft.offset),
        draft.lock === undefined ? "" : ` ${draft.lock}`,
      );
    case "insert":
      return sequence("INSERT INTO ", table, rowsOf(draft, dialect), draft.conflict ?? "", back);
    case "update": {
      const set = draft.set.map(([column, value]) =>
        sequence(`${quoted(column, dialect)} = `, value),
      );
      return sequence("UPDATE ", table, " SET ", separated(set, ", "), condition, back);
    }
    case "delete":
      return sequence("DELETE FROM ", table, condition, back);
    default:
      return draft.verb satisfies never;
  }
}

/** That all of the conditions hold. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  return separated(
    conditions.map((each) => sequence("(", each, ")")),
    " AND ",
  );
}

function rowsOf({ rows }: Draft, dialect: Dialect): Fragment {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (columns.length === 0) {
    return raw(dialect === "postgres" ? " DEFAULT VALUES" : " () VALUES ()");
  }
  const names = columns.map((column) => quoted(column, dialect)).join(", ");
  const tuples = rows.map((row) => {
    const values = columns.map((column) => row.get(column) ?? raw("DEFAULT"));
    return sequence("(", separated(values, ", "), ")");
  });
  return sequence(` (${names}) VALUES `, separated(tuples, ", "));
}

/** One of two conditions, as the code chose; absent ones hold. */
export function chosen(
  condition: Value,
  then: Fragment | undefined,
  otherwise: Fragment | undefined,
): Fragment | undefined {
  if (!then && !otherwise) return undefined;
  const flag = given(condition);
  return sequence(
    "((",
    flag,
    " AND (",
    then ?? "TRUE",
    ")) OR (NOT ",
    flag,
    " AND (",
    otherwise ?? "TRUE",
    ")))",
  );
}

/** The flag of a choice as a value. */
export function flagOf(choice: Extract<Value, { kind: "choice" }>): Value {
  return scalar(choice.condition, "bool");
}

/** The names that a value gives: one, or each of a list. */
export function namesIn(value: Value | undefined, tools: Tools): readonly string[] {
  if (!value) return [];
  const one = constantText(value);
  if (one !== undefined) return [one];
  return (tools.items(value) ?? []).flatMap((item) => constantText(item) ?? []);
}

/** Runs a statement. */
export function runDraft(
  draft: Draft,
  connection: Connection | undefined,
  source: SourceRange,
  tools: Tools,
): SqlOutcome {
  return tools.sql(connection, sqlOf(draft, tools.dialect), {}, source);
}
