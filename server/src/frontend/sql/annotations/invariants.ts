// Invariants that the user states, as text: `orders.o_id < district.d_next_o_id where orders.d_id = district.d_id`, or
// any condition with EXISTS. Read by the same parser as statements, then brought into the form of the AR.
import type { Expression } from "../../../program/expression";
import type { Invariant, Parameter } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Relation } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { rangeOf, type LineIndex } from "../text/lines";
import { createIds, type SqlPiece } from "../lowering";
import type { LowerSql } from "../script/state";
import { nameOf, nextToken, tokensOf, type Token } from "../text/tokens";
import { allParts, namesIn, normalize, plainRelation } from "./invariantClauses";
import { nearestName } from "./annotations";

export interface InvariantText {
  readonly lines: LineIndex;
  /** Where the condition stands in the text of `lines`. */
  readonly start: number;
  readonly end: number;
  readonly origin: Invariant["origin"];
  readonly source: SourceRange;
}

export interface InvariantContext {
  readonly tables: readonly Table[];
  readonly lower: LowerSql;
  /** Of the transaction that the text belongs to, if any. */
  readonly parameters: readonly Parameter[];
}

export type InvariantReading =
  | { readonly kind: "rows"; readonly invariants: readonly Invariant[] }
  /** It speaks of arguments alone. */
  | { readonly kind: "arguments"; readonly condition: Expression }
  | { readonly kind: "problem"; readonly message: string; readonly source: SourceRange };

/** Reads one invariant. Never throws for bad input; problems say what to write instead. */
export function readInvariant(text: InvariantText, context: InvariantContext): InvariantReading {
  const written = withoutComment(text);
  const parts = splitWhere(text.lines.text, text.start, written);
  const tables = quantified(text.lines.text, text.start, written, context.tables);
  const piece = queryPiece(text, parts, tables);
  const problems: { readonly message: string; readonly source: SourceRange }[] = [];
  const { statements } = context.lower({
    piece,
    table: (name) => context.tables.find((each) => each.name === name),
    placeholder: () => undefined,
    variable: (path) => parameter(path, context.parameters),
    ids: createIds("invariant"),
    note: ({ message, source }) => problems.push({ message, source }),
  });
  const problem = (message: string, source = text.source): InvariantReading => ({
    kind: "problem",
    message: `This invariant cannot be used: ${message}`,
    source,
  });
  const [first] = problems;
  if (first) return problem(first.message, first.source);
  const [statement] = statements;
  const condition = statement?.kind === "select" ? statement.query.outputs[0]?.value : undefined;
  if (statement?.kind !== "select" || !condition) return problem("it is no condition.");
  const [loss] = statement.taint;
  if (loss) return problem(`${loss.reason}.${hintFor(loss.reason, context)}`);
  if (!isCondition(condition)) return problem("it is no condition, as account.balance >= 0 is.");
  const { relations, where } = statement.query;
  const names = [...namesIn(condition), ...namesIn(where)];
  if (relations.length === 0 && !names.includes("query")) {
    if (names.includes("parameter")) return { kind: "arguments", condition };
    return problem("it names no table; write table.column, as account.balance.");
  }
  if (names.includes("parameter"))
    return problem("a condition on rows holds for every transaction and cannot mention arguments.");
  const label = text.lines.text.slice(text.start, written).replaceAll(/\s+/gu, " ").trim();
  const wrong = unknownColumn([condition, where], relations, context);
  if (wrong !== undefined) return problem(wrong);
  const clauses = normalize({ relations: relations.map(plainRelation), where }, condition);
  if (typeof clauses === "string") return problem(clauses);
  const { origin, source } = text;
  return {
    kind: "rows",
    invariants: clauses.map((clause) => ({ text: label, origin, source, ...clause })),
  };
}

/** The end of the text without a comment behind it. */
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

/** The condition, and what stands behind the WHERE that is not part of a subquery. */
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

/** Tables whose columns are named, but for those that a subquery brings. */
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

/** The names of relations that subqueries give. */
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

/** `SELECT (condition) FROM tables WHERE (where)` with its places in the user's text. */
function queryPiece(text: InvariantText, parts: Parts, tables: readonly string[]): SqlPiece {
  const slice = ([start, end]: readonly [number, number]): string =>
    text.lines.text.slice(start, end);
  const head = "SELECT (";
  const from = tables.map((name) => `"${name.replaceAll('"', '""')}"`).join(", ");
  const middle = `\n)${from === "" ? "" : ` FROM ${from}`}`;
  const condition = slice(parts.condition);
  const where = parts.where && slice(parts.where);
  const whereAt = head.length + condition.length + middle.length + " WHERE (".length;
  return {
    lines: text.lines,
    sql: `${head}${condition}${middle}${where === undefined ? "" : ` WHERE (${where}\n)`}`,
    start: text.start,
    end: text.end,
    toFile: (offset) => {
      const inWhere = parts.where !== undefined && offset >= whereAt;
      const [start, end] = (inWhere ? parts.where : undefined) ?? parts.condition;
      return Math.max(start, Math.min(end, start + offset - (inWhere ? whereAt : head.length)));
    },
  };
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

/** For a name that nobody knows: one that is spelled much like it, or that has it as its column. */
function hintFor(reason: string, { tables, parameters }: InvariantContext): string {
  const [, name] = /^(\S+) is not known here$/u.exec(reason) ?? [];
  if (name === undefined) return "";
  const qualified = tables.flatMap((each) =>
    each.columns.map((own) => ({ column: own.name, whole: `${each.name}.${own.name}` })),
  );
  if (qualified.some(({ whole }) => whole === name))
    return " A subquery has this table as well; give that one another name.";
  const owners = qualified.filter(({ column }) => column === name).map(({ whole }) => `"${whole}"`);
  if (owners.length > 0) return ` Did you mean ${owners.join(" or ")}?`;
  const all = [...qualified.map(({ whole }) => whole), ...parameters.map((each) => each.name)];
  const near = nearestName(name, all);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

function unknownColumn(
  conditions: readonly Expression[],
  relations: readonly Relation[],
  context: InvariantContext,
): string | undefined {
  for (const condition of conditions)
    for (const each of allParts(condition)) {
      if (each.kind !== "column") continue;
      const name = relations.find(({ alias }) => alias === each.relation)?.table;
      const table = context.tables.find((own) => own.name === name);
      if (!table || table.columns.some((own) => own.name === each.column)) continue;
      const near = nearestName(
        each.column,
        table.columns.map((own) => own.name),
      );
      const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
      return `the table ${table.name} has no column "${each.column}".${hint}`;
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

/** The invariant in a text of its own, as in a configuration file. */
export function invariantText(
  lines: LineIndex,
  origin: Invariant["origin"],
  source?: SourceRange,
): InvariantText {
  const end = lines.text.length;
  return { lines, start: 0, end, origin, source: source ?? rangeOf(lines, 0, end) };
}
