// INSERT, UPDATE and DELETE of PostgreSQL's parse tree.
import type { DeleteStmt, InsertStmt, Node, OnConflictClause, UpdateStmt } from "libpg-query";
import { tableName } from "../../frontend/sql/pg/ast";
import { unsupported } from "../sqlError";
import type {
  SqlAssignment,
  SqlChange,
  SqlConflict,
  SqlDelete,
  SqlExpression,
  SqlInsert,
  SqlUpdate,
} from "../tree";
import { expressionOf } from "./expression";
import { outputsOf, relationOf, withOf } from "./query";
import { queryOf } from "./recursion";

/** The change that a node is; undefined for other statements. */
export function translatedChange(node: Node): SqlChange | undefined {
  if ("InsertStmt" in node) return insertOf(node.InsertStmt);
  if ("UpdateStmt" in node) return updateOf(node.UpdateStmt);
  if ("DeleteStmt" in node) return deleteOf(node.DeleteStmt);
  if ("MergeStmt" in node) throw unsupported("MERGE");
  return undefined;
}

function insertOf(node: InsertStmt): SqlInsert {
  const { relation, cols = [], selectStmt, onConflictClause, override } = node;
  const source =
    selectStmt !== undefined && "SelectStmt" in selectStmt
      ? queryOf(selectStmt.SelectStmt)
      : undefined;
  return {
    kind: "insert",
    with: withOf(node.withClause),
    table: tableName(relation),
    ...(relation?.alias?.aliasname === undefined ? {} : { alias: relation.alias.aliasname }),
    columns: cols.flatMap((each) => ("ResTarget" in each ? [each.ResTarget.name ?? ""] : [])),
    ...(source === undefined ? {} : { source }),
    ...(override === "OVERRIDING_SYSTEM_VALUE"
      ? { overriding: "system" as const }
      : override === "OVERRIDING_USER_VALUE"
        ? { overriding: "user" as const }
        : {}),
    ...(onConflictClause === undefined ? {} : { conflict: conflictOf(onConflictClause) }),
    ...returningOf(node.returningClause?.exprs),
  };
}

function returningOf(list: readonly Node[] | undefined): {
  readonly returning?: ReturnType<typeof outputsOf>;
} {
  return list === undefined || list.length === 0 ? {} : { returning: outputsOf(list) };
}

function conflictOf(node: OnConflictClause): SqlConflict {
  const { action, infer, targetList, whereClause } = node;
  const target = (infer?.indexElems ?? []).map((each) => {
    if (!("IndexElem" in each) || each.IndexElem.name === undefined) {
      throw unsupported("ON CONFLICT on an expression");
    }
    return each.IndexElem.name;
  });
  return {
    action: action === "ONCONFLICT_UPDATE" ? "update" : "nothing",
    ...(target.length === 0 ? {} : { target }),
    ...(infer?.conname === undefined || infer.conname === "" ? {} : { constraint: infer.conname }),
    set: assignmentsOf(targetList),
    ...(whereClause === undefined ? {} : { where: expressionOf(whereClause) }),
    proposed: { alias: "excluded", columns: [] },
  };
}

function assignmentsOf(nodes: readonly Node[] | undefined): readonly SqlAssignment[] {
  return (nodes ?? []).flatMap((node): readonly SqlAssignment[] => {
    if (!("ResTarget" in node) || node.ResTarget.val === undefined) return [];
    const { name = "", val, indirection } = node.ResTarget;
    if (indirection !== undefined) throw unsupported("an assignment to a part of a column");
    return [
      {
        path: [name],
        value: "MultiAssignRef" in val ? partOf(val.MultiAssignRef) : expressionOf(val),
      },
    ];
  });
}

/** One column of `(a, b) = (1, 2)` or `(a, b) = (SELECT ...)`. */
function partOf(
  node: Extract<Node, { readonly MultiAssignRef: unknown }>["MultiAssignRef"],
): SqlExpression {
  const { source, colno = 1 } = node;
  const value: SqlExpression = source === undefined ? { kind: "null" } : expressionOf(source);
  if (value.kind === "row") return value.values[colno - 1] ?? { kind: "null" };
  if (value.kind !== "query") return value;
  const { body } = value.query;
  if (body.kind !== "select") throw unsupported("a row assigned from this query");
  const output = body.outputs[colno - 1];
  if (output === undefined || body.outputs.some((each) => each.value.kind === "star")) {
    throw unsupported("a row assigned from this query");
  }
  return { kind: "query", query: { ...value.query, body: { ...body, outputs: [output] } } };
}

function updateOf(node: UpdateStmt): SqlUpdate {
  const { relation, targetList, whereClause, fromClause = [] } = node;
  if (relation === undefined) throw unsupported("this UPDATE");
  return {
    kind: "update",
    with: withOf(node.withClause),
    target: relationOf({ RangeVar: relation }),
    set: assignmentsOf(targetList),
    from: fromClause.map(relationOf),
    ...(whereClause === undefined ? {} : { where: expressionOf(whereClause) }),
    orderBy: [],
    ...returningOf(node.returningClause?.exprs),
  };
}

function deleteOf(node: DeleteStmt): SqlDelete {
  const { relation, whereClause, usingClause = [] } = node;
  if (relation === undefined) throw unsupported("this DELETE");
  const target = relationOf({ RangeVar: relation });
  const name = target.kind === "table" ? (target.alias ?? target.name) : "";
  return {
    kind: "delete",
    with: withOf(node.withClause),
    targets: [name],
    from: [target, ...usingClause.map(relationOf)],
    ...(whereClause === undefined ? {} : { where: expressionOf(whereClause) }),
    orderBy: [],
    ...returningOf(node.returningClause?.exprs),
  };
}
