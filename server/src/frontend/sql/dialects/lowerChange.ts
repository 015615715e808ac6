// UPDATE and DELETE of MySQL, MariaDB, SQL Server and SQLite in the AR, over one table or several.
import type { Expression, Output, Query, Relation } from "../../../program/expression";
import type { Returning, Statement } from "../../../program/statement";
import { TRUE } from "../expressions";
import type { Lowering } from "../lowering";
import { columnsOf, type Source } from "../nsp/scope";
import { withDistinctNames, connective } from "../terms";
import { LAST_INSERT_ID, leftToRight, type LoweredAssignment } from "./assignments";
import { lowerCondition, lowerValue } from "./lowerExpression";
import { expressions, withLabels, lowerOutputs, orderOf, sourcesOf, withCtes } from "./lowerQuery";
import { baseOf, type StatementBase } from "./statementBase";
import type {
  SyntaxAssignment,
  SyntaxDelete,
  SyntaxOutput,
  SyntaxRelation,
  SyntaxUpdate,
} from "./syntax";
import { isMysql, weaken, type Expressions, type Work } from "./work";

/** A change in the AR, or the reason why there is none. */
export type ChangeResult =
  | { readonly ok: true; readonly lowered: Lowering }
  | { readonly ok: false; readonly reason: string };

function refused(reason: string): ChangeResult {
  return { ok: false, reason };
}

/** The relations of a change: the changed one by its name there, and all with their conditions. */
interface Target {
  readonly relation: Relation;
  readonly others: readonly Relation[];
  readonly on: Expression;
  readonly of: Expressions;
}

function targetOf(
  name: string,
  from: readonly SyntaxRelation[],
  work: Work,
): Target | { readonly reason: string } {
  const { scope, relations } = sourcesOf(from, undefined, work);
  const at = relations.findIndex(({ alias, table }) => alias === name || table === name);
  const relation = relations[at];
  if (relation === undefined) return { reason: `${name}, which is not among the tables` };
  if (relation.kind !== "base") return { reason: `a change of ${name}, which is no table` };
  const outer = relations.some(
    ({ join }) => join === "left" || join === "right" || join === "full",
  );
  if (outer) return { reason: "a change over an outer join" };
  const on = connective(
    "and",
    relations.flatMap((each) => (each.on === undefined ? [] : [each.on])),
  );
  const plain = (each: Relation): Relation => {
    const { on: _on, ...rest } = each;
    return { ...rest, join: "inner" };
  };
  const others = relations.filter((_, other) => other !== at).map(plain);
  return { relation: plain(relation), others, on, of: expressions(scope, work) };
}

/** An UPDATE: one AR statement for each changed table. */
export function lowerUpdate(node: SyntaxUpdate, base: StatementBase, before: Work): ChangeResult {
  const work = withCtes(node.with, undefined, before);
  const from = [...aliased(node.tables, node.from), ...node.from];
  const byTable = assignmentsByTable(node.set, from, work);
  const entries = [...byTable];
  if (entries.length > 1 && (node.limit !== undefined || node.orderBy.length > 0)) {
    return refused("ORDER BY or LIMIT in an UPDATE of several tables");
  }
  if (entries.length > 1 && dependsOnOrder(entries, node)) {
    weaken(work, "an UPDATE of several tables that reads what it changes");
  }
  const statements: Statement[] = [];
  let result: Lowering = { statements };
  for (const [name, set] of entries) {
    const target = targetOf(name, from, work);
    if ("reason" in target) return refused(target.reason);
    const { relation, others, on, of } = target;
    const assignments = leftToRight(set, relation.alias, of);
    const where = filterOf(node, target, work);
    if (where === undefined)
      return refused("LIMIT in a change of a table without a key of one column");
    const returning = returningOf(node.returning, assignments, relation, of);
    const own = statements.length === 0 ? base : baseOf(work);
    statements.push({
      ...own,
      ...(entries.length > 1 && { snapshotOf: base.id }),
      kind: "update",
      relation,
      from: others,
      set: assignments
        .filter(({ column }) => !column.startsWith("@"))
        .map(({ column, value }) => ({ column, value })),
      where: connective("and", [on, where]),
      ...(returning === undefined ? {} : { returning: returning.clause }),
      taint: work.taint,
    });
    if (returning !== undefined) result = { ...result, ...returning.lowered };
  }
  return { ok: true, lowered: { ...result, statements } };
}

/** UPDATE a SET ... FROM accounts a: the table after UPDATE is one of those after FROM. */
function aliased(
  tables: readonly SyntaxRelation[],
  from: readonly SyntaxRelation[],
): readonly SyntaxRelation[] {
  return tables.filter(
    ({ table, alias }) => alias !== undefined || !from.some((each) => isNamed(each, table)),
  );
}

/** True for a relation that another clause names so. */
function isNamed({ alias, written, table }: SyntaxRelation, name: string | undefined): boolean {
  return alias === name || written === name || table === name;
}

function assignmentsByTable(
  set: readonly SyntaxAssignment[],
  from: readonly SyntaxRelation[],
  work: Work,
): ReadonlyMap<string, readonly SyntaxAssignment[]> {
  const names = from.map(({ alias, written, table = "" }) => ({
    name: alias ?? written ?? table,
    table,
  }));
  const byTable = new Map<string, SyntaxAssignment[]>();
  for (const each of set) {
    const column = each.path.at(-1) ?? "";
    const qualifier = each.path.at(-2);
    const owner =
      names.find(({ name, table }) => name === qualifier || table === qualifier) ??
      names.find(({ table }) => hasColumn(work, table, column)) ??
      names[0];
    const name = qualifier === undefined ? (owner?.name ?? "") : (owner?.name ?? qualifier);
    byTable.set(name, [...(byTable.get(name) ?? []), each]);
  }
  return byTable;
}

function hasColumn(work: Work, table: string, column: string): boolean {
  return work.context.table(table)?.columns.some(({ name }) => name === column) === true;
}

/** True if a later table's change reads a column that an earlier one changes. */
function dependsOnOrder(
  entries: readonly (readonly [string, readonly SyntaxAssignment[]])[],
  node: SyntaxUpdate,
): boolean {
  const changed = entries.slice(0, -1).flatMap(([, set]) => set.map(({ path }) => path.at(-1)));
  const later = entries.slice(1).flatMap(([, set]) => set.map(({ value }) => value));
  const on = [...node.tables, ...node.from].map((each) => each.on);
  const read = JSON.stringify([later, node.where, on]);
  return changed.some((column) => read.includes(JSON.stringify(column)));
}

/** WHERE with ORDER BY and LIMIT: the rows whose key the same query returns. Undefined if impossible. */
function filterOf(
  node: SyntaxUpdate | SyntaxDelete,
  { relation, of }: Target,
  work: Work,
): Expression | undefined {
  const where = node.where === undefined ? TRUE : lowerCondition(node.where, of);
  if (node.limit === undefined) return where;
  const table = work.context.table(relation.table);
  const key = table?.primaryKey ?? [];
  const isPoint = key.length > 0 && key.every((column) => equates(where, relation.alias, column));
  if (isPoint) return where;
  const [column, ...others] = key;
  if (column === undefined || others.length > 0) return undefined;
  const own: Expression = { kind: "column", relation: relation.alias, column };
  const query: Query = {
    relations: [relation],
    where,
    outputs: [{ name: column, value: own }],
    groupBy: [],
    orderBy: orderOf(node.orderBy, [], of),
    limit: lowerValue(node.limit, of),
    distinct: false,
    setOperations: [],
    // The rows that it counts are those that it locks.
    ...(isMysql(work) && { lock: { strength: "update", of: [], wait: "block" } }),
  };
  return { kind: "inQuery", operand: own, query };
}

/** True if a condition equates a column with a row-independent value. */
function equates(where: Expression, alias: string, column: string): boolean {
  if (where.kind === "and") return where.operands.some((each) => equates(each, alias, column));
  if (where.kind !== "comparison" || where.operator !== "=") return false;
  const isOwn = (side: Expression): boolean =>
    side.kind === "column" && side.relation === alias && side.column === column;
  return (
    (isOwn(where.left) && where.right.kind !== "column") ||
    (isOwn(where.right) && where.left.kind !== "column")
  );
}

interface ReturningResult {
  readonly clause: Returning;
  readonly lowered: Pick<Lowering, "result" | "targets" | "insertId">;
}

/** RETURNING, OUTPUT and variables in SET. */
function returningOf(
  nodes: readonly SyntaxOutput[] | undefined,
  assignments: readonly LoweredAssignment[],
  relation: Relation,
  of: Expressions,
): ReturningResult | undefined {
  const { work } = of;
  const columns = columnsOf(relation, work);
  const pseudo = (alias: string): Source => ({ relation: { ...relation, alias }, columns });
  const versions = work.dialect === "sqlserver" ? [pseudo("inserted"), pseudo("deleted")] : [];
  const scope = { sources: [...of.scope.sources, ...versions] };
  const read = lowerOutputs(nodes ?? [], expressions(scope, work));
  const asked = (work.labelled === true ? withLabels(read, nodes ?? []) : read).map((output) => ({
    ...output,
    value: current(output.value, assignments, relation.alias, work),
  }));
  const kept = assignments.flatMap(
    ({ column, value, variable }): readonly (Output & { variable: string })[] => {
      if (column.startsWith("@")) {
        return [
          {
            name: column,
            value: current(value, assignments, relation.alias, work),
            variable: column,
          },
        ];
      }
      if (variable === undefined) return [];
      return [
        { name: variable, value: { kind: "column", relation: relation.alias, column }, variable },
      ];
    },
  );
  if (asked.length + kept.length === 0) return undefined;
  const into = work.context.ids.result();
  const outputs = withDistinctNames([
    ...asked,
    ...kept.map(({ name, value }) => ({ name, value })),
  ]);
  const own = outputs.slice(0, asked.length);
  const names = outputs.slice(asked.length).map(({ name }) => name);
  const targets = kept
    .map(({ variable }, at) => ({ variable, column: names[at] ?? variable }))
    .filter(({ variable }) => variable !== LAST_INSERT_ID);
  const id = kept.findIndex(({ variable }) => variable === LAST_INSERT_ID);
  const insertId: Expression = { kind: "field", result: into, field: names[id] ?? "", at: "first" };
  return {
    clause: { into, outputs },
    lowered: {
      ...(outputs.length === 0
        ? {}
        : { result: { name: into, columns: own.map(({ name }) => name) } }),
      ...(targets.length === 0 ? {} : { targets }),
      ...(id < 0 ? {} : { insertId }),
    },
  };
}

/** A returned value over the new row; the old value of a column is only known if it did not change. */
function current(
  value: Expression,
  assignments: readonly LoweredAssignment[],
  alias: string,
  work: Work,
): Expression {
  if (value.kind !== "column") return value;
  const isChanged = assignments.some(({ column }) => column === value.column);
  if (value.relation === "deleted" && isChanged) {
    weaken(work, `the value of ${value.column} before the change`);
  }
  return value.relation === "deleted" || value.relation === "inserted"
    ? { ...value, relation: alias }
    : value;
}

/** A DELETE from one table, possibly joined with others. */
export function lowerDelete(node: SyntaxDelete, base: StatementBase, before: Work): ChangeResult {
  const work = withCtes(node.with, undefined, before);
  const [name = "", ...others] = node.targets;
  if (others.length > 0) return refused("a DELETE from several tables");
  const isJoined = node.from.some((each) => isNamed(each, name));
  const from = isJoined || !isMysql(work) ? [...node.from] : [];
  if (!isJoined) from.unshift(plain(name));
  const target = targetOf(name, from, work);
  if ("reason" in target) return refused(target.reason);
  const where = filterOf(node, target, work);
  if (where === undefined)
    return refused("LIMIT in a change of a table without a key of one column");
  const { relation, others: using, on, of } = target;
  const returning = returningOf(node.returning, [], relation, of);
  const statement: Statement = {
    ...base,
    kind: "delete",
    relation,
    using,
    where: connective("and", [on, where]),
    ...(returning === undefined ? {} : { returning: returning.clause }),
    taint: work.taint,
  };
  return { ok: true, lowered: { statements: [statement], ...returning?.lowered } };
}

function plain(table: string): SyntaxRelation {
  return { table, columns: [], join: "inner", natural: false, using: [], hints: [] };
}
