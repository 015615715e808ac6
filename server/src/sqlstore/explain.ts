// EXPLAIN: a plan in the shape that clients read. Its costs mean nothing.
import type { SqlQuery, SqlRelation } from "./tree";
import type { SqlStatement } from "./statementTree";

interface PlanNode {
  readonly type: string;
  readonly relation?: string;
  readonly alias?: string;
  readonly children: readonly PlanNode[];
}

/** The lines of the plan, in text or JSON. */
export function planLines(statement: SqlStatement, format: string): readonly string[] {
  const plan = planOf(statement);
  if (format === "json") return [JSON.stringify([{ Plan: jsonOf(plan) }], null, 2)];
  return linesOf(plan, 0);
}

const COST = "(cost=0.00..1.00 rows=1 width=0)";

function linesOf({ type, relation, alias, children }: PlanNode, depth: number): readonly string[] {
  const indent = depth === 0 ? "" : `${" ".repeat(6 * depth - 4)}->  `;
  const named = alias === undefined || alias === relation ? "" : ` ${alias}`;
  const on = relation === undefined ? "" : ` on ${relation}${named}`;
  return [
    `${indent}${type}${on}  ${COST}`,
    ...children.flatMap((each) => linesOf(each, depth + 1)),
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
