// EXPLAIN: a plan in the shape that clients read. Its costs mean nothing.
import type { Dialect } from "../program/dialect";
import type { QueryColumn } from "./compile/node";
import type { SqlQuery, SqlRelation } from "./tree";
import type { SqlStatement } from "./statementTree";
import type { SqlRow, SqlValue } from "./values/value";

/** Rows that EXPLAIN gives. */
export interface Explained {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly SqlRow[];
}

/** The plan of a statement as the product shows it in that format. */
export function explained(
  { statement, format, hasCosts }: Extract<SqlStatement, { readonly kind: "explain" }>,
  dialect: Dialect,
): Explained {
  const columns = explainedColumns(format, dialect);
  if (dialect !== "postgres" && columns.length > 1)
    return { columns, rows: tableRows(planOf(statement), statement, dialect) };
  const lines =
    dialect === "postgres"
      ? planLines(planOf(statement), format, hasCosts)
      : [documentOf(planOf(statement), format)];
  return { columns, rows: lines.map((line) => [line]) };
}

/** The columns of what EXPLAIN gives. */
export function explainedColumns(format: string, dialect: Dialect): readonly QueryColumn[] {
  if (dialect === "postgres")
    return [{ name: "QUERY PLAN", type: format === "json" ? "json" : "text" }];
  if (format === "json" || format === "tree") return [{ name: "EXPLAIN", type: "text" }];
  return dialect === "mysql"
    ? TABLE
    : TABLE.filter(({ name }) => name !== "partitions" && name !== "filtered");
}

/** Of MySQL; MariaDB has those of its older versions. */
const TABLE: readonly QueryColumn[] = [
  { name: "id", type: "int8" },
  ...["select_type", "table", "partitions", "type", "possible_keys", "key", "key_len", "ref"].map(
    (name): QueryColumn => ({ name, type: "text" }),
  ),
  { name: "rows", type: "int8" },
  { name: "filtered", type: "float8" },
  { name: "Extra", type: "text" },
];

/** A row for each table that is read. */
function tableRows(plan: PlanNode, { kind }: SqlStatement, dialect: Dialect): readonly SqlRow[] {
  const select_type = kind === "select" ? "SIMPLE" : kind.toUpperCase();
  const read = relationsIn(plan);
  const facts: readonly ReadonlyMap<string, SqlValue>[] =
    read.length === 0
      ? [new Map([["Extra", "No tables used"]])]
      : read.map(
          (table) =>
            new Map<string, SqlValue>([
              ["table", table],
              ["type", "ALL"],
              ["rows", 1],
              ["filtered", 100],
            ]),
        );
  const columns = explainedColumns("", dialect);
  return facts.map((each) => {
    const row = new Map([...each, ["id", 1], ["select_type", select_type]]);
    return columns.map(({ name }) => row.get(name) ?? null);
  });
}

function relationsIn({ relation, alias, children }: PlanNode): readonly string[] {
  return [
    ...(relation === undefined ? [] : [alias ?? relation]),
    ...children.flatMap((each) => relationsIn(each)),
  ];
}

function documentOf(plan: PlanNode, format: string): string {
  const tables = relationsIn(plan);
  if (format === "tree") return tables.map((each) => `-> Table scan on ${each}\n`).join("");
  const shown = tables.map((table_name) => ({ table: { table_name, access_type: "ALL" } }));
  const [first] = shown;
  const block =
    shown.length > 1 ? { nested_loop: shown } : (first ?? { message: "No tables used" });
  return JSON.stringify({ query_block: { select_id: 1, ...block } }, null, 2);
}

interface PlanNode {
  readonly type: string;
  readonly relation?: string;
  readonly alias?: string;
  readonly children: readonly PlanNode[];
}

/** In text or JSON. */
function planLines(plan: PlanNode, format: string, hasCosts: boolean): readonly string[] {
  if (format === "json") return [JSON.stringify([{ Plan: jsonOf(plan) }], null, 2)];
  return linesOf(plan, 0, hasCosts ? `  ${COST}` : "");
}

const COST = "(cost=0.00..1.00 rows=1 width=0)";

function linesOf(
  { type, relation, alias, children }: PlanNode,
  depth: number,
  end: string,
): readonly string[] {
  const indent = depth === 0 ? "" : `${" ".repeat(6 * depth - 4)}->  `;
  const named = alias === undefined || alias === relation ? "" : ` ${alias}`;
  const on = relation === undefined ? "" : ` on ${relation}${named}`;
  return [
    `${indent}${type}${on}${end}`,
    ...children.flatMap((each) => linesOf(each, depth + 1, end)),
  ];
}

function jsonOf({ type, relation, alias, children }: PlanNode): object {
  return {
    "Node Type": type,
    ...(relation !== undefined && { "Relation Name": relation, Alias: alias ?? relation }),
    "Startup Cost": 0,
    "Total Cost": 1,
    "Plan Rows": 1,
    "Plan Width": 0,
    ...(children.length > 0 && { Plans: children.map(jsonOf) }),
  };
}

function planOf(statement: SqlStatement): PlanNode {
  switch (statement.kind) {
    case "select":
      return queryPlanOf(statement);
    case "insert":
      return change(
        "Insert",
        statement.table,
        statement.source ? [queryPlanOf(statement.source)] : [RESULT],
      );
    case "update":
      return change("Update", "", [relationsOf([statement.target, ...statement.from])]);
    case "delete":
      return change("Delete", statement.targets[0] ?? "", [relationsOf(statement.from)]);
    default:
      return RESULT;
  }
}

const RESULT: PlanNode = { type: "Result", children: [] };

function change(type: string, relation: string, children: readonly PlanNode[]): PlanNode {
  return { type, ...(relation !== "" && { relation }), children };
}

function queryPlanOf({ body, orderBy, limit }: SqlQuery): PlanNode {
  const inner = bodyPlanOf(body);
  const sorted = orderBy.length > 0 ? { type: "Sort", children: [inner] } : inner;
  return limit === undefined ? sorted : { type: "Limit", children: [sorted] };
}

function bodyPlanOf(body: SqlQuery["body"]): PlanNode {
  switch (body.kind) {
    case "values":
      return { type: "Values Scan", relation: '"*VALUES*"', children: [] };
    case "set":
      return { type: "Append", children: [queryPlanOf(body.left), queryPlanOf(body.right)] };
    case "select": {
      const from = relationsOf(body.from);
      return body.groupBy.length > 0 ? { type: "HashAggregate", children: [from] } : from;
    }
  }
}

function relationsOf(relations: readonly SqlRelation[]): PlanNode {
  const [first = RESULT, ...rest] = relations.map(relationOf);
  return rest.reduce((left, right) => ({ type: "Nested Loop", children: [left, right] }), first);
}

function relationOf(relation: SqlRelation): PlanNode {
  switch (relation.kind) {
    case "table":
      return {
        type: "Seq Scan",
        relation: relation.name,
        ...(relation.alias !== undefined && { alias: relation.alias }),
        children: [],
      };
    case "query":
      return queryPlanOf(relation.query);
    case "function":
      return { type: "Function Scan", relation: relation.call.name, children: [] };
    case "join":
      return {
        type: "Nested Loop",
        children: [relationOf(relation.left), relationOf(relation.right)],
      };
  }
}
