// Invariants over sums and counts in short form: `sum(account.balance) where owner = :o >= 0`. They are expanded to SQL: a condition on
// each row of an outer table, with subqueries.
import type { Table } from "../../../program/schema";
import { nameOf, tokensOf, type Token } from "../text/tokens";

/** Generated text, or a part of the user's. */
export type Segment = string | readonly [number, number];

export interface Total {
  readonly condition: readonly Segment[];
  /** The relation whose rows are each tested: `"event"`, `"account" AS "each account"`. Without it the condition is tested once. */
  readonly from: string;
  /** Columns of that row for the user's `:o`. */
  readonly names: readonly { readonly name: string; readonly column: string }[];
}

/** The part of the user's text that prevents a total. */
export interface TotalProblem {
  readonly message: string;
  readonly at: readonly [number, number];
}

export interface Written {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly tables: readonly Table[];
}

/**
 * The total in the text, or the error in it; undefined if no aggregate is outside of a SELECT. WHERE selects the rows, up to the last
 * comparison or, if one comes before it, up to the end.
 */
export function readTotal(written: Written): Total | TotalProblem | undefined {
  const tokens = tokensOf(written.text, written.start, written.end);
  const calls = aggregateCalls(written, tokens);
  const [first] = calls;
  if (!first) return undefined;
  const whole: readonly [number, number] = [written.start, written.end];
  const unread = calls.find(({ table }) => table === undefined);
  if (unread)
    return {
      message: "a sum or count needs its table, as sum(account.balance) and count(booking).",
      at: [unread.start, unread.end],
    };
  const parts = boundOf(written, tokens);
  if (!parts)
    return {
      message: "it compares its sum or count with nothing; write >= 0 behind it, say.",
      at: whole,
    };
  const { filter } = parts;
  const counted = [...new Set(calls.flatMap(({ table }) => table ?? []))];
  const [table] = counted;
  if (!table) return undefined;
  if (filter && counted.length > 1)
    return {
      message: `its WHERE may be about ${counted.map(({ name }) => name).join(" or ")}; write each sum as (select sum(...) from ... where ...).`,
      at: filter,
    };
  const outer = outerTable(written, tokens, calls, table);
  if (outer && "message" in outer) return outer;
  const names = namedValues(written, tokens, { filter, counted: table, outer });
  if ("message" in names) return names;
  const row = names.length > 0 || outer ? (outer?.name ?? `each ${table.name}`) : undefined;
  const replaced = (from: number, to: number): readonly Segment[] =>
    withNames(written, tokens, [from, to], names, row ?? "");
  const inFilter = filter ? [" WHERE (", ...replaced(...filter), "\n)"] : [];
  const condition = parts.bound.flatMap(([from, to]): readonly Segment[] => {
    const segments: Segment[] = [];
    let at = from;
    for (const call of calls.filter(({ start }) => start >= from && start < to)) {
      const value = call.isRows ? "count(*)" : ([call.start, call.end] as const);
      segments.push(...replaced(at, call.start), "(SELECT ", value);
      segments.push(` FROM ${quoted(call.table?.name ?? "")}`, ...inFilter, ")");
      at = call.end;
    }
    return [...segments, ...replaced(at, to), " "];
  });
  const from =
    row === undefined ? "" : outer ? quoted(row) : `${quoted(table.name)} AS ${quoted(row)}`;
  return { condition, from, names: names.map(({ name, column }) => ({ name, column })) };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

interface Call {
  readonly start: number;
  readonly end: number;
  readonly table: Table | undefined;
  /** `count(booking)` counts rows. */
  readonly isRows: boolean;
}

const AGGREGATES = new Set(["sum", "count", "min", "max", "avg"]);

/** The aggregates outside of every SELECT. */
function aggregateCalls({ text, tables }: Written, tokens: readonly Token[]): readonly Call[] {
  const calls: Call[] = [];
  const queries: boolean[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    const next = tokens[at + 1];
    if (token?.word === "(") queries.push(next?.word === "select");
    if (token?.word === ")") queries.pop();
    const isCall = token?.kind === "word" && AGGREGATES.has(token.word) && next?.word === "(";
    if (!isCall || queries.includes(true)) continue;
    const close = closing(tokens, at + 1);
    const inner = tokens.slice(at + 2, close);
    const plain = inner[0]?.word === "distinct" ? inner.slice(1) : inner;
    const known = plain.flatMap((each, n) => {
      const named = isName(each) && (plain.length === 1 || plain[n + 1]?.word === ".");
      return named ? (tables.find(({ name }) => name === nameOf(text, each)) ?? []) : [];
    });
    const isOne = known.every((each) => each === known[0]);
    calls.push({
      start: token.start,
      end: tokens[close]?.end ?? token.end,
      table: isOne ? known[0] : undefined,
      isRows: token.word === "count" && plain.length === 1 && inner.length === 1,
    });
    at = close;
  }
  return calls;
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at]?.word === "(") depth += 1;
    if (tokens[at]?.word === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}

function isName(token: Token | undefined): token is Token {
  return token?.kind === "word" || token?.kind === "name";
}

interface Bound {
  /** The comparison, without the filter. */
  readonly bound: readonly (readonly [number, number])[];
  readonly filter: readonly [number, number] | undefined;
}

function boundOf({ start, end }: Written, tokens: readonly Token[]): Bound | undefined {
  let depth = 0;
  const compared: number[] = [];
  let where: Token | undefined;
  for (const [at, token] of tokens.entries()) {
    if (token.word === "(") depth += 1;
    if (token.word === ")") depth -= 1;
    if (depth > 0) continue;
    if (token.kind === "word" && token.word === "where") where ??= token;
    const before = tokens[at - 1];
    const continues = COMPARES.has(before?.word ?? "") && before?.end === token.start;
    if (COMPARES.has(token.word) && !continues) compared.push(token.start);
  }
  const last = compared.at(-1);
  if (last === undefined) return undefined;
  if (!where) return { bound: [[start, end]], filter: undefined };
  const first = compared[0] ?? last;
  if (first < where.start) return { bound: [[start, where.start]], filter: [where.end, end] };
  return {
    bound: [
      [start, where.start],
      [last, end],
    ],
    filter: [where.end, last],
  };
}

const COMPARES = new Set(["<", ">", "=", "!"]);

/** The only other table that is named; each of its rows has its own total. */
function outerTable(
  { text, tables }: Written,
  tokens: readonly Token[],
  calls: readonly Call[],
  counted: Table,
): Table | TotalProblem | undefined {
  const found = new Map<Table, Token>();
  const queries: boolean[] = [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token.word === "(") queries.push(next?.word === "select");
    if (token.word === ")") queries.pop();
    const isInside = calls.some(({ start, end }) => token.start >= start && token.start < end);
    if (isInside || queries.includes(true) || !isName(token)) continue;
    if (next?.word !== "." || tokens[at - 1]?.word === ".") continue;
    const table = tables.find(({ name }) => name === nameOf(text, token));
    if (table && table !== counted) found.set(table, token);
  }
  const [outer, second] = [...found.keys()];
  const token = second && found.get(second);
  if (outer && second && token)
    return {
      message: `it compares with ${outer.name} and ${second.name}; write the sum as (select sum(...) from ... where ...).`,
      at: [token.start, token.end],
    };
  return outer;
}

interface NamedValue {
  readonly name: string;
  /** The columns of the outer row. */
  readonly column: string;
}

/** The column of each `:o`: of the counted table, or of the other table's row. */
function namedValues(
  { text }: Written,
  tokens: readonly Token[],
  parts: {
    readonly filter: Bound["filter"];
    readonly counted: Table;
    readonly outer: Table | undefined;
  },
): readonly NamedValue[] | TotalProblem {
  const { filter = [0, 0], counted, outer } = parts;
  const values: NamedValue[] = [];
  for (const [at, token] of tokens.entries()) {
    const name = nameAt(tokens, at);
    if (name === undefined || values.some((each) => each.name === name.word)) continue;
    const isEqual = tokens[at - 1]?.word === "=" && isName(tokens[at - 2]);
    const column = [
      tokens[at - 2],
      ...(tokens[at + 2]?.word === "=" ? lastName(tokens, at + 3) : []),
    ]
      .filter((each) => each !== undefined && each.start >= filter[0] && each.end <= filter[1])
      .find((each) => isName(each) && (isEqual || each !== tokens[at - 2]));
    const written: readonly [number, number] = [token.start, name.end];
    if (!column)
      return {
        message: `:${name.word} is compared with no column; write where ${counted.columns[0]?.name ?? "column"} = :${name.word}.`,
        at: written,
      };
    const own = nameOf(text, column);
    const key = outer ? keyFor(counted, own, outer) : own;
    if (key === undefined)
      return {
        message: `which row of ${outer?.name ?? ""} belongs to :${name.word} is not said; write where ${counted.name}.${own} = ${outer?.name ?? ""}.${outer?.primaryKey[0] ?? "id"}.`,
        at: written,
      };
    values.push({ name: name.word, column: key });
  }
  return values;
}

/** The name after a `:`. */
function nameAt(tokens: readonly Token[], at: number): Token | undefined {
  const [token, next] = [tokens[at], tokens[at + 1]];
  return token?.word === ":" && isName(next) && next.start === token.end ? next : undefined;
}

/** The last part of `name` or `name.name`. */
function lastName(tokens: readonly Token[], at: number): readonly (Token | undefined)[] {
  return [tokens[at + 1]?.word === "." ? tokens[at + 2] : tokens[at]];
}

/** The column of the other table that a column of the counted one references. */
function keyFor(counted: Table, column: string, outer: Table): string | undefined {
  for (const { table, columns, referenced } of counted.foreignKeys) {
    const at = columns.indexOf(column);
    if (table === outer.name && at >= 0)
      return (referenced.length > 0 ? referenced : outer.primaryKey)[at];
  }
  return outer.primaryKey.length === 1 ? outer.primaryKey[0] : undefined;
}

/** The part of the text with each `:o` replaced by its column. */
function withNames(
  { text }: Written,
  tokens: readonly Token[],
  [from, to]: readonly [number, number],
  values: readonly NamedValue[],
  row: string,
): readonly Segment[] {
  const segments: Segment[] = [];
  let at = from;
  for (const [index, token] of tokens.entries()) {
    const name = nameAt(tokens, index);
    const value = name && values.find((each) => each.name === name.word);
    if (!value || token.start < from || name.end > to) continue;
    segments.push([at, token.start], `${quoted(row)}.${quoted(value.column)}`);
    at = name.end;
  }
  return text.slice(at, to).trim() === "" ? segments : [...segments, [at, to]];
}
