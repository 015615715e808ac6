// WITH: named queries. Data-changing ones are separate statements and run before (see statement.ts).
import type { CommonTableExpr, Node, WithClause } from "libpg-query";
import { withColumnNames } from "../terms";
import { kindOf, stringsOf } from "./ast";
import { lowerQuery } from "./recursion";
import { NO_SOURCES, taint, type Cte, type Scope, type Work } from "./scope";

/** The work with the names of a WITH clause. A name that is bound already (it changes data) is kept. */
export function withQueries(
  clause: WithClause | undefined,
  outer: Scope | undefined,
  work: Work,
): Work {
  if (clause === undefined) return work;
  const ctes = new Map(work.ctes);
  const result: Work = { ...work, ctes };
  for (const definition of definitionsOf(clause)) {
    const name = definition.ctename ?? "";
    const known = ctes.get(name);
    if (known !== undefined && changesData(definition)) continue;
    ctes.set(name, queryOf(definition, clause.recursive === true, outer, result));
  }
  return result;
}

/** The WITH clause of a statement. */
export function withClauseOf(node: Node): WithClause | undefined {
  if ("SelectStmt" in node) return node.SelectStmt.withClause;
  if ("InsertStmt" in node) return node.InsertStmt.withClause;
  if ("UpdateStmt" in node) return node.UpdateStmt.withClause;
  if ("DeleteStmt" in node) return node.DeleteStmt.withClause;
  return undefined;
}

/** The definitions of a WITH clause in order. */
export function definitionsOf(clause: WithClause | undefined): readonly CommonTableExpr[] {
  return (clause?.ctes ?? []).flatMap((node) =>
    "CommonTableExpr" in node ? [node.CommonTableExpr] : [],
  );
}

/** True if it is an INSERT, UPDATE, DELETE or MERGE. */
export function changesData(definition: CommonTableExpr): boolean {
  return definition.ctequery !== undefined && !("SelectStmt" in definition.ctequery);
}

function queryOf(
  definition: CommonTableExpr,
  recursive: boolean,
  outer: Scope | undefined,
  work: Work,
): Cte {
  const { ctequery } = definition;
  const names = stringsOf(definition.aliascolnames);
  if (ctequery === undefined || !("SelectStmt" in ctequery)) {
    const kind = ctequery === undefined ? "nothing" : kindOf(ctequery);
    taint(work, `${kind} inside a subquery`, "opaque");
    return { kind: "opaque", columns: names.length > 0 ? names : undefined };
  }
  const { SelectStmt: select } = ctequery;
  if (recursive && select.larg !== undefined && mentions(select.rarg, definition.ctename ?? "")) {
    // The initial rows are read; the recursive ones are unknown.
    taint(work, "WITH RECURSIVE", "approx");
    const start = lowerQuery(select.larg, outer ?? NO_SOURCES, work);
    return { kind: "query", query: withColumnNames(start, names) };
  }
  const query = lowerQuery(select, outer ?? NO_SOURCES, work);
  return { kind: "query", query: withColumnNames(query, names) };
}

function mentions(tree: unknown, name: string): boolean {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part !== "object" || part === null) continue;
    if ("relname" in part && part.relname === name) return true;
    for (const value of Object.values(part)) waiting.push(value as unknown);
  }
  return false;
}
