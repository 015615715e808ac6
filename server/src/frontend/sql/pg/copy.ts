// COPY: inserts an unknown number of external rows, or reads a table or query completely.
import type { CopyStmt, Node } from "libpg-query";
import type { Expression, Output } from "../../../program/expression";
import type { InsertStatement } from "../../../program/statement";
import { emptyQuery } from "../terms";
import { stringsOf } from "./ast";
import { ofSession } from "./outside";
import { completedQuery, targetOf, type StatementBase } from "./change";
import { loseColumns, taint, type Work } from "./scope";

/** The query that COPY ... TO exports; undefined for COPY ... FROM. */
export function copiedQuery({ is_from, query, relation, attlist }: CopyStmt): Node | undefined {
  if (is_from === true) return undefined;
  if (query !== undefined) return query;
  if (relation === undefined) return undefined;
  const fields: readonly Node[] = attlist ?? [{ A_Star: {} }];
  const targetList = fields.map((field): Node => {
    return { ResTarget: { val: { ColumnRef: { fields: [field] } } } };
  });
  return { SelectStmt: { targetList, fromClause: [{ RangeVar: relation }] } };
}

/** COPY ... FROM: an insertion of external rows. */
export function lowerCopyFrom(copy: CopyStmt, base: StatementBase, work: Work): InsertStatement {
  const { table: name } = targetOf(copy.relation, work).relation;
  const table = work.context.table(name);
  const named = stringsOf(copy.attlist);
  const isKnown = table !== undefined && !table.inferred;
  if (named.length === 0 && !isKnown) loseColumns(work, name);
  if (copy.whereClause !== undefined) taint(work, "the condition of COPY ... FROM");
  const columns = named.length > 0 ? named : (table?.columns ?? []).map((column) => column.name);
  const given: Expression = {
    kind: "call",
    name: "copy",
    arguments: [ofSession("the data of COPY", work)],
    deterministic: true,
    set: true,
  };
  const outputs = columns.map((column): Output => {
    const value: Expression = {
      kind: "call",
      name: `field ${column}`,
      arguments: [given],
      deterministic: true,
    };
    return { name: column, value };
  });
  const rows = completedQuery(columns, emptyQuery(outputs), table, work);
  return { ...base, kind: "insert", table: name, rows, taint: work.taint };
}
