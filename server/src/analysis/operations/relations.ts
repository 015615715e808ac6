// The relations of a statement, one operation each: their order, and the conditions that select their rows.
import { conjunctsOf } from "../../program/operands";
import type { Expression, LockClause, Query, Relation } from "../../program/expression";
import { ownEntry } from "../../protocol/dictionary";
import type { Builder, Draft, ResultTerms, Scope } from "./builder";
import { addOperation, inDoubt, outputOf, perhaps, unknownTerm } from "./builder";
import { flattenExpression } from "./expression";
import { freeColumns } from "./freeColumns";
import type { Operation, Term } from "./operation";
import { combinationsOf, overAll } from "./combinations";
import type { Combination } from "./combinations";
import { atHand, equalityOf, relationsIn, selectionOf } from "./selection";
import type { Selection } from "./selection";
import { tableOf } from "./tables";
import { FALSE, TRUE, NULL, and, compare, isTrue, mentionsRow, or } from "./terms";

export interface RelationPlacement {
  /** Columns of the relations placed so far, without the current row. */
  readonly scope: Scope;
  /** True if all of them have a row. */
  readonly found: Term;
  /** The operations of base relations, in order. */
  readonly drafts: readonly { readonly alias: string; readonly draft: Draft }[];
}

export interface Placing {
  readonly conjuncts: readonly Expression[];
  readonly outer: Scope;
  readonly lock?: LockClause | undefined;
  /** True if not all rows may be visited: those after the first are locked one by one, if at all. */
  readonly isLimited?: boolean;
  /** The order of the first relation's rows. */
  readonly orderBy?: Operation["orderBy"];
  /** The condition that its row is the requested one, if no column's order says so. */
  readonly rank?: Term | undefined;
  /** The relation that the caller handles: it comes last and has the current row. */
  readonly target?: Relation | undefined;
  /** Selects the relation's next row after the one that an operation selected. */
  readonly behind?: { readonly alias: string; readonly draft: Draft } | undefined;
  /** True if other relations do not depend on the target's rows. */
  readonly targetLast?: boolean;
}

/**
 * Places relations one after the other, those with a bound key first. A relation that another one depends on is read first even if it is
 * the target of a change. Returns the known terms and, for a target, its selection.
 */
export function placeRelations(
  builder: Builder,
  relations: readonly Relation[],
  placing: Placing,
): RelationPlacement & { readonly target?: Selection } {
  const target = placing.target;
  const waiting = [...relations, ...(target ? [target] : [])];
  const inner = relations.filter((each) => !isOuter(each));
  const state: State = {
    builder,
    placing,
    columns: new Map(),
    found: [],
    drafts: [],
    done: new Set(),
    conjuncts: [...placing.conjuncts, ...inner.flatMap((relation) => conjunctsOf(relation.on))],
    aliases: new Set(waiting.map((relation) => relation.alias)),
  };
  while (waiting.length > 0) {
    const others = waiting.filter((each) => each !== target);
    const next = pickNext(state, placing.targetLast && others.length > 0 ? others : waiting);
    waiting.splice(waiting.indexOf(next), 1);
    if (next === target && waiting.length === 0) break;
    place(state, next, target ? [] : waiting);
  }
  const scope = scopeOf(state);
  if (!target) return { scope, found: and(...state.found), drafts: state.drafts };
  // The target is read before it is changed: its own conditions hold again for the changed row.
  state.columns.delete(target.alias);
  const selection = selectionOf(
    builder,
    target,
    conjunctsFor(state, target.alias, { again: true }),
    scopeOf(state),
  );
  return { scope, found: and(...state.found), drafts: state.drafts, target: selection };
}

interface State {
  readonly builder: Builder;
  readonly placing: Placing;
  readonly columns: Map<string, (column: string) => Term>;
  readonly found: Term[];
  readonly drafts: { readonly alias: string; readonly draft: Draft }[];
  /** Conjuncts that have been used. */
  readonly done: Set<Expression>;
  readonly conjuncts: readonly Expression[];
  /** All relations of this statement. */
  readonly aliases: ReadonlySet<string>;
}

function scopeOf(state: State): Scope {
  return {
    ...state.placing.outer,
    column: (alias, column) =>
      state.columns.get(alias)?.(column) ?? outerColumn(state, alias, column),
  };
}

/** A column of an outer query, if its value is known: not if its row is the current one. */
function outerColumn(state: State, alias: string, column: string): Term | undefined {
  const term = state.placing.outer.column?.(alias, column);
  return term === undefined || mentionsRow(term) ? undefined : term;
}

function isOuter(relation: Relation): boolean {
  return relation.join === "left" || relation.join === "right" || relation.join === "full";
}

/** The relation whose key is bound best by what is known; ties keep the given order. */
function pickNext(state: State, waiting: readonly Relation[]): Relation {
  const [first] = waiting;
  if (first === undefined) throw new Error("no relation is waiting");
  const [best] = waiting
    .filter((relation) => !isOuter(relation) || relation === first)
    .filter((relation) => !dependsOn(relation, waiting))
    .map((relation) => ({ relation, bound: boundKey(state, relation) }))
    .sort((a, b) => b.bound - a.bound);
  return best?.relation ?? first;
}

/** True if a lateral relation names columns of relations that are not placed yet. */
function dependsOn({ query, lateral }: Relation, waiting: readonly Relation[]): boolean {
  if (lateral !== true || query === undefined) return false;
  const named = freeColumns(query).map(({ relation }) => relation);
  return waiting.some(({ alias }) => named.includes(alias));
}

/** The share of the key's columns bound by equalities with known values. */
function boundKey(state: State, relation: Relation): number {
  if (relation.kind !== "base") return -1;
  const key = tableOf(state.builder.tables, relation.table).primaryKey;
  const bound = new Set(
    state.conjuncts.flatMap((conjunct) => {
      const equality = equalityOf(conjunct, relation.alias);
      if (equality === undefined) return [];
      return relationsIn(equality.value).every((alias) => isKnown(state, alias))
        ? [equality.column]
        : [];
    }),
  );
  return key.filter((column) => bound.has(column)).length / key.length;
}

function place(state: State, relation: Relation, waiting: readonly Relation[]): void {
  const { builder } = state;
  if (relation.kind === "derived" && relation.query) {
    const { query } = relation;
    const around = relation.lateral === true ? scopeOf(state) : state.placing.outer;
    const ask = (): ResultTerms => builder.query(query, around);
    const alone = state.aliases.size === 1 && state.conjuncts.length === 0;
    const result = alone ? ask() : perhaps(builder, ask);
    state.columns.set(relation.alias, (column) => ownEntry(result.row, column) ?? NULL);
    if (!isOuter(relation)) state.found.push(result.found);
    filter(state, relation.alias);
    return;
  }
  if (relation.kind !== "base") {
    const why = `${relation.alias} is not a table`;
    builder.losses.add(why);
    state.columns.set(relation.alias, (column) =>
      unknownTerm(builder, `${relation.alias}.${column}`, "other", why),
    );
    filter(state, relation.alias);
    return;
  }
  const own = isOuter(relation)
    ? conjunctsOf(relation.on)
    : conjunctsFor(state, relation.alias, { again: false });
  const selection = selectionOf(builder, relation, own, scopeOf(state));
  const first = state.drafts.length === 0;
  const { lock, orderBy } = state.placing;
  const locks = lock !== undefined && (lock.of.length === 0 || lock.of.includes(relation.alias));
  const ordered = first && orderBy !== undefined;
  const { rank } = state.placing;
  const partnered = selection.point
    ? selection.where
    : and(withPartners(state, relation, selection, waiting), rank ?? TRUE);
  const behind = state.placing.behind?.alias === relation.alias ? state.placing.behind : undefined;
  const draft = addOperation(builder, {
    kind: "read",
    table: relation.table,
    guard: and(
      ...state.found,
      ...(behind ? [{ kind: "found" as const, operation: behind.draft.index }] : []),
    ),
    key: selection.key,
    where: behind
      ? and(partnered, isBehind(builder, behind.draft, ordered ? orderBy : undefined))
      : partnered,
    pick: selection.point ? "point" : ordered ? "first" : "some",
    ...(ordered && !selection.point ? { orderBy } : {}),
    ...(locks && lockOf(lock)),
    ...(state.placing.isLimited ? { locksChosen: true } : {}),
  });
  state.drafts.push({ alias: relation.alias, draft });
  state.columns.set(relation.alias, (column) => outputOf(draft, column));
  if (!isOuter(relation)) state.found.push({ kind: "found", operation: draft.index });
  else filter(state, relation.alias);
}

/** Only rows with partners in the remaining relations count. */
function withPartners(
  state: State,
  relation: Relation,
  selection: Selection,
  waiting: readonly Relation[],
): Term {
  const { builder } = state;
  const outer = new Set(waiting.filter(isOuter).map((each) => each.alias));
  const relations = waiting.filter((each) => !outer.has(each.alias));
  const conjuncts = state.conjuncts.filter((each) => !state.done.has(each));
  const asksOuter = conjuncts.flatMap(relationsIn).some((alias) => outer.has(alias));
  if (asksOuter || relations.some((each) => each.kind !== "base"))
    builder.losses.add("a join is represented by one pair of rows");
  else if (relations.length > 0)
    return and(selection.where, partnersOf(state, relation, { relations, conjuncts }));
  return selection.where;
}

function partnersOf(state: State, relation: Relation, joined: Combination): Term {
  const { builder } = state;
  const partners = combinationsOf(builder, joined, atHand(relation.alias, scopeOf(state)));
  return overAll(partners, "exists");
}

/** The condition that the current row comes after the one that an operation selected: by ORDER BY, then by key. */
function isBehind(builder: Builder, draft: Draft, orderBy: Operation["orderBy"]): Term {
  const after = (column: string, descending: boolean, otherwise: Term): Term => {
    const [own, chosen]: readonly [Term, Term] = [
      { kind: "column", column },
      outputOf(draft, column),
    ];
    const [low, high] = descending ? [own, chosen] : [chosen, own];
    return or(compare("<", low, high), and(compare("=", own, chosen), otherwise));
  };
  const byKey = tableOf(builder.tables, draft.table)
    .primaryKey.filter((column) => ownEntry(draft.key, column) === undefined)
    .reduceRight<Term>((rest, column) => after(column, false, rest), FALSE);
  return orderBy === undefined ? byKey : after(orderBy.column, orderBy.descending, byKey);
}

/** The lock that a query takes on the rows of all its relations. */
export function lockIn({ lock }: Query): Partial<Pick<Operation, "lock" | "skipsLocked">> {
  return lock && lock.of.length === 0 ? lockOf(lock) : {};
}

function lockOf({ strength, wait }: LockClause): Pick<Operation, "lock" | "skipsLocked"> {
  return { lock: strength, ...(wait === "skip-locked" && { skipsLocked: true }) };
}

/** Conditions on a derived relation hold, or the result is empty. */
function filter(state: State, alias: string): void {
  for (const conjunct of conjunctsFor(state, alias, { again: false })) {
    state.found.push(isTrue(flattenExpression(state.builder, conjunct, inDoubt(scopeOf(state)))));
  }
}

/** Conjuncts that are decidable with this relation and those before it. */
function conjunctsFor(
  state: State,
  alias: string,
  how: { readonly again: boolean },
): readonly Expression[] {
  const chosen = state.conjuncts.filter((conjunct) => {
    const mentioned = relationsIn(conjunct);
    if (how.again && mentioned.includes(alias)) return true;
    if (state.done.has(conjunct)) return false;
    return mentioned.every((each) => each === alias || isKnown(state, each));
  });
  chosen.forEach((conjunct) => state.done.add(conjunct));
  return chosen;
}

/** True if the alias was placed, or belongs to an outer or inner query. */
function isKnown(state: State, alias: string): boolean {
  return state.columns.has(alias) || !state.aliases.has(alias);
}
