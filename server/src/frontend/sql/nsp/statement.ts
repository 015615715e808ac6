// Statements by node-sql-parser: the light path when PostgreSQL's own parser is missing or refuses the text.
import type { Expression, Output, Relation } from "../../../program/expression";
import type { Assignment, OnConflict, Statement } from "../../../program/statement";
import { TRUE } from "../expressions";
import { completeRow, defaultOf } from "../insertRow";
import { liftLockClause } from "../lockClause";
import { sourceOf, textOf, type Lowering, type LoweringContext } from "../lowering";
import { withDistinctNames } from "../terms";
import { tokensOf } from "../text/tokens";
import { child, children, identifier, isNode, text, type Node } from "./ast";
import { lowerExpression } from "./expression";
import type { NspParse } from "./parse";
import { lowerQuery, lowerSubquery, outputsOf } from "./query";
import { columnsOf, startWork, type Scope, type Work } from "./scope";

export type NspResult =
  | { readonly ok: true; readonly lowered: Lowering }
  /** `offset` is the position in the piece's `sql` where the parser stopped. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** SELECT, INSERT, UPDATE and DELETE in the AR; others, and those that this parser misreads, are refused. */
export function lowerWithNsp(
  context: LoweringContext,
  parse: (sql: string) => NspParse,
): NspResult {
  const { sql } = context.piece;
  const { sql: unlocked, lock, nested } = liftLockClause(sql);
  if (nested) return refused("a lock clause in a subquery");
  if (misread(sql)) return refused("a construct that the light parser misreads");
  const parsed = parse(withoutParameterCasts(unlocked));
  if (!parsed.ok) return parsed;
  const source = sourceOf(context.piece);
  const work = startWork(context, lowerSubquery);
  const node = parsed.node;
  const scope: Scope = { sources: [] };
  const base = { id: context.ids.statement(), source, text: textOf(context.piece) };
  switch (node["type"]) {
    case "select": {
      const lowered = lowerQuery(node, undefined, work);
      const query = { ...lowered, outputs: withDistinctNames(lowered.outputs) };
      const into = context.ids.result();
      const locked = lock === undefined ? query : { ...query, lock };
      const columns = query.outputs.map((output) => output.name);
      return done(
        { ...base, kind: "select", query: locked, into, discarded: false, taint: work.taint },
        { name: into, columns },
      );
    }
    case "insert":
      return lock === undefined ? insert(node, base, work, scope) : refused("a lock clause");
    case "update":
    case "delete":
      return lock === undefined ? change(node, node["type"], base, work) : refused("a lock clause");
    default:
      return refused(`a statement of kind ${String(node["type"])}`);
  }
}

interface Base {
  readonly id: string;
  readonly source: Statement["source"];
  readonly text: string;
}

function refused(message: string): NspResult {
  return { ok: false, message, offset: 0 };
}

function done(statement: Statement, result?: Lowering["result"]): NspResult {
  const statements = [statement];
  return { ok: true, lowered: result === undefined ? { statements } : { statements, result } };
}

/** The text with `::type` after `$n` blanked: a parameter has its column's type anyway. */
function withoutParameterCasts(sql: string): string {
  if (!/\$\d+\s*::/.test(sql)) return sql;
  const tokens = tokensOf(sql, 0, sql.length);
  let text = sql;
  tokens.forEach((token, at) => {
    const type = tokens[at + 2];
    const isCast = token.kind === "placeholder" && tokens[at + 1]?.word === "::";
    if (!isCast || type?.kind !== "word" || tokens[at + 3]?.word === "[") return;
    const start = token.end;
    text = text.slice(0, start) + " ".repeat(type.end - start) + text.slice(type.end);
  });
  return text;
}

/**
 * Words that node-sql-parser silently misreads as an alias or table, backslashes that it reads as escapes, and data changes and recursion
 * in WITH, which this lowering would take for plain queries.
 */
function misread(sql: string): boolean {
  return /\\|\bwith\s+recursive\b|\bas\s*(?:not\s+)?(?:materialized\s*)?\(\s*(?:insert|update|delete|merge)\b|\b(cross|natural)\s+join\b|\b(update|from)\s+only\b|\b(isnull|notnull)\b|\bwith\s+ordinality\b|\blateral\b/i.test(
    sql,
  );
}

function targetOf(node: Node): Relation {
  const [target] = children(node, "table");
  const table = identifier(target, "table") ?? "";
  return { alias: text(target, "as") ?? table, table, kind: "base", join: "inner" };
}

function insert(node: Node, base: Base, work: Work, empty: Scope): NspResult {
  const relation = targetOf(node);
  const { table: name } = relation;
  const table = work.context.table(name);
  const named = children(node, "columns").map((each) => identifierOf(each));
  const columns = named.length > 0 ? named : (table?.columns.map((column) => column.name) ?? []);
  const values = child(node, "values");
  const scope: Scope = { sources: [{ relation, columns: columnsOf(relation, work) }] };
  const returning = returningOf(node, scope, work);
  const conflict = conflictOf(child(node, "conflict"), scope, work);
  const rest = {
    ...(conflict === undefined ? {} : { onConflict: conflict }),
    ...(returning === undefined ? {} : { returning }),
  };
  const result = resultOf(returning);
  if (values?.["type"] === "values") {
    const rows = children(values, "values").map((row) => {
      const given = children(row, "value").map((value, at): Assignment => {
        const column = columns[at] ?? `column${at + 1}`;
        return { column, value: valueOrDefault(value, column, name, empty, work) };
      });
      return completeRow(table, given, work.context.ids);
    });
    return done({ ...base, kind: "insert", table: name, rows, ...rest, taint: work.taint }, result);
  }
  const query = lowerQuery(values ?? {}, undefined, work);
  const into = columns.length > 0 ? columns.slice(0, query.outputs.length) : [];
  const filled = completedQuery(into, query, name, work);
  return done(
    { ...base, kind: "insert", table: name, rows: filled, ...rest, taint: work.taint },
    result,
  );
}

/** INSERT ... SELECT with missing columns as further outputs. */
function completedQuery(
  columns: readonly string[],
  query: ReturnType<typeof lowerQuery>,
  name: string,
  work: Work,
): { readonly columns: readonly string[]; readonly query: ReturnType<typeof lowerQuery> } {
  const table = work.context.table(name);
  if (table === undefined || table.inferred || query.setOperations.length > 0) {
    return { columns, query };
  }
  const missing = table.columns
    .map(({ name: column }) => column)
    .filter((column) => !columns.includes(column));
  const extra = missing.map((column): Output => {
    return { name: column, value: defaultOf(table, column, work.context.ids) };
  });
  return {
    columns: [...columns, ...missing],
    query: { ...query, outputs: [...query.outputs, ...extra] },
  };
}

function identifierOf(node: Node): string {
  return node["type"] === "column_ref"
    ? (identifier(node, "column") ?? "")
    : (identifier({ name: node }, "name") ?? "");
}

function valueOrDefault(
  node: Node,
  column: string,
  table: string,
  scope: Scope,
  work: Work,
): Expression {
  const isDefault = node["type"] === "column_ref" && identifier(node, "column") === "default";
  return isDefault
    ? defaultOf(work.context.table(table), column, work.context.ids)
    : lowerExpression(node, scope, work);
}

function conflictOf(node: Node | undefined, scope: Scope, work: Work): OnConflict | undefined {
  if (node === undefined) return undefined;
  const target = children(child(node, "target"), "expr").map((each) => identifierOf(each));
  const action = child(child(node, "action"), "expr");
  if (action?.["type"] !== "update") return { target, action: "nothing", set: [] };
  const [own] = scope.sources;
  const table = own?.relation.table ?? "";
  const wider: Scope = { ...scope, excluded: true };
  const set = children(action, "set").map((each): Assignment => {
    const column = identifierOf(each);
    const value = valueOrDefault(child(each, "value") ?? {}, column, table, wider, work);
    return { column, value };
  });
  const where = child(action, "where");
  if (where === undefined) return { target, action: "update", set };
  return { target, action: "update", set, where: lowerExpression(where, wider, work) };
}

function returningOf(node: Node, scope: Scope, work: Work) {
  const clause = child(node, "returning");
  if (clause === undefined) return undefined;
  const outputs = withDistinctNames(outputsOf(children(clause, "columns"), scope, work));
  return { into: work.context.ids.result(), outputs };
}

function resultOf(
  returning: { readonly into: string; readonly outputs: readonly Output[] } | undefined,
): Lowering["result"] {
  if (returning === undefined) return undefined;
  return { name: returning.into, columns: returning.outputs.map((output) => output.name) };
}

function change(node: Node, kind: "update" | "delete", base: Base, work: Work): NspResult {
  if (children(node, "with").length > 0) return refused("a WITH clause before a change");
  const relation = targetOf(node);
  const own = { relation, columns: columnsOf(relation, work) };
  const others = (kind === "update" ? children(node, "from") : []).map((each): Relation => {
    const table = identifier(each, "table") ?? "";
    return { alias: text(each, "as") ?? table, table, kind: "base", join: "inner" };
  });
  const plain = (kind === "update" ? children(node, "from") : []).every(
    (each) => identifier(each, "table") !== undefined && each["join"] === undefined,
  );
  if (!plain) return refused("a join in UPDATE ... FROM");
  const sources = [
    own,
    ...others.map((each) => ({ relation: each, columns: columnsOf(each, work) })),
  ];
  const scope: Scope = { sources };
  const where = isNode(node["where"]) ? lowerExpression(child(node, "where"), scope, work) : TRUE;
  const set = children(node, "set").map((each): Assignment => {
    const column = identifierOf(each);
    const value = valueOrDefault(child(each, "value") ?? {}, column, relation.table, scope, work);
    return { column, value };
  });
  const returning = returningOf(node, scope, work);
  const withReturning = returning === undefined ? {} : { returning };
  const result = resultOf(returning);
  const common = { ...base, relation, where, ...withReturning, taint: work.taint };
  return kind === "update"
    ? done({ ...common, kind, from: others, set }, result)
    : done({ ...common, kind, using: [] }, result);
}
