// INSERT and REPLACE of MySQL, MariaDB, SQL Server and SQLite in the AR.
import type { Expression, Query, Relation } from "../../../program/expression";
import type { Table } from "../../../program/schema";
import type { Assignment, InsertStatement, OnConflict } from "../../../program/statement";
import { literal } from "../expressions";
import { completeRow, defaultOf, orderedColumns, withRowsOf } from "../insertRow";
import type { Lowering } from "../lowering";
import { columnsOf, type Scope } from "../nsp/scope";
import { withDistinctNames, emptyQuery } from "../terms";
import { leftToRight } from "./assignments";
import { lowerCondition, lowerValue } from "./lowerExpression";
import { expressions, withLabels, lowerOutputs, lowerQuery, withCtes } from "./lowerQuery";
import type { StatementBase } from "./statementBase";
import type { SyntaxExpression, SyntaxInsert } from "./syntax";
import { isMysql, weaken, type Work } from "./work";

/** An INSERT or REPLACE. */
export function lowerInsert(node: SyntaxInsert, base: StatementBase, before: Work): Lowering {
  const work = withCtes(node.with, undefined, before);
  const { table: name, written = name } = node;
  const table = work.context.table(name);
  const columns = node.columns.length > 0 ? node.columns : orderedColumns(table);
  if (columns.length === 0 && table?.inferred === true && node.rows?.[0]?.length !== 0)
    weaken(work, `the columns of ${name} are not known`);
  const rows = node.rows?.map((row) => {
    const given = row.map((value, at): Assignment => {
      const column = columns[at] ?? `column${at + 1}`;
      return { column, value: given_(value, column, table, work) };
    });
    return completeRow(table, given, work.context.ids);
  });
  const query = node.query === undefined ? emptyQuery([]) : lowerQuery(node.query, undefined, work);
  const conflict = conflictOf(node, columns, work);
  const returning = returningOf(node, table, work);
  const statement: InsertStatement = {
    ...base,
    kind: "insert",
    table: name,
    rows: rows ?? completedQuery(columns, query, table, work),
    ...(conflict === undefined ? {} : { onConflict: conflict }),
    ...(returning === undefined ? {} : { returning: returning.clause }),
    taint: work.taint,
  };
  const insertId = returning?.insertId;
  const named = written === name ? statement : withRowsOf(statement, written, name);
  const isAsked = node.returning !== undefined && returning !== undefined;
  return {
    statements: [named],
    ...(isAsked
      ? {
          result: {
            name: returning.clause.into,
            columns: returning.clause.outputs.map((output) => output.name),
          },
        }
      : {}),
    ...(insertId === undefined ? {} : { insertId }),
  };
}

/** The value for a column. NULL and 0 advance a MySQL AUTO_INCREMENT column. */
function given_(
  node: SyntaxExpression,
  column: string,
  table: Table | undefined,
  work: Work,
): Expression {
  const isDefault = node.kind === "default";
  const counts =
    node.kind === "literal" &&
    (node.value === null || (node.value === 0 && isMysql(work))) &&
    automatic(table) === column;
  return isDefault || counts
    ? defaultOf(table, column, work.context.ids)
    : lowerValue(node, expressions({ sources: [] }, work));
}

/** The auto-increment column of a table. */
function automatic(table: Table | undefined): string | undefined {
  return table?.columns.find(
    ({ default: value }) => value?.kind === "fresh" && value.why === "sequence",
  )?.name;
}

/** INSERT ... SELECT with missing columns as further outputs. */
function completedQuery(
  columns: readonly string[],
  query: Query,
  table: Table | undefined,
  work: Work,
): { readonly columns: readonly string[]; readonly query: Query } {
  const named = columns.slice(0, query.outputs.length);
  const distinct: Query = { ...query, outputs: withDistinctNames(query.outputs) };
  if (table === undefined || table.inferred || query.setOperations.length > 0) {
    return { columns: named, query: distinct };
  }
  const missing = table.columns
    .map((column) => column.name)
    .filter((column) => !named.includes(column));
  const extra = missing.map((column) => ({
    name: column,
    value: defaultOf(table, column, work.context.ids),
  }));
  const outputs = withDistinctNames([...query.outputs, ...extra]);
  return { columns: [...named, ...missing], query: { ...query, outputs } };
}

/** The rows of the table under the name that the statement has for it. */
function relationOf({ table, written = table }: SyntaxInsert): Relation {
  return { alias: written, table, kind: "base", join: "inner" };
}

function conflictOf(
  node: SyntaxInsert,
  columns: readonly string[],
  before: Work,
): OnConflict | undefined {
  const { onConflict } = node;
  if (onConflict === undefined) return undefined;
  const { action, target } = onConflict;
  if (action !== "update") return { target, action, set: [] };
  const { alias, columns: renamed } = onConflict.proposed ?? { alias: "excluded", columns: [] };
  const proposed = {
    aliases: [alias],
    columns: new Map(renamed.map((name, at) => [name, columns[at] ?? name] as const)),
  };
  const work: Work = { ...before, proposed };
  const relation = relationOf(node);
  const scope: Scope = { sources: [{ relation, columns: columnsOf(relation, work) }] };
  const of = expressions(scope, work);
  const set = leftToRight(onConflict.set, relation.alias, of).map((each): Assignment => {
    return { column: each.column, value: each.value };
  });
  const where =
    onConflict.where === undefined ? {} : { where: lowerCondition(onConflict.where, of) };
  return { target, action, set, ...where };
}

function returningOf(
  node: SyntaxInsert,
  table: Table | undefined,
  work: Work,
):
  | { readonly clause: NonNullable<InsertStatement["returning"]>; readonly insertId?: Expression }
  | undefined {
  const relation = relationOf(node);
  const inserted: Relation = { ...relation, alias: "inserted" };
  const columns = columnsOf(relation, work);
  const isOutput = work.dialect === "sqlserver";
  const sources = [{ relation: isOutput ? inserted : relation, columns }];
  const nodes = node.returning ?? [];
  const read = lowerOutputs(nodes, expressions({ sources }, work));
  const asked = work.labelled === true ? withLabels(read, nodes) : read;
  const own = asked.map((output) => ({
    ...output,
    value: ofInserted(output.value, relation.alias),
  }));
  const { wantsInsertId = false } = work.context;
  const column = wantsInsertId === false ? undefined : automatic(table);
  if (own.length === 0 && column === undefined) {
    if (wantsInsertId === true && table?.inferred !== false) {
      weaken(work, "which column the database numbers is not known");
    }
    return undefined;
  }
  const into = work.context.ids.result();
  if (column === undefined) return { clause: { into, outputs: withDistinctNames(own) } };
  const id = { name: column, value: { kind: "column", relation: relation.alias, column } as const };
  const outputs = own.some((output) => output.name === column) ? own : [...own, id];
  const insertId: Expression = { kind: "field", result: into, field: column, at: "first" };
  return { clause: { into, outputs: withDistinctNames(outputs) }, insertId };
}

/** `inserted.a` in OUTPUT is a column of the new row. */
function ofInserted(value: Expression, table: string): Expression {
  if (value.kind === "column" && value.relation === "inserted")
    return { ...value, relation: table };
  return value.kind === "literal" && value.value === null ? literal(null) : value;
}
