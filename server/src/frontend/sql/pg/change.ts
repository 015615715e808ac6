// INSERT, UPDATE and DELETE in the AR, one statement each.
import type {
  DeleteStmt,
  InsertStmt,
  Node,
  OnConflictClause,
  RangeVar,
  ReturningClause,
  UpdateStmt,
} from "libpg-query";
import type { Expression, Output, Query, Relation } from "../../../program/expression";
import type { Table } from "../../../program/schema";
import type {
  Assignment,
  InsertStatement,
  OnConflict,
  Returning,
  Statement,
} from "../../../program/statement";
import { literal, TRUE } from "../expressions";
import { completeRow, defaultOf, orderedColumns, withRowsOf } from "../insertRow";
import { withDistinctNames, whereTrue } from "../terms";
import { itemsOf, kindOf, rowOf, tableName } from "./ast";
import { nameOfRelation } from "./relationNames";
import { lowerFrom } from "./from";
import { outputsOf } from "./query";
import { lowerExpression, lowerQuery } from "./recursion";
import {
  lose,
  NO_SOURCES,
  sourceOfRelation,
  taint,
  findView,
  type Scope,
  type Source,
  type Work,
} from "./scope";

/** Shared parts of all statements. */
export interface StatementBase {
  readonly id: string;
  readonly source: Statement["source"];
  readonly text: string;
}

/** The target table of a statement. Changes through views are not followed. */
export function targetOf(relation: RangeVar | undefined, work: Work): Source {
  const table = nameOfRelation(relation, work.context);
  if (findView(table, work) !== undefined) {
    taint(work, `a change through the view ${table}`, "opaque");
  }
  const alias = relation?.alias?.aliasname ?? tableName(relation);
  const target: Relation = { alias, table, kind: "base", join: "inner" };
  return sourceOfRelation(target, work);
}

function returningOf(
  clause: ReturningClause | undefined,
  scope: Scope,
  work: Work,
): Returning | undefined {
  if (clause === undefined) return undefined;
  if ((clause.options ?? []).length > 0) taint(work, "RETURNING WITH");
  return {
    into: work.context.ids.result(),
    outputs: withDistinctNames(outputsOf(clause.exprs, scope, work)),
  };
}

/** INSERT. */
export function lowerInsert(insert: InsertStmt, base: StatementBase, work: Work): Statement {
  const target = targetOf(insert.relation, work);
  const { table: name, alias } = target.relation;
  const table = work.context.table(name);
  const named = (insert.cols ?? []).map((node) => columnName(node, work));
  const columns = named.length > 0 ? named : orderedColumns(table);
  if (columns.length === 0 && table?.inferred === true && insert.selectStmt !== undefined)
    taint(work, `the columns of ${name} are not known`);
  const rows = rowsOf(insert.selectStmt, columns, name, work);
  const scope: Scope = { sources: [target] };
  const onConflict = conflictOf(insert.onConflictClause, table, target, work);
  const returning = returningOf(insert.returningClause, scope, work);
  const statement: InsertStatement = {
    ...base,
    kind: "insert",
    table: name,
    rows,
    ...(onConflict === undefined ? {} : { onConflict }),
    ...(returning === undefined ? {} : { returning }),
    taint: work.taint,
  };
  return alias === name ? statement : withRowsOf(statement, alias, name);
}

function columnName(node: Node, work: Work): string {
  if (!("ResTarget" in node)) return "";
  if ((node.ResTarget.indirection ?? []).length > 0) {
    taint(work, "a part of a column's value is changed");
  }
  return node.ResTarget.name ?? "";
}

function rowsOf(
  node: Node | undefined,
  columns: readonly string[],
  name: string,
  work: Work,
): InsertStatement["rows"] {
  const { ids } = work.context;
  const table = work.context.table(name);
  if (node === undefined) return [completeRow(table, [], ids)];
  if (!("SelectStmt" in node)) {
    taint(work, `rows given by ${kindOf(node)}`, "opaque");
    return [];
  }
  const { SelectStmt: select } = node;
  const { valuesLists, withClause, sortClause, limitCount } = select;
  const isList = (withClause ?? sortClause ?? limitCount) === undefined;
  if (valuesLists !== undefined && isList) {
    return valuesLists.map((list) => {
      const given = itemsOf(list).map((value, at): Assignment => {
        const column = columns[at] ?? `column${at + 1}`;
        return { column, value: valueOrDefault(value, column, table, NO_SOURCES, work) };
      });
      return completeRow(table, given, ids);
    });
  }
  const query = lowerQuery(select, undefined, work);
  const into = columns.length > 0 ? columns.slice(0, query.outputs.length) : [];
  if (columns.length === 0) taint(work, `the columns of ${name} are not known`);
  return completedQuery(into, query, table, work);
}

/** INSERT ... SELECT with missing columns as further outputs. */
export function completedQuery(
  columns: readonly string[],
  query: Query,
  table: Table | undefined,
  work: Work,
): { readonly columns: readonly string[]; readonly query: Query } {
  if (table === undefined || table.inferred) return { columns, query };
  const missing = table.columns.map(({ name }) => name).filter((name) => !columns.includes(name));
  const extra = (): readonly Output[] =>
    missing.map((name) => ({ name, value: defaultOf(table, name, work.context.ids) }));
  const setOperations = query.setOperations.map((each) => {
    return { ...each, query: { ...each.query, outputs: [...each.query.outputs, ...extra()] } };
  });
  return {
    columns: [...columns, ...missing],
    query: { ...query, outputs: [...query.outputs, ...extra()], setOperations },
  };
}

function valueOrDefault(
  node: Node | undefined,
  column: string,
  table: Table | undefined,
  scope: Scope,
  work: Work,
): Expression {
  if (node !== undefined && "SetToDefault" in node) {
    return defaultOf(table, column, work.context.ids);
  }
  return lowerExpression(node, scope, work);
}

function conflictOf(
  clause: OnConflictClause | undefined,
  table: Table | undefined,
  target: Source,
  work: Work,
): OnConflict | undefined {
  if (clause === undefined) return undefined;
  const columns = arbiterOf(clause, table, work);
  if (clause.action !== "ONCONFLICT_UPDATE") {
    return { target: columns, action: "nothing", set: [] };
  }
  const scope: Scope = { sources: [target], excluded: true };
  const set = assignmentsOf(clause.targetList, table, scope, work);
  const { whereClause } = clause;
  return {
    target: columns,
    action: "update",
    set,
    ...(whereClause === undefined
      ? {}
      : { where: whereTrue(lowerExpression(whereClause, scope, work)) }),
  };
}

/** The columns of ON CONFLICT's arbiter key, also by constraint name. */
function arbiterOf(
  clause: OnConflictClause,
  table: Table | undefined,
  work: Work,
): readonly string[] {
  const { infer } = clause;
  if (infer === undefined) return [];
  if (infer.conname !== undefined) {
    const columns = table === undefined ? undefined : constraintColumns(table, infer.conname);
    if (columns === undefined) taint(work, `the constraint ${infer.conname} is not known`);
    return columns ?? [];
  }
  const columns = (infer.indexElems ?? []).map((node) =>
    "IndexElem" in node ? node.IndexElem.name : undefined,
  );
  if (columns.includes(undefined)) {
    taint(work, "ON CONFLICT on an expression");
    return [];
  }
  const names = columns.flatMap((column) => column ?? []);
  if (infer.whereClause !== undefined && !isOnePartialKey(table, names))
    taint(work, "the condition of ON CONFLICT", "outside");
  return names;
}

/** True if these columns have exactly one key and it is partial: the condition beside them must mean that key. */
function isOnePartialKey(table: Table | undefined, columns: readonly string[]): boolean {
  const isSame = (key: readonly string[]): boolean =>
    key.length === columns.length && key.every((column) => columns.includes(column));
  if (table === undefined || table.inferred) return false;
  const keys = table.uniqueKeys.filter((key) => isSame(key.columns));
  const [only] = keys;
  return keys.length === 1 && only?.where !== undefined && !isSame(table.primaryKey);
}

function constraintColumns(table: Table, name: string): readonly string[] | undefined {
  if (name === `${table.name}_pkey`) return table.primaryKey;
  const declared = table.uniqueKeys.find((key) => key.name === name);
  if (declared !== undefined) return declared.columns;
  // PostgreSQL's default names of UNIQUE constraints.
  const usual = table.uniqueKeys.find(
    (key) => `${table.name}_${key.columns.join("_")}_key` === name,
  );
  if (usual !== undefined) return usual.columns;
  return table.uniqueKeys.length === 0 && /_(pk|pkey)$|^pk_/.test(name)
    ? table.primaryKey
    : undefined;
}

/** The SET list, with `(a, b) = (1, 2)` and `(a, b) = (SELECT ...)` expanded. */
function assignmentsOf(
  targets: readonly Node[] | undefined,
  table: Table | undefined,
  scope: Scope,
  work: Work,
): readonly Assignment[] {
  return (targets ?? []).flatMap((node): readonly Assignment[] => {
    if (!("ResTarget" in node)) return [];
    const { name: column = "", val, indirection = [] } = node.ResTarget;
    const value = multiple(val, table, column, scope, work);
    if (indirection.length === 0) return [{ column, value }];
    const [own] = scope.sources;
    const before: readonly Expression[] =
      own === undefined ? [] : [{ kind: "column", relation: own.relation.alias, column }];
    const changed = lose(work, "a part of a column's value is changed", [...before, value]);
    return [{ column, value: changed }];
  });
}

function multiple(
  node: Node | undefined,
  table: Table | undefined,
  column: string,
  scope: Scope,
  work: Work,
): Expression {
  if (node === undefined || !("MultiAssignRef" in node)) {
    return valueOrDefault(node, column, table, scope, work);
  }
  const { source, colno = 1 } = node.MultiAssignRef;
  if (source === undefined) return literal(null);
  const row = rowOf(source);
  if (row !== undefined) return valueOrDefault(row[colno - 1], column, table, scope, work);
  if ("SubLink" in source) {
    const { subselect } = source.SubLink;
    if (subselect !== undefined && "SelectStmt" in subselect) {
      const query = lowerQuery(subselect.SelectStmt, scope, work);
      const output = query.outputs[colno - 1];
      if (output !== undefined && query.setOperations.length === 0) {
        return { kind: "subquery", query: { ...query, outputs: [output] } };
      }
    }
  }
  return lose(work, "several columns set at once", [lowerExpression(source, scope, work)]);
}

/** UPDATE. */
export function lowerUpdate(update: UpdateStmt, base: StatementBase, work: Work): Statement {
  const target = targetOf(update.relation, work);
  const { relations: from, scope } = lowerFrom(update.fromClause, undefined, work, [target]);
  const table = work.context.table(target.relation.table);
  const where = whereOf(update.whereClause, scope, work);
  const set = assignmentsOf(update.targetList, table, scope, work);
  const returning = returningOf(update.returningClause, scope, work);
  return {
    ...base,
    kind: "update",
    relation: target.relation,
    from,
    set,
    where,
    ...(returning === undefined ? {} : { returning }),
    taint: work.taint,
  };
}

/** DELETE. */
export function lowerDelete(deletion: DeleteStmt, base: StatementBase, work: Work): Statement {
  const target = targetOf(deletion.relation, work);
  const { relations: using, scope } = lowerFrom(deletion.usingClause, undefined, work, [target]);
  const where = whereOf(deletion.whereClause, scope, work);
  const returning = returningOf(deletion.returningClause, scope, work);
  return {
    ...base,
    kind: "delete",
    relation: target.relation,
    using,
    where,
    ...(returning === undefined ? {} : { returning }),
    taint: work.taint,
  };
}

function whereOf(node: Node | undefined, scope: Scope, work: Work): Expression {
  if (node === undefined) return TRUE;
  if ("CurrentOfExpr" in node) {
    const cursor = node.CurrentOfExpr.cursor_name ?? "";
    const [own] = scope.sources;
    const row = own === undefined ? undefined : currentRow(cursor, own, work);
    return row ?? lose(work, `WHERE CURRENT OF ${cursor}`, [], "bool");
  }
  return whereTrue(lowerExpression(node, scope, work));
}

/** The current row of a cursor, by its primary key. */
function currentRow(cursor: string, own: Source, work: Work): Expression | undefined {
  const key = work.context.table(own.relation.table)?.primaryKey ?? [];
  const values = key.map((column) => work.context.cursor?.(cursor, column));
  if (key.length === 0 || values.includes(undefined)) return undefined;
  const operands = key.map((column, at): Expression => {
    const left: Expression = { kind: "column", relation: own.relation.alias, column };
    return { kind: "comparison", operator: "=", left, right: values[at] ?? literal(null) };
  });
  const [first] = operands;
  return first !== undefined && operands.length === 1 ? first : { kind: "and", operands };
}
