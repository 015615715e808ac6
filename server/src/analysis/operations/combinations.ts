// Combinations of rows of several relations, as terms over one operation per relation: joins under aggregates, correlated subqueries, and
// tests for join partners.
import type { Expression, Relation } from "../../program/expression";
import { ownEntry } from "../../protocol/dictionary";
import type { Aggregate } from "./aggregatesIn";
import type { Builder, Draft, Scope } from "./builder";
import { addOperation, joinedColumn } from "./builder";
import { flattenExpression, spend } from "./expression";
import { freeColumns } from "./freeColumns";
import type { Operation, Term } from "./operation";
import { equalityOf, selectionOf } from "./selection";
import { tableOf } from "./tables";
import {
  FALSE,
  NULL,
  TRUE,
  and,
  compare,
  conditional,
  int,
  isNull,
  isTrue,
  mentionsRow,
  not,
  or,
} from "./terms";

type Over = Extract<Term, { kind: "over" }>;

export interface Combination {
  readonly relations: readonly Relation[];
  /** Conditions, including those of inner joins. */
  readonly conjuncts: readonly Expression[];
}

interface Member {
  readonly relation: Relation;
  readonly draft: Draft;
}

export interface Combinations {
  /** Relations with many rows first, then those with at most one row per combination before them. */
  readonly members: readonly Member[];
  /** The number of members with many rows. */
  readonly many: number;
  readonly conjuncts: readonly Expression[];
  /** The condition on a combination beyond each relation's own selection; its columns are `joined`. */
  readonly condition: Term;
  /** The columns of the current combination. */
  readonly scope: Scope;
}

/** True if combinations of these relations can be enumerated: tables in inner joins. */
export function canCombine(relations: readonly Relation[]): boolean {
  return (
    relations.length > 0 &&
    relations.every(
      (each, at) =>
        each.kind === "base" && (at === 0 || each.join === "inner" || each.join === "cross"),
    )
  );
}

/** True if the key of each relation is known before the rows of other relations are. */
export function areLookedUp(builder: Builder, { relations, conjuncts }: Combination): boolean {
  const others = conjuncts.flatMap(freeColumns).map((each) => each.relation);
  const unknown = new Set([...others, ...relations.map((each) => each.alias)]);
  const waiting = new Set(relations);
  for (let before = -1; before !== waiting.size;) {
    before = waiting.size;
    for (const relation of waiting) {
      if (!isKeyed(builder, relation, conjuncts, (alias) => !unknown.has(alias))) continue;
      waiting.delete(relation);
      unknown.delete(relation.alias);
    }
  }
  return waiting.size === 0;
}

/** True if equalities with columns of known relations determine the whole key. */
function isKeyed(
  builder: Builder,
  relation: Relation,
  conjuncts: readonly Expression[],
  isKnown: (alias: string) => boolean,
): boolean {
  const bound = conjuncts.flatMap((each) => {
    const equality = equalityOf(each, relation.alias);
    const known = equality && freeColumns(equality.value).every((name) => isKnown(name.relation));
    return known ? [equality.column] : [];
  });
  const { primaryKey } = tableOf(builder.tables, relation.table);
  return primaryKey.every((column) => bound.includes(column));
}

/**
 * Adds an operation per relation, for the rows that satisfy its own conditions. `outer` may name the current row of an enclosing statement.
 * Linear in the relations; terms over the result are evaluated for each combination of rows.
 */
export function combinationsOf(
  builder: Builder,
  { relations, conjuncts }: Combination,
  outer: Scope,
  locks: Partial<Pick<Operation, "lock" | "skipsLocked" | "guard">> = {},
): Combinations {
  // Each relation is compared with those placed before it.
  spend(builder, relations.length ** 2);
  const own = new Set(relations.map((each) => each.alias));
  const columns = new Map<string, (column: string) => Term>();
  const scope: Scope = {
    ...outer,
    column: (alias, column) => columns.get(alias)?.(column) ?? outer.column?.(alias, column),
  };
  // The current outer row is tested with the combination; it does not select a relation's rows.
  const around: Scope = {
    ...outer,
    column: (alias, column) => (own.has(alias) ? undefined : outer.column?.(alias, column)),
  };
  const concerns = (conjunct: Expression, relation: Relation): boolean =>
    freeColumns(conjunct).every(
      ({ relation: alias, column }) =>
        alias === relation.alias || (!own.has(alias) && !atHandIn(outer, alias, column)),
    );
  const used = new Set<Expression>();
  const { order, many } = arranged(builder, relations, conjuncts);
  // The join order is unknown: rows of later relations are visited through rows found before.
  const inTurn = order.length > 1 || outer.perhaps === true;
  const members = order.map((relation) => {
    const alone = conjuncts.filter((each) => !used.has(each) && concerns(each, relation));
    for (const each of alone) used.add(each);
    const { key, where, point } = selectionOf(builder, relation, alone, around);
    const draft = addOperation(builder, {
      kind: "read",
      table: relation.table,
      key,
      where,
      pick: point ? "point" : "all",
      ...locks,
      ...(inTurn && { perhaps: true }),
    });
    columns.set(relation.alias, (column) => joinedColumn(draft, column));
    return { relation, draft };
  });
  const rest = conjuncts.filter((each) => !used.has(each));
  const condition = and(...rest.map((each) => flattenExpression(builder, each, scope)));
  return { members, many, conjuncts, condition, scope };
}

/** The relations in an order in which as many as possible are looked up by key from the ones before. */
function arranged(
  builder: Builder,
  relations: readonly Relation[],
  conjuncts: readonly Expression[],
): { readonly order: readonly Relation[]; readonly many: number } {
  const own = new Set(relations.map((each) => each.alias));
  const isLookedUp = (relation: Relation, known: readonly Relation[]): boolean => {
    const aliases = known.map((each) => each.alias);
    return isKeyed(
      builder,
      relation,
      conjuncts,
      (alias) => aliases.includes(alias) || !own.has(alias),
    );
  };
  const without = (all: readonly Relation[], one: Relation): readonly Relation[] =>
    all.filter((each) => each !== one);
  const many: Relation[] = [];
  let lookedUp: readonly Relation[] = [];
  let waiting = relations;
  while (waiting.length > 0) {
    const known = [...many, ...lookedUp];
    const next = waiting.find((each) => isLookedUp(each, known));
    if (next) lookedUp = [...lookedUp, next];
    else {
      const free = waiting.find((each) => !isLookedUp(each, without(relations, each)));
      many.push(...[free ?? waiting[0]].flatMap((each) => each ?? []));
    }
    const placed = next ?? many.at(-1);
    waiting = waiting.filter((each) => each !== placed);
  }
  return { order: [...many, ...lookedUp], many: many.length };
}

function atHandIn(outer: Scope, alias: string, column: string): boolean {
  const term = outer.column?.(alias, column);
  return term !== undefined && mentionsRow(term);
}

/** A value over all combinations that also satisfy `where`. */
export function overAll(
  { members, many, condition }: Combinations,
  what: Over["function"],
  value: Term = TRUE,
  where: Term = TRUE,
): Term {
  const holds = and(isTrue(condition), isTrue(where));
  const [ranged, lookedUp] = [members.slice(0, many), members.slice(many)];
  if (what !== "total" || ranged.length === 0 || lookedUp.length === 0)
    return nest(members, what, value, holds);
  const summand = mentionsRow(value) ? nest(lookedUp, "first", value, holds) : value;
  return nest(ranged, "total", summand, nest(lookedUp, "exists", TRUE, holds));
}

/** A value over the rows of the first member, and for each of them over those of the next. */
function nest(
  members: Combinations["members"],
  what: Over["function"],
  value: Term,
  where: Term,
): Term {
  const [first, ...others] = members;
  if (first === undefined) return value;
  const { index: operation } = first.draft;
  if (others.length === 0) return { kind: "over", operation, function: what, where, value };
  const inside = nest(others, what, value, where);
  const some = what === "exists" ? inside : nest(others, "exists", TRUE, where);
  const counts = what === "total" || what === "min" || what === "max";
  return {
    kind: "over",
    operation,
    function: what,
    where: counts ? TRUE : some,
    value: what === "exists" ? TRUE : inside,
  };
}

/**
 * An aggregate over all combinations; undefined if it is unknown. `again` gives the same combinations with separate operations, to compare
 * two of them.
 */
export function aggregateOver(
  builder: Builder,
  combinations: Combinations,
  expression: Aggregate,
  again: () => Combinations,
): Term | undefined {
  const value = expression.operand
    ? flattenExpression(builder, expression.operand, combinations.scope)
    : TRUE;
  const present = not(isNull(value));
  const distinct = expression.distinct && expression.operand !== undefined;
  const total = (summand: Term): Term =>
    distinct
      ? overDistinct(builder, combinations, expression.operand, summand, again)
      : overAll(combinations, "total", summand, present);
  const some = overAll(combinations, "exists", TRUE, present);
  switch (expression.function) {
    case "count":
      return total(int(1));
    case "sum":
      return conditional(some, total(value), NULL);
    case "avg":
      builder.losses.add("an average is rounded");
      return { kind: "divide", left: conditional(some, total(value), NULL), right: total(int(1)) };
    case "min":
    case "max":
      return overAll(combinations, expression.function, value, present);
    case "exists":
      return some;
    case "other":
      return undefined;
  }
}

/** The sum over combinations with different values of the operand. */
function overDistinct(
  builder: Builder,
  combinations: Combinations,
  operand: Expression,
  summand: Term,
  again: () => Combinations,
): Term {
  const names = [operand, ...equalsOf(combinations, operand)];
  const keyed = combinations.members.find((each) =>
    names.some((name) => tellsRows(builder, combinations, each, name)),
  );
  const mentioned = freeColumns(operand).map((each) => each.relation);
  const owner = combinations.members.find(({ relation }) => mentioned.includes(relation.alias));
  // One row represents all with its value: the row that has it as key, or the first one.
  const first = keyed ?? owner;
  if (first === undefined) return overAll(combinations, "total", summand);
  const valueIn = ({ scope }: Combinations): Term => flattenExpression(builder, operand, scope);
  const value = valueIn(combinations);
  const where = and(isTrue(combinations.condition), not(isNull(value)));
  const others = combinations.members.filter((each) => each !== first);
  const partners = others.length === 0 ? where : nest(others, "exists", TRUE, where);
  if (keyed)
    return nest(
      [first],
      "total",
      others.length === 0 ? summand : firstOf(others, summand, where),
      partners,
    );
  const second = again();
  const rival = second.members[combinations.members.indexOf(first)];
  const simple = mentioned.every((each) => each === first.relation.alias);
  if (rival === undefined || !simple) {
    builder.losses.add("distinct values of several tables are all counted");
    return overAll(combinations, "total", summand, not(isNull(value)));
  }
  const rivals = [rival, ...second.members.filter((each) => each !== rival)];
  const before = comesBefore(builder, rival.draft, first.draft);
  const equalBefore = and(isTrue(second.condition), compare("=", valueIn(second), value), before);
  const unique = not(nest(rivals, "exists", TRUE, isTrue(equalBefore)));
  return nest([first], "total", summand, and(partners, unique));
}

function firstOf(others: Combinations["members"], value: Term, where: Term): Term {
  return mentionsRow(value) ? nest(others, "first", value, where) : value;
}

/** Columns that a condition equates with a column. */
function equalsOf({ conjuncts }: Combinations, operand: Expression): readonly Expression[] {
  const text = JSON.stringify(operand);
  return conjuncts.flatMap((each) => {
    if (each.kind !== "comparison" || each.operator !== "=") return [];
    if (JSON.stringify(each.left) === text) return [each.right];
    return JSON.stringify(each.right) === text ? [each.left] : [];
  });
}

/** True if the column is unique in the relation. */
function tellsRows(
  builder: Builder,
  { conjuncts }: Combinations,
  { relation, draft }: Combinations["members"][number],
  name: Expression,
): boolean {
  if (name.kind !== "column" || name.relation !== relation.alias) return false;
  const bound = conjuncts.flatMap((each) => {
    const equality = equalityOf(each, relation.alias);
    return equality && freeColumns(equality.value).length === 0 ? [equality.column] : [];
  });
  return tableOf(builder.tables, draft.table).primaryKey.every(
    (column) => column === name.column || bound.includes(column),
  );
}

/** The condition that the first of two rows of a relation has the smaller key. */
function comesBefore(builder: Builder, first: Draft, second: Draft): Term {
  return tableOf(builder.tables, first.table)
    .primaryKey.filter((column) => ownEntry(first.key, column) === undefined)
    .reduceRight<Term>((rest, column) => {
      const [low, high] = [joinedColumn(first, column), joinedColumn(second, column)];
      return or(compare("<", low, high), and(compare("=", low, high), rest));
    }, FALSE);
}
