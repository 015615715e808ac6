// Results of Drizzle's queries.
import { unknown, type HandleValue, type RowValue, type Value } from "../../values";
import type { SqlOutcome, Tools } from "../library";
import { partOfRow, withParts, type RowPart } from "../orm/rowParts";
import { rowsOf } from "../rawSql";
import { runDraft } from "./draft";
import { withColumns, type NestedFields, type Query } from "./drizzleParts";

/** Runs a query; gives what the code gets. */
export function runQuery(handle: HandleValue, query: Query, tools: Tools): Value {
  const { draft, nested } = withColumns(query, tools);
  const outcome = runDraft(draft, handle.connection, query.source, tools);
  const rows = withParts(
    resultOf(query, outcome, tools),
    nested.map((each) => partOf(each, "")),
  );
  const whole = query.after ? query.after(rows, handle.connection) : rows;
  return query.returns === "first" ? tools.firstRow(whole) : whole;
}

function partOf({ property, renamed, isThere, nested }: NestedFields, outer: string): RowPart {
  const prefix = `${outer}${property}.`;
  const inner = nested.map((each) => partOf(each, prefix));
  return {
    property,
    prefix,
    renamed,
    ...(isThere !== undefined && { isThere }),
    relatedTo: new Map(
      inner.map((each) => [each.property, (row: RowValue) => partOfRow(row, each)]),
    ),
  };
}

function resultOf(query: Query, outcome: SqlOutcome, tools: Tools): Value {
  if (query.returns === "count") return changeOf(outcome, tools);
  if (query.returns === "ids") {
    const id = outcome.insertId ?? unknown("the number that an INSERT made");
    const key = [...(query.table?.columns ?? [])].find(([, { isKey }]) => isKey)?.[0];
    return tools.list([tools.object({ [key ?? "id"]: id })]);
  }
  return rowsOf(outcome, tools);
}

/** The driver's result for a statement that gives no rows. */
export function changeOf(outcome: SqlOutcome, tools: Tools): Value {
  const { count } = outcome;
  if (tools.dialect === "postgres") return tools.object({ rowCount: count });
  const insertId = outcome.insertId ?? unknown("the number that an INSERT made");
  return tools.dialect === "sqlite"
    ? tools.object({ changes: count, rowsAffected: count, lastInsertRowid: insertId })
    : tools.list([tools.object({ affectedRows: count, insertId })]);
}
