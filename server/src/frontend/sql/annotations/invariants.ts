// Invariants that the user states, as text: `orders.o_id < district.d_next_o_id where orders.d_id = district.d_id`, or
// any condition with EXISTS. Read by the same parser as statements, then brought into the form of the AR.
import type { Expression, Query, Relation } from "../../../program/expression";
import type { Invariant, Parameter } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { SourceRange } from "../../../protocol/source";
import { rangeOf, type LineIndex } from "../text/lines";
import { createIds, type SqlPiece } from "../lowering";
import type { LowerSql } from "../script/state";
import { nameOf, nextToken, tokensOf, type Token } from "../text/tokens";
import { NO_AGGREGATES, allParts, namesIn, normalize, plainRelation } from "./invariantClauses";
import { nearestName } from "./annotations";
import { readTotal, type Segment } from "./totals";

export interface InvariantText {
  readonly lines: LineIndex;
  /** The place of the condition in the text of `lines`. */
  readonly start: number;
  readonly end: number;
  readonly origin: Invariant["origin"];
  readonly source: SourceRange;
}

export interface InvariantContext {
  readonly tables: readonly Table[];
  readonly lower: LowerSql;
  /** The parameters of the transaction that the text belongs to, if any. */
  readonly parameters: readonly Parameter[];
}

export type InvariantReading =
  | { readonly kind: "rows"; readonly invariants: readonly Invariant[] }
  /** It contains sums, counts or scalar subqueries: outcomes are compared with it. */
  | { readonly kind: "total"; readonly total: Invariant }
  /** It only concerns arguments. */
  | { readonly kind: "arguments"; readonly condition: Expression }
  | { readonly kind: "problem"; readonly message: string; readonly source: SourceRange };

/** Reads one invariant. Never throws for bad input; problems say what to write instead. */
export function readInvariant(text: InvariantText, context: InvariantContext): InvariantReading {
  const written = withoutComment(text);
  const { tables: known } = context;
  const problem = (message: string, source = text.source): InvariantReading => ({
    kind: "problem",
    message: `This invariant cannot be used: ${message}`,
    source,
  });
  const short = readTotal({
    text: text.lines.text,
    start: text.start,
    end: written,
    tables: known,
  });
  if (short && "message" in short) return problem(short.message, rangeOf(text.lines, ...short.at));
  const piece = short
    ? pieceOf(text, ["SELECT (", ...short.condition, `\n)${short.from && ` FROM ${short.from}`}`])
    : longPiece(text, written, known);
  const problems: { readonly message: string; readonly source: SourceRange }[] = [];
  const { statements } = context.lower({
    piece,
    table: (name) => context.tables.find((each) => each.name === name),
    placeholder: () => undefined,
    variable: (path) => parameter(path, context.parameters),
    ids: createIds("invariant"),
    note: ({ message, source }) => problems.push({ message, source }),
  });
  const [first] = problems;
  if (first) return problem(first.message, first.source);
  const [statement] = statements;
  const condition = statement?.kind === "select" ? statement.query.outputs[0]?.value : undefined;
  if (statement?.kind !== "select" || !condition) return problem("it is no condition.");
  const label = text.lines.text.slice(text.start, written).replaceAll(/\s+/gu, " ").trim();
  const [loss] = statement.taint;
  if (loss)
    return problem(
      `${loss.reason}.${hintFor(loss.reason, label, context)}`,
      placeOf(text, written, unknownName(loss.reason)?.split(".").at(-1)),
    );
  if (!isCondition(condition)) return problem("it is no condition, as account.balance >= 0 is.");
  const { relations, where } = statement.query;
  const names = [...namesIn(condition), ...namesIn(where)];
  if (relations.length === 0 && !names.includes("query")) {
    if (names.includes("parameter")) return { kind: "arguments", condition };
    return problem("it names no table; write table.column, as account.balance.");
  }
  if (names.includes("parameter"))
    return problem("a condition on rows holds for every transaction and cannot mention arguments.");
  const wrong = unknownColumn(statement.query, context);
  if (wrong) return problem(wrong.message, placeOf(text, written, wrong.column));
  const { origin, source } = text;
  const rows = { relations: relations.map(plainRelation), where };
  const clauses = normalize(rows, condition);
  if (clauses === NO_AGGREGATES) {
    const names = short && short.names.length > 0 && { names: short.names };
    return { kind: "total", total: { text: label, origin, source, ...rows, condition, ...names } };
  }
  if (typeof clauses === "string") return problem(clauses);
  return {
    kind: "rows",
    invariants: clauses.map((clause) => ({ text: label, origin, source, ...clause })),
  };
}

/** The end of the text without a trailing comment. */
function withoutComment({ lines, start, end }: InvariantText): number {
  for (let at = start; ;) {
    const token = nextToken(lines.text, at, end);
    if (token === undefined) return end;
    if (token.kind === "comment") return token.start;
    at = token.end;
  }
}

interface Parts {
  readonly condition: readonly [number, number];
  readonly where?: readonly [number, number];
}

/** The condition, and the text after a WHERE outside of subqueries. */
function splitWhere(text: string, start: number, end: number): Parts {
  let depth = 0;
  for (const token of tokensOf(text, start, end)) {
    if (token.word === "(") depth += 1;
    if (token.word === ")") depth -= 1;
    if (depth === 0 && token.kind === "word" && token.word === "where")
      return { condition: [start, token.start], where: [token.end, end] };
  }
  return { condition: [start, end] };
}

/** Tables whose columns are named, except those that a subquery introduces. */
function quantified(
  text: string,
  start: number,
  end: number,
  known: readonly Table[],
): readonly string[] {
  const tokens = tokensOf(text, start, end);
  const own = declaredNames(text, tokens);
  const found = new Set<string>();
  tokens.forEach((token, at) => {
    if (!isName(token) || tokens[at + 1]?.word !== "." || tokens[at - 1]?.word === ".") return;
    const name = nameOf(text, token);
    if (!own.has(name) && known.some((each) => each.name === name)) found.add(name);
  });
  return [...found];
}

/** The names of relations that subqueries introduce. */
function declaredNames(text: string, tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  const relation = (at: number): void => {
    const table = tokens[at];
    if (!table || !isName(table)) return;
    const next = tokens[at + 1]?.word === "as" ? at + 2 : at + 1;
    const alias = tokens[next];
    const renamed = alias && isName(alias) && !AFTER_RELATION.has(alias.word);
    names.add(nameOf(text, renamed ? alias : table));
    const behind = renamed ? next + 1 : at + 1;
    if (tokens[behind]?.word === ",") relation(behind + 1);
  };
  tokens.forEach((token, at) => {
    if (token.kind === "word" && (token.word === "from" || token.word === "join")) relation(at + 1);
  });
  return names;
}

const AFTER_RELATION = new Set(
  "where join on inner left right full cross natural group having order limit union using".split(
    " ",
  ),
);

function isName(token: Token): boolean {
  return token.kind === "word" || token.kind === "name";
}

/** `SELECT (condition) FROM tables WHERE (where)` with positions in the user's text. */
function longPiece(text: InvariantText, end: number, known: readonly Table[]): SqlPiece {
  const parts = splitWhere(text.lines.text, text.start, end);
  const tables = quantified(text.lines.text, text.start, end, known);
  const from = tables.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
  const where = parts.where ? [" WHERE (", parts.where, "\n)"] : [];
  const middle = `\n)${from === "" ? "" : ` FROM ${from}`}`;
  return pieceOf(text, ["SELECT (", parts.condition, middle, ...where]);
}

/** The segments as one statement; positions in generated text are those of the preceding user text. */
function pieceOf(text: InvariantText, segments: readonly Segment[]): SqlPiece {
  let sql = "";
  const parts: { readonly from: number; readonly start: number; readonly end: number }[] = [];
  for (const segment of segments) {
    if (typeof segment === "string") sql += segment;
    else {
      const [start, end] = segment;
      parts.push({ from: sql.length, start, end });
      sql += text.lines.text.slice(start, end);
    }
  }
  return {
    lines: text.lines,
    sql,
    start: text.start,
    end: text.end,
    toFile: (offset) => {
      const part = parts.findLast(({ from }) => from <= offset);
      if (!part) return text.start;
      return Math.min(part.end, part.start + offset - part.from);
    },
  };
}

/** The place of a name in the text; the whole text if it does not occur. */
function placeOf(text: InvariantText, end: number, name: string | undefined): SourceRange {
  const { lines, start } = text;
  const token = tokensOf(lines.text, start, end).findLast(
    (each) => isName(each) && nameOf(lines.text, each) === name,
  );
  return token ? rangeOf(lines, token.start, token.end) : text.source;
}

function parameter(
  path: readonly string[],
  parameters: readonly Parameter[],
): Expression | undefined {
  const [name, ...more] = path;
  if (name === undefined || more.length > 0) return undefined;
  const found = parameters.find(
    (each) => each.name.replace(/^[$@]/u, "").toLowerCase() === name.toLowerCase(),
  );
  return found && { kind: "parameter", name: found.name };
}

function unknownName(reason: string): string | undefined {
  return /^(\S+) is not known here$/u.exec(reason)?.[1];
}

/** A hint for an unknown name: a similar name, or a table with such a column. */
function hintFor(reason: string, text: string, { tables, parameters }: InvariantContext): string {
  const name = unknownName(reason);
  if (name === undefined) return "";
  const qualified = tables.flatMap((each) =>
    each.columns.map((own) => ({
      table: each.name,
      column: own.name,
      whole: `${each.name}.${own.name}`,
    })),
  );
  if (qualified.some(({ whole }) => whole === name))
    return " A subquery has this table as well; give that one another name.";
  const owners = qualified.filter(({ column }) => column === name).map(({ whole }) => `"${whole}"`);
  if (owners.length > 0) return ` Did you mean ${owners.join(" or ")}?`;
  const all = [...qualified.map(({ whole }) => whole), ...parameters.map((each) => each.name)];
  const named = qualified.filter(({ table }) => text.includes(table));
  const column = nearestName(
    name,
    named.map((each) => each.column),
  );
  const near = nearestName(name, all) ?? named.find((each) => each.column === column)?.whole;
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

interface UnknownColumn {
  readonly column: string;
  readonly message: string;
}

/** The first column, also of subqueries, that its table lacks. */
function unknownColumn(
  query: Query,
  context: InvariantContext,
  outer: readonly Relation[] = [],
): UnknownColumn | undefined {
  const relations = [...query.relations, ...outer];
  const own = [query.where, ...query.outputs.map(({ value }) => value)];
  for (const each of own.flatMap((expression) => [...allParts(expression)])) {
    const inner = "query" in each ? unknownColumn(each.query, context, relations) : undefined;
    if (inner) return inner;
    if (each.kind !== "column") continue;
    const name = relations.find(({ alias }) => alias === each.relation)?.table;
    const table = context.tables.find((known) => known.name === name);
    if (!table || table.columns.some((known) => known.name === each.column)) continue;
    const near = nearestName(
      each.column,
      table.columns.map((known) => known.name),
    );
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    const message = `the table ${table.name} has no column "${each.column}".${hint}`;
    return { column: each.column, message };
  }
  return undefined;
}

function isCondition(expression: Expression): boolean {
  return !(
    expression.kind === "arithmetic" ||
    expression.kind === "negate" ||
    (expression.kind === "literal" && expression.type !== "bool")
  );
}

/** The invariant as a separate text, as in a configuration file. */
export function invariantText(
  lines: LineIndex,
  origin: Invariant["origin"],
  source?: SourceRange,
): InvariantText {
  const end = lines.text.length;
  return { lines, start: 0, end, origin, source: source ?? rangeOf(lines, 0, end) };
}
