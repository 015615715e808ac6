// Evaluates queries: joins, grouping, set operations, order and limit. Conditions are tested as soon as their rows are known, so that only
// reads that can matter are recorded.
import type { Expression, LockClause, Query, Relation } from "../program/expression";
import { operandsOf } from "../program/operands";
import { ownEntry, setEntry } from "../protocol/dictionary";
import { ofNode } from "../query/nodes";
import { columnsOf, containsAggregate, queryColumns } from "./columns";
import { evaluate, isTrue } from "./evaluateExpression";
import { NotExecutable, SqlFailure } from "./failure";
import {
  conjuncts,
  WaitFor,
  withRows,
  type Acting,
  type Binding,
  type Frame,
  type ResultRows,
} from "./frame";
import { recordExistence, recordUse, rereadRow } from "./recorder";
import { findTable, type BoundRow, type StoredRow } from "./row";
import { primaryKeys } from "./primaryKeys";
import { isBesideKey, searchRange, soleKey } from "./searchRange";
import { framesOf } from "./setValues";
import { orderValues, renderValue, type SqlValue } from "./value";

/** The rows of a query; a lock clause locks them. An uncorrelated query runs once. */
export function runQuery(query: Query, frame: Frame): ResultRows {
  const known = frame.once?.get(query);
  if (known !== undefined) return known;
  const rows = computeRows(query, frame);
  if (frame.once !== undefined && queryColumns(query).length === 0) frame.once.set(query, rows);
  return rows;
}

function computeRows(query: Query, frame: Frame): ResultRows {
  if (query.setOperations.length > 0)
    return limited(query, ordered(query, combined(query, frame), frame), frame);
  if (query.lock === undefined || frame.acting === undefined) {
    const reading = frame.targets === undefined ? frame : { ...frame, targets: undefined };
    const bindings = joinRelations(query.relations, query.where, reading);
    return limited(query, outputRows(query, bindings, frame), frame);
  }
  const searching = { ...frame, targets: lockedTargets(query.lock, frame.acting, frame) };
  const bindings = searchedRows(query, searching);
  if (!isGrouped(query) && !query.distinct)
    return outputRows(query, lockedRows(query, query.lock, bindings, frame, frame.acting), frame);
  // LIMIT counts groups: all of their rows are locked.
  const { limit: _limit, offset: _offset, ...whole } = query;
  const rows = lockedRows(whole, query.lock, bindings, frame, frame.acting);
  return limited(query, outputRows(query, rows, frame), frame);
}

/**
 * The rows that a query locks while it searches. Where LIMIT counts them in another order than that of the key, the server may come to them
 * in that one, so that it waits for others.
 */
function searchedRows(query: Query, searching: Frame): readonly Binding[] {
  try {
    return joinRelations(query.relations, query.where, searching);
  } catch (problem) {
    if (!(problem instanceof WaitFor)) throw problem;
    if (searching.targets === undefined || query.limit === undefined) throw problem;
    if (isInOrderOfKey(query, searching)) throw problem;
    throw new NotExecutable("a search for the first rows of an order waits before it has them");
  }
}

function isInOrderOfKey({ relations, orderBy }: Query, { schema }: Frame): boolean {
  return orderBy.every(({ value, descending }, at) => {
    const relation = relations.find(({ alias }) => value.kind === "column" && alias === value.relation); // prettier-ignore
    if (descending || value.kind !== "column" || relation?.kind !== "base") return false;
    return findTable(schema, relation.table).primaryKey[at] === value.column;
  });
}

/** The tables in which the clause's relations are searched, where its locks are taken. */
function lockedTargets(clause: LockClause, acting: Acting, frame: Frame): Frame["targets"] {
  const targets = acting.targets?.(clause.strength, clause.wait, "read");
  const reads = frame.tables;
  if (targets === undefined || reads === undefined) return undefined;
  return (alias) => (clause.of.length === 0 || clause.of.includes(alias) ? targets : reads);
}

/** Locks the rows of a query in its order until LIMIT is reached; changed rows are rechecked (EvalPlanQual). */
function lockedRows(
  query: Query,
  clause: LockClause,
  bindings: readonly Binding[],
  frame: Frame,
  acting: Acting,
): readonly Binding[] {
  const { offset, limit } = bounds(query, frame);
  const aliases = query.relations
    .filter(
      (each) => each.kind === "base" && (clause.of.length === 0 || clause.of.includes(each.alias)),
    )
    .map((each) => each.alias);
  const locked: Binding[] = [];
  for (const binding of orderBindings(query, bindings, frame)) {
    if (locked.length >= offset + limit) break;
    const newest = lockBinding(query, clause, aliases, binding, frame, acting);
    if (newest !== undefined) locked.push(newest);
  }
  return locked.slice(offset);
}

function lockBinding(
  query: Query,
  clause: LockClause,
  aliases: readonly string[],
  binding: Binding,
  frame: Frame,
  acting: Acting,
): Binding | undefined {
  let newest = binding;
  let changed = false;
  for (const alias of aliases) {
    const row = ownEntry(binding, alias);
    if (row === undefined || row === null || row.kind === "derived") continue;
    const outcome = acting.lock(row, clause.strength, clause.wait);
    const found =
      outcome.kind === "gone"
        ? outcome.newest
        : outcome.kind === "row" && outcome.changed
          ? outcome.row
          : undefined;
    if (frame.recorder !== undefined && found !== undefined) rereadRow(frame.recorder, row, found);
    if (outcome.kind !== "row") return undefined;
    if (!outcome.changed) continue;
    changed = true;
    newest = { ...newest, [alias]: outcome.row };
  }
  if (!changed) return newest;
  recordUses(newest, frame);
  return qualifies(query.relations, query.where, newest, frame) ? newest : undefined;
}

/** Combinations of one row per relation that satisfy the join conditions and `where`. */
export function joinRelations(
  relations: readonly Relation[],
  where: Expression,
  frame: Frame,
): readonly Binding[] {
  const pending = conjuncts(where).map((condition) => ({
    condition,
    aliases: aliasesOf(condition, relations),
  }));
  const outerLater = relations.map((_, index) =>
    relations.slice(index + 1).some((each) => each.join === "right" || each.join === "full"),
  );
  let bindings: readonly Binding[] = [{}];
  const known = new Set<string>();
  relations.forEach((relation, index) => {
    known.add(relation.alias);
    const ready =
      outerLater[index] === true
        ? []
        : take(pending, (each) => each.aliases.every((alias) => known.has(alias)));
    bindings = joinOne(bindings, relation, ready, relations.slice(0, index), frame);
  });
  const rest = pending.map((each) => each.condition);
  const matching = bindings.filter((binding) => holdAll(rest, withRows(frame, binding)));
  for (const binding of matching) recordUses(binding, frame);
  return matching;
}

/** True if a combination of rows satisfies the inner join conditions and `where`. */
export function qualifies(
  relations: readonly Relation[],
  where: Expression,
  binding: Binding,
  frame: Frame,
): boolean {
  const inside = withRows(frame, binding);
  return (
    relations.every(
      (relation) =>
        relation.on === undefined || relation.join !== "inner" || isTrue(relation.on, inside),
    ) && holdAll(conjuncts(where), inside)
  );
}

/** Result rows for combinations of rows: groups, HAVING, DISTINCT, ORDER BY. */
function outputRows(query: Query, bindings: readonly Binding[], frame: Frame): ResultRows {
  const rows = isGrouped(query)
    ? groupsOf(query, bindings, frame).flatMap((group) => groupOutput(query, group, frame))
    : bindings.flatMap((binding) => outputsOf(query, withRows(frame, binding)));
  const sorted = sortOutputs(query, rows);
  if (query.distinctOn !== undefined) return firstOfEach(sorted).map(({ values }) => values);
  const found = sorted.map(({ values }) => values);
  return query.distinct ? distinctRows(found) : found;
}

/** Sorts combinations of rows by ORDER BY; rows without an order stay in key order. */
function orderBindings(
  query: Query,
  bindings: readonly Binding[],
  frame: Frame,
): readonly Binding[] {
  if (query.orderBy.length === 0) return bindings;
  return bindings
    .map((binding) => ({ binding, keys: sortKeys(query, withRows(frame, binding)) }))
    .sort((a, b) => compareKeys(query, a.keys, b.keys))
    .map((each) => each.binding);
}

/** LIMIT and OFFSET as numbers. */
function bounds(query: Query, frame: Frame): { readonly offset: number; readonly limit: number } {
  return {
    offset: query.offset === undefined ? 0 : (countOf(query.offset, frame) ?? 0),
    limit: query.limit === undefined ? Infinity : (countOf(query.limit, frame) ?? Infinity),
  };
}

interface OutputRow {
  readonly values: Readonly<Record<string, SqlValue>>;
  readonly keys: readonly SqlValue[];
  /** The DISTINCT ON key. */
  readonly on?: string;
}

function joinOne(
  left: readonly Binding[],
  relation: Relation,
  where: readonly { readonly condition: Expression; readonly aliases: readonly string[] }[],
  before: readonly Relation[],
  frame: Frame,
): readonly Binding[] {
  const conditions = where.map((each) => each.condition);
  const inner = relation.join === "inner" || relation.join === "cross";
  const on = conjuncts(relation.on);
  // Conditions on this relation alone are tested during its search.
  const own = [...on, ...(inner ? conditions : [])].filter((condition) =>
    concernsOnly(condition, before),
  );
  const rest = [...on, ...(inner ? conditions : [])].filter(
    (condition) => !own.includes(condition),
  );
  const joined: Binding[] = [];
  const matchedRight = new Set<BoundRow>();
  let candidates: readonly BoundRow[] | undefined;
  const all = (): readonly BoundRow[] => (candidates ??= candidateRows(relation, own, frame));
  const fetched = frame.tables?.withKeys !== undefined && rest.length > 0;
  const keyedAlone = fetched && relation.join !== "right" && relation.join !== "full";
  for (const binding of left) {
    const partners = keyedAlone
      ? keyedRows(relation, own, rest, withRows(frame, binding))
      : undefined;
    const rows =
      relation.lateral === true
        ? candidateRows(relation, own, withRows(frame, binding))
        : (partners ?? all());
    let matched = false;
    for (const row of rows) {
      const both = { ...binding, [relation.alias]: row };
      if (!holdAll(rest, withRows(frame, both))) continue;
      matched = true;
      matchedRight.add(row);
      joined.push(both);
    }
    if (!matched && (relation.join === "left" || relation.join === "full"))
      joined.push({ ...binding, [relation.alias]: null });
  }
  if (relation.join === "right" || relation.join === "full") {
    const missing = Object.fromEntries(before.map((each) => [each.alias, null]));
    for (const row of all())
      if (!matchedRight.has(row)) joined.push({ ...missing, [relation.alias]: row });
  }
  return inner ? joined : joined.filter((binding) => holdAll(conditions, withRows(frame, binding)));
}

/** The rows of one relation that satisfy its own conditions; the search is recorded. */
function candidateRows(
  relation: Relation,
  conditions: readonly Expression[],
  frame: Frame,
): readonly BoundRow[] {
  if (relation.query !== undefined) {
    const rows = runQuery(relation.query, frame).map((values): BoundRow => ({
      kind: "derived",
      values,
    }));
    return rows.filter((row) => holdAll(conditions, withRows(frame, { [relation.alias]: row })));
  }
  if (relation.kind !== "base")
    throw new NotExecutable(
      `what ${relation.table || relation.alias} in FROM gives is not understood`,
    );
  if (frame.tables === undefined) throw new NotExecutable("a query outside of a statement");
  return searchTable(relation, conditions, frame);
}

/** The join partners of a row if the conditions determine the relation's primary key; else undefined. */
function keyedRows(
  relation: Relation,
  own: readonly Expression[],
  joining: readonly Expression[],
  frame: Frame,
): readonly StoredRow[] | undefined {
  if (relation.kind !== "base" || relation.query !== undefined) return undefined;
  const table = findTable(frame.schema, relation.table);
  const keys = primaryKeys(table, relation.alias, [...own, ...joining], frame);
  return keys && searchTable(relation, own, frame, keys);
}

function searchTable(
  relation: Relation,
  conditions: readonly Expression[],
  frame: Frame,
  known?: readonly string[],
): readonly StoredRow[] {
  const table = findTable(frame.schema, relation.table);
  const byKey = (condition: Expression) =>
    columnsOf(condition).every(
      (column) => column.relation !== relation.alias || table.primaryKey.includes(column.column),
    );
  const keyed = conditions.filter(byKey);
  const others = conditions.filter((condition) => !keyed.includes(condition));
  const { recorder } = frame;
  const tables = frame.targets?.(relation.alias) ?? frame.tables;
  const bind = (row: BoundRow) => withRows(frame, { [relation.alias]: row });
  const later: Frame = { ...frame, recorder: undefined, acting: undefined };
  const matches = (row: StoredRow) =>
    holdAll(conditions, withRows(later, { [relation.alias]: row }));
  const range = searchRange(table, relation.alias, conditions);
  recorder?.scans.push({
    table: relation.table,
    matches,
    newest: tables?.search === undefined ? false : "searched",
    key: soleKey(table, relation.alias, conditions),
  });
  // If a condition that concerns no row fails, no row is searched.
  if (!holdAll(conditions.filter(concernsNoRow), frame)) return [];
  const { acting } = frame;
  if (acting !== undefined && frame.once !== undefined)
    for (const query of conditions.flatMap(lockingQueries)) {
      if (isLookup(query, frame)) runQuery(query, frame);
      // The rows that a LIMIT counts are searched as those of its change, anew after each wait.
      else if (tables?.search !== undefined && isLimitOf(relation, query))
        runQuery(query, { ...frame, acting: { ...acting, targets: () => tables } });
    }
  const rows = tables?.search?.(relation.table, {
    inRange: (values) =>
      holdAll(range.conditions, withRows(later, { [relation.alias]: { kind: "derived", values } })),
    point: range.point,
    besideKey: isBesideKey(table, relation.alias, conditions),
    matches,
  });
  const keys =
    tables?.withKeys === undefined
      ? undefined
      : (known ?? primaryKeys(table, relation.alias, conditions, frame));
  const fetched = keys && tables?.withKeys?.(relation.table, keys);
  return (rows ?? fetched ?? tables?.rows(relation.table) ?? []).filter((row) => {
    // The key is the row's identity: comparing it does not read the row.
    const unread: BoundRow = { kind: "derived", values: row.values };
    if (keyed.length > 0 && !holdAll(keyed, bind(unread))) return false;
    if (!row.alive) {
      if (recorder !== undefined && holdAll(others, bind(unread)))
        recordExistence(recorder, row.table, row.key, row);
      return false;
    }
    if (recorder !== undefined) recordExistence(recorder, row.table, row.key, row);
    return others.length === 0 || holdAll(others, bind(row));
  });
}

/** True for a condition that is decided before any row. */
function concernsNoRow(condition: Expression): boolean {
  return columnsOf(condition).length === 0 && !asks(condition);
}

function asks(expression: Expression): boolean {
  return "query" in expression || operandsOf(expression).some(asks);
}

/** True for a primary key lookup, which InnoDB answers before searching (measured). */
function isLookup({ relations, where }: Query, { schema }: Frame): boolean {
  const [relation] = relations;
  if (relations.length !== 1 || relation?.kind !== "base") return false;
  const table = findTable(schema, relation.table);
  return searchRange(table, relation.alias, conjuncts(where)).point;
}

/** True for a query that chooses some of the relation's own rows, as LIMIT of a change does. */
function isLimitOf({ table }: Relation, { relations, limit }: Query): boolean {
  const [own] = relations;
  return (
    limit !== undefined && relations.length === 1 && own?.kind === "base" && own.table === table
  );
}

/** Uncorrelated queries in a condition that lock what they read. */
const lockingQueries: (condition: Expression) => readonly Query[] = ofNode((condition) => {
  const own = "query" in condition && queryColumns(condition.query).length === 0;
  return [
    ...operandsOf(condition).flatMap(lockingQueries),
    ...(own && condition.query.lock !== undefined ? [condition.query] : []),
  ];
});

function holdAll(conditions: readonly Expression[], frame: Frame): boolean {
  return conditions.every((condition) => isTrue(condition, frame));
}

/** The query's relations that a condition mentions; other names belong to enclosing queries. */
function aliasesOf(condition: Expression, relations: readonly Relation[]): readonly string[] {
  const mentioned = new Set(columnsOf(condition).map((column) => column.relation));
  return relations.map((each) => each.alias).filter((alias) => mentioned.has(alias));
}

/** True if the condition mentions none of the relations joined so far. */
function concernsOnly(condition: Expression, before: readonly Relation[]): boolean {
  const mentioned = new Set(columnsOf(condition).map((column) => column.relation));
  return !before.some((each) => mentioned.has(each.alias));
}

function take<T>(items: T[], wanted: (item: T) => boolean): T[] {
  const taken = items.filter(wanted);
  for (const item of taken) items.splice(items.indexOf(item), 1);
  return taken;
}

function recordUses(binding: Binding, frame: Frame): void {
  if (frame.recorder === undefined) return;
  for (const row of Object.values(binding))
    if (row !== null && row.kind === "stored") recordUse(frame.recorder, row);
}

function isGrouped(query: Query): boolean {
  return (
    query.groupBy.length > 0 ||
    query.having !== undefined ||
    query.outputs.some((each) => containsAggregate(each.value)) ||
    query.orderBy.some((each) => containsAggregate(each.value))
  );
}

function groupsOf(
  query: Query,
  bindings: readonly Binding[],
  frame: Frame,
): readonly (readonly Binding[])[] {
  if (query.groupBy.length === 0) return [bindings];
  const groups = new Map<string, Binding[]>();
  for (const binding of bindings) {
    const inside = withRows(frame, binding);
    const key = groupKey(query.groupBy, inside);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [binding]);
    else group.push(binding);
  }
  return [...groups.values()];
}

function groupOutput(query: Query, group: readonly Binding[], frame: Frame): readonly OutputRow[] {
  const first = group[0] ?? Object.fromEntries(query.relations.map((each) => [each.alias, null]));
  const inside = withRows(frame, first, { group });
  if (query.having !== undefined && !isTrue(query.having, inside)) return [];
  return outputsOf(query, inside);
}

function outputsOf(query: Query, inside: Frame): readonly OutputRow[] {
  return framesOf(query, inside, evaluate).map((each) => output(query, each));
}

function output(query: Query, inside: Frame): OutputRow {
  const values: Record<string, SqlValue> = {};
  for (const [index, each] of query.outputs.entries()) {
    const name = Object.hasOwn(values, each.name) ? `${each.name} (${index + 1})` : each.name;
    setEntry(values, name, evaluate(each.value, inside));
  }
  const keys = sortKeys(query, inside);
  if (query.distinctOn === undefined) return { values, keys };
  return { values, keys, on: groupKey(query.distinctOn, inside) };
}

/** The first row of each DISTINCT ON group. */
function firstOfEach(rows: readonly OutputRow[]): readonly OutputRow[] {
  const first = new Map<string | undefined, OutputRow>();
  for (const row of rows) if (!first.has(row.on)) first.set(row.on, row);
  return [...first.values()];
}

function groupKey(by: readonly Expression[], inside: Frame): string {
  return by.map((each) => renderValue(evaluate(each, inside))).join("\u0000");
}

function sortKeys(query: Query, inside: Frame): readonly SqlValue[] {
  return query.orderBy.map((each) => evaluate(each.value, inside));
}

function compareKeys(query: Query, a: readonly SqlValue[], b: readonly SqlValue[]): number {
  for (const [index, each] of query.orderBy.entries()) {
    const order = orderValues(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return each.descending ? -order : order;
  }
  return 0;
}

function sortOutputs(query: Query, rows: readonly OutputRow[]): readonly OutputRow[] {
  if (query.orderBy.length === 0) return rows;
  return [...rows].sort((a, b) => compareKeys(query, a.keys, b.keys));
}

function combined(query: Query, frame: Frame): ResultRows {
  const { limit: _limit, offset: _offset, ...rest } = query;
  let rows = computeRows({ ...rest, setOperations: [], orderBy: [] }, frame);
  for (const operation of query.setOperations) {
    const names = Object.keys(rows[0] ?? {});
    const right = runQuery(operation.query, frame).map((row) => renamed(row, names));
    const inRight = new Set(right.map(rowText));
    if (operation.operator === "union all") rows = [...rows, ...right];
    else if (operation.operator === "union") rows = distinctRows([...rows, ...right]);
    else {
      const wanted = operation.operator === "intersect";
      rows = distinctRows(rows.filter((row) => inRight.has(rowText(row)) === wanted));
    }
  }
  return rows;
}

/** ORDER BY of a set operation, which names output columns. */
function ordered(query: Query, rows: ResultRows, frame: Frame): ResultRows {
  if (query.orderBy.length === 0) return rows;
  const keyed = rows.map((values): OutputRow => {
    const row: BoundRow = { kind: "derived", values };
    const aliases = new Set(
      query.orderBy.flatMap((each) => columnsOf(each.value)).map((each) => each.relation),
    );
    const binding = Object.fromEntries([...aliases].map((alias) => [alias, row]));
    return { values, keys: sortKeys(query, withRows(frame, binding)) };
  });
  return sortOutputs(query, keyed).map((row) => row.values);
}

function renamed(
  row: Readonly<Record<string, SqlValue>>,
  names: readonly string[],
): Readonly<Record<string, SqlValue>> {
  if (names.length === 0) return row;
  return Object.fromEntries(
    Object.values(row).map((value, index) => [names[index] ?? `${index}`, value]),
  );
}

function distinctRows(rows: ResultRows): ResultRows {
  return [...new Map(rows.map((row) => [rowText(row), row])).values()];
}

function rowText(row: Readonly<Record<string, SqlValue>>): string {
  return Object.values(row).map(renderValue).join("\u0000");
}

function limited(query: Query, rows: ResultRows, frame: Frame): ResultRows {
  const { offset, limit } = bounds(query, frame);
  return limit === Infinity && offset === 0 ? rows : rows.slice(offset, offset + limit);
}

function countOf(expression: Expression, frame: Frame): number | undefined {
  const value = evaluate(expression, frame);
  if (value === null) return undefined;
  if (typeof value !== "number") throw new NotExecutable(`LIMIT ${renderValue(value)}`);
  if (value < 0) throw new SqlFailure("2201W", "LIMIT must not be negative");
  return value;
}
