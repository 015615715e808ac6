// INSERT, UPDATE and DELETE of PostgreSQL's parse tree.
import type {
  DeleteStmt,
  InsertStmt,
  MergeStmt,
  MergeWhenClause,
  Node,
  OnConflictClause,
  UpdateStmt,
} from "libpg-query";
import {} from "../../frontend/sql/pg/ast";
import { unsupported } from "../sqlError";
import type {
  MergeClause,
  SqlAssignment,
  SqlChange,
  SqlConflict,
  SqlDelete,
  SqlExpression,
  SqlInsert,
  SqlMerge,
  SqlUpdate,
} from "../tree";
import { aliasOf, nameOf } from "./relationNames";
import { expressionOf } from "./expression";
import { outputsOf, relationOf, withOf } from "./query";
import { queryOf } from "./recursion";

/** The change that a node is; undefined for other statements. */
export function translatedChange(node: Node): SqlChange | undefined {
  if ("InsertStmt" in node) return insertOf(node.InsertStmt);
  if ("UpdateStmt" in node) return updateOf(node.UpdateStmt);
  if ("DeleteStmt" in node) return deleteOf(node.DeleteStmt);
  if ("MergeStmt" in node) return mergeOf(node.MergeStmt);
  return undefined;
}

function insertOf(node: InsertStmt): SqlInsert {
  const { relation, cols = [], selectStmt, onConflictClause, override } = node;
  const source =
    selectStmt !== undefined && "SelectStmt" in selectStmt
      ? queryOf(selectStmt.SelectStmt)
      : undefined;
  const alias = relation && aliasOf(relation);
  return {
    kind: "insert",
    with: withOf(node.withClause),
    table: nameOf(relation),
    ...(alias !== undefined && { alias }),
    columns: namesOf(cols),
    ...(source === undefined ? {} : { source }),
    ...overridingOf(override),
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
  const parts = (infer?.indexElems ?? []).flatMap((each) =>
    "IndexElem" in each ? [each.IndexElem] : [],
  );
  const target = parts.flatMap(({ name = "" }) => (name === "" ? [] : [name]));
  const expressions = parts.flatMap(({ expr }) => (expr === undefined ? [] : [expressionOf(expr)]));
  return {
    action: action === "ONCONFLICT_UPDATE" ? "update" : "nothing",
    ...(parts.length === 0 ? {} : { target }),
    ...(expressions.length > 0 && { expressions }),
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

function mergeOf(node: MergeStmt): SqlMerge {
  const { relation, sourceRelation, joinCondition, mergeWhenClauses = [] } = node;
  const target = relation && relationOf({ RangeVar: relation });
  if (target?.kind !== "table" || sourceRelation === undefined) throw unsupported("this MERGE");
  return {
    kind: "merge",
    with: withOf(node.withClause),
    target,
    source: relationOf(sourceRelation),
    on: joinCondition === undefined ? { kind: "null" } : expressionOf(joinCondition),
    clauses: mergeWhenClauses.flatMap((each) =>
      "MergeWhenClause" in each ? [mergeClause(each.MergeWhenClause)] : [],
    ),
    ...returningOf(node.returningClause?.exprs),
  };
}

function mergeClause(node: MergeWhenClause): MergeClause {
  const { matchKind, commandType, condition, targetList, values, override } = node;
  if (matchKind === "MERGE_WHEN_NOT_MATCHED_BY_SOURCE")
    throw unsupported("WHEN NOT MATCHED BY SOURCE");
  const when = {
    isMatched: matchKind === "MERGE_WHEN_MATCHED",
    ...(condition && { condition: expressionOf(condition) }),
  };
  switch (commandType) {
    case "CMD_UPDATE":
      return { ...when, action: "update", set: assignmentsOf(targetList) };
    case "CMD_DELETE":
      return { ...when, action: "delete" };
    case "CMD_INSERT":
      return {
        ...when,
        action: "insert",
        columns: namesOf(targetList),
        ...(values && values.length > 0 && { values: values.map(expressionOf) }),
        ...overridingOf(override),
      };
    default:
      return { ...when, action: "nothing" };
  }
}

function namesOf(targets: readonly Node[] = []): readonly string[] {
  return targets.flatMap((each) => ("ResTarget" in each ? [each.ResTarget.name ?? ""] : []));
}

function overridingOf(override: InsertStmt["override"]): Pick<SqlInsert, "overriding"> {
  if (override === "OVERRIDING_SYSTEM_VALUE") return { overriding: "system" };
  return override === "OVERRIDING_USER_VALUE" ? { overriding: "user" } : {};
}
