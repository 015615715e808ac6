// Draft of a query, common to query builders: a statement that is put together call by call, written as SQL text with
// values in it, and read like all other SQL.
import type { Dialect } from "../../../../program/dialect";
import {
  type Connection,
  constantText,
  isArray,
  NOWHERE,
  oneOfSeveral,
  scalar,
  type TextPart,
  unknown,
  type Value,
} from "../../values";
import type { Library, SqlOutcome, Tools } from "../library";
import { nameOfTable } from "../orm/model";
import type { SourceRange } from "../../../../protocol/source";
import { readsOf } from "../../evaluate/values/convert";
import { allOrNone } from "../ownConnection";
import { traverse } from "../../traverse";

/** A part of a statement: text and values. */
export type Fragment = readonly TextPart[];

export interface Draft {
  readonly verb: "select" | "insert" | "update" | "delete";
  /** The table with its alias, or tables. */
  readonly table: Fragment;
  readonly columns: readonly Fragment[];
  readonly isDistinct: boolean;
  /** `DISTINCT ON (...)`. */
  readonly distinctOn?: Fragment;
  /** The text before it: `WITH ...`. */
  readonly prefix?: Fragment;
  /** Rows that are added: `UNION ...`. */
  readonly compound?: Fragment;
  /** Other tables of an UPDATE (`FROM`) or a DELETE (`USING`). */
  readonly from?: Fragment;
  /** The query whose rows an INSERT takes. */
  readonly taken?: Fragment;
  /** `JOIN ... ON ...`. */
  readonly joins: readonly Fragment[];
  /** The schema of tables that name none. */
  readonly schema?: string;
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
  /** Instead of rows: those of a list whose items are not known one by one. */
  readonly each?: RowsOfList;
  /** The text behind the rows: `ON CONFLICT ...`. */
  readonly conflict?: Fragment;
  /** Behind that stands that all columns get what the row would have brought. */
  readonly mergesRow?: boolean;
  /** When what is in conflict is changed. */
  readonly guard?: Fragment;
  readonly returning: readonly Fragment[];
}

export interface RowsOfList {
  readonly list: Value;
  /** The columns of an item's row; undefined where it is not known. */
  readonly row: (item: Value) => Draft["set"] | undefined;
}

/** The argument of an INSERT: a row, or a list of rows. Undefined where a row is not known. */
export function insertRows(
  value: Value,
  row: RowsOfList["row"],
  tools: Tools,
): Pick<Draft, "rows" | "each"> | undefined {
  const items = tools.items(value);
  if (!items && isListOfRows(value)) return { rows: [], each: { list: value, row } };
  const rows = traverse(items ?? [value], row)?.map((each) => new Map(each));
  return rows && { rows };
}

/** A list, or one of two lists. */
function isListOfRows(value: Value): boolean {
  if (value.kind === "choice") return isListOfRows(value.then) && isListOfRows(value.otherwise);
  return /^(?:derived|rows|list|joined)$/u.test(value.kind) || isArray(value);
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
export function valueFragment(value: Value): Fragment {
  return [{ kind: "hole", value }];
}

/** The values of a list of which no item is known. */
export function givenList(value: Value): Fragment {
  const isMade = value.kind === "scalar" && value.expression.kind === "call";
  return valueFragment(
    isMade ? oneOfSeveral("which values a list holds is not known", readsOf(value)) : value,
  );
}

/** A name in the dialect's quotes; `a.b` is a column of a table. */
export function quoteIdentifier(name: string, dialect: Dialect): string {
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
export function joinFragments(parts: readonly Fragment[], separator: string): Fragment {
  return parts.flatMap((part, at) => (at === 0 ? part : sequence(separator, part)));
}

/** `a = 1, b = 2`. */
export function setText(set: Draft["set"], dialect: Dialect): Fragment {
  const parts = set.map(([column, value]) =>
    sequence(`${quoteIdentifier(column, dialect)} = `, value),
  );
  return joinFragments(parts, ", ");
}

/** One of two values by a flag. */
export function caseText(flag: Value, then: Fragment, otherwise: Fragment): Fragment {
  return sequence("CASE WHEN ", valueFragment(flag), " THEN ", then, " ELSE ", otherwise, " END");
}

/** `column IN (1, 2)`; of a list of which no item is known, and of none. */
export function membershipText(
  column: Fragment,
  word: "IN" | "NOT IN",
  list: Value,
  items: readonly Fragment[] | undefined,
): Fragment {
  return sequence(column, ` ${word} (`, items ? joinFragments(items, ", ") : givenList(list), ")");
}

/** The statement as SQL text. */
export function sqlOf(draft: Draft, dialect: Dialect): Value {
  return { kind: "text", parts: textOf(draft, dialect) };
}

/** The same as a part of another statement. */
export function textOf(draft: Draft, dialect: Dialect): Fragment {
  const text = bodyOf(draft, dialect);
  return draft.prefix ? sequence(draft.prefix, " ", text) : text;
}

function bodyOf(draft: Draft, dialect: Dialect): Fragment {
  const { table, where, from } = draft;
  const joins = draft.joins.flatMap((join) => sequence(" ", join));
  const condition = where.length === 0 ? [] : sequence(" WHERE ", allOf(where));
  const back =
    draft.returning.length === 0
      ? []
      : sequence(" RETURNING ", joinFragments(draft.returning, ", "));
  switch (draft.verb) {
    case "select":
      return sequence(
        draft.isDistinct ? "SELECT DISTINCT " : "SELECT ",
        draft.distinctOn ? sequence("DISTINCT ON (", draft.distinctOn, ") ") : "",
        draft.columns.length === 0 ? "*" : joinFragments(draft.columns, ", "),
        table.length === 0 ? "" : sequence(" FROM ", table),
        joins,
        condition,
        draft.groupBy.length === 0
          ? ""
          : sequence(" GROUP BY ", joinFragments(draft.groupBy, ", ")),
        draft.having.length === 0 ? "" : sequence(" HAVING ", allOf(draft.having)),
        draft.compound ? sequence(" ", draft.compound) : "",
        draft.orderBy.length === 0
          ? ""
          : sequence(" ORDER BY ", joinFragments(draft.orderBy, ", ")),
        draft.limit === undefined ? "" : sequence(" LIMIT ", draft.limit),
        draft.offset === undefined ? "" : sequence(" OFFSET ", draft.offset),
        draft.lock === undefined ? "" : ` ${draft.lock}`,
      );
    case "insert":
      return sequence(
        "INSERT INTO ",
        table,
        rowsOf(draft, dialect),
        draft.conflict ?? "",
        draft.mergesRow ? rowMerged(draft, dialect) : "",
        draft.guard ? sequence(" WHERE ", draft.guard) : "",
        back,
      );
    case "update": {
      const set = setText(draft.set, dialect);
      const others = from ? sequence(" FROM ", from, joins) : joins;
      return sequence("UPDATE ", table, " SET ", set, others, condition, back);
    }
    case "delete":
      return sequence(
        "DELETE FROM ",
        table,
        from ? sequence(" USING ", from, joins) : joins,
        condition,
        back,
      );
    default:
      return draft.verb satisfies never;
  }
}

/** `a = excluded.a, ...` of the columns that are inserted. */
function rowMerged({ rows }: Draft, dialect: Dialect): string {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const parts = columns.map((column) => {
    const own = quoteIdentifier(column, dialect);
    return `${own} = ${dialect === "postgres" ? `excluded.${own}` : `VALUES(${own})`}`;
  });
  return parts.join(", ");
}

/** That all of the conditions hold. */
export function allOf(conditions: readonly Fragment[]): Fragment {
  return joinFragments(
    conditions.map((each) => sequence("(", each, ")")),
    " AND ",
  );
}

function rowsOf({ rows, columns: named, taken }: Draft, dialect: Dialect): Fragment {
  if (taken) {
    const into = named.length === 0 ? "" : sequence("(", joinFragments(named, ", "), ") ");
    return sequence(" ", into, taken);
  }
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (columns.length === 0) {
    return raw(dialect === "postgres" ? " DEFAULT VALUES" : " () VALUES ()");
  }
  const names = columns.map((column) => quoteIdentifier(column, dialect)).join(", ");
  const tuples = rows.map((row) => {
    const values = columns.map((column) => row.get(column) ?? raw("DEFAULT"));
    return sequence("(", joinFragments(values, ", "), ")");
  });
  return sequence(` (${names}) VALUES `, joinFragments(tuples, ", "));
}

/** One of two conditions, as the code chose; absent ones hold. */
export function chooseFragment(
  condition: Value,
  then: Fragment | undefined,
  otherwise: Fragment | undefined,
): Fragment | undefined {
  if (!then && !otherwise) return undefined;
  const flag = valueFragment(condition);
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
  if (draft.each) return runEach(draft, draft.each, connection, source, tools);
  const { schema } = draft;
  return tools.sql(connection, sqlOf(draft, tools.dialect), { schema }, source);
}

/** One row after the other, all or none of them. */
function runEach(
  draft: Draft,
  { list, row }: RowsOfList,
  connection: Connection | undefined,
  source: SourceRange,
  tools: Tools,
): SqlOutcome {
  const { each: _, ...single } = draft;
  const { schema } = draft;
  allOrNone(connection, source, tools, (own) => {
    tools.each(list, source, (item) => {
      const values = row(item);
      const draftOfRow = values && { ...single, rows: [new Map(values)] };
      if (draftOfRow) tools.sql(own, sqlOf(draftOfRow, tools.dialect), { schema }, source);
      else runUnread(draft, "a row that is inserted is not known", own, source, tools);
    });
  });
  const count = unknown("how many rows a list inserts");
  return { kind: "change", count, choice: unknown("the rows that a list inserts") };
}

/** A statement of which a part is not understood: all that is known are its verb and tables. */
export function runUnread(
  { verb, table, schema }: Draft,
  why: string,
  connection: Connection | undefined,
  source: SourceRange,
  tools: Tools,
): Value {
  const written = constantText({ kind: "text", parts: table }) ?? "";
  const [name = ""] = written.replaceAll(/["`]/gu, "").split(/\s+as\s+|\s/iu);
  tools.statement(
    connection,
    {
      kind: "opaque",
      tables: [nameOfTable({ name, schema }, tools)],
      writes: verb !== "select",
      taint: [why],
    },
    source,
  );
  return unknown(why);
}

/** One of two handles whose data hold queries, where these differ in conditions alone. */
export function oneQuery<Query extends { readonly draft: Draft }>(
  isQuery: (data: unknown) => data is Query,
): NonNullable<Library["joined"]> {
  return (then, otherwise, condition) => {
    const { data, connection } = then;
    const { data: other } = otherwise;
    if (!isQuery(data) || !isQuery(other) || otherwise.connection !== connection) return undefined;
    if (!hasSameParts({ ...data, draft: undefined }, { ...other, draft: undefined }))
      return undefined;
    const draft = either(scalar(condition, "bool"), data.draft, other.draft);
    return draft && { ...then, data: { ...data, draft } };
  };
}

/** One of two statements, as the code chose, where they differ in conditions alone. */
export function either<Query extends { readonly where: readonly Fragment[] }>(
  flag: Value,
  then: Query,
  otherwise: Query,
): Query | undefined {
  const { where, ...rest } = then;
  const { where: other, ...otherRest } = otherwise;
  if (!hasSameParts(rest, otherRest)) return undefined;
  const differs = where.findIndex((each, at) => each !== other[at]);
  const common = differs === -1 ? where.length : differs;
  const [more, others] = [where.slice(common), other.slice(common)];
  const condition = chooseFragment(
    flag,
    more.length === 0 ? undefined : allOf(more),
    others.length === 0 ? undefined : allOf(others),
  );
  return { ...then, where: [...where.slice(0, common), ...(condition ? [condition] : [])] };
}

/** True if two records have the same parts, those that may be absent as well. */
export function hasSameParts(left: object, right: object): boolean {
  const others = new Map(Object.entries(right));
  const parts = Object.entries(left);
  return (
    parts.length === others.size &&
    parts.every(([name, part]) => others.has(name) && others.get(name) === part)
  );
}
