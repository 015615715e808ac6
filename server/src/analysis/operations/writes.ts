// INSERT, UPDATE and DELETE as operations of the current statement.
import type {
  Assignment,
  DeleteStatement,
  InsertStatement,
  Returning,
  UpdateStatement,
} from "../../program/statement";
import { conjunctsOf } from "../../program/operands";
import type { Table } from "../../program/schema";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Relation } from "../../program/expression";
import { areLookedUp, canCombine, combinationsOf, overAll } from "./combinations";
import { freeColumns } from "./freeColumns";
import type { Builder, Draft, ResultTerms, Scope } from "./builder";
import { NO_ROWS, addOperation, freshTerm, leaveOut, mayBeNull, setResult } from "./builder";
import { flattenExpression } from "./expression";
import type { FlatTable, Operation, Term } from "./operation";
import { flattenQuery } from "./query";
import { changedParents, deletedChildren, insertedParents, updatedParents } from "./references";
import type { Selection } from "./selection";
import { placeRelations } from "./relations";
import { atHand, selectionOf } from "./selection";
import { ROW_KEY, tableOf } from "./tables";
import { NULL, TRUE, and, conditional, int, or, substitute } from "./terms";

/** Adds the operations of an INSERT: parents that must exist, then one insertion per row. */
export function flattenInsert(builder: Builder, statement: InsertStatement): void {
  const table = tableOf(builder.tables, statement.table);
  const drafts: Draft[] = [];
  if ("query" in statement.rows) {
    const { columns, query } = statement.rows;
    const result = flattenQuery(builder, query, NO_ROWS);
    const { values } = result;
    const given = new Map(columns.map((column, at) => [column, values[at] ?? NULL]));
    if (!builder.operations.every((each) => each.step !== lastStep(builder) || single(each)))
      builder.losses.add("INSERT of a query inserts one row of it");
    drafts.push(insertRow(builder, statement, table, given, result.found));
  } else {
    for (const row of statement.rows) {
      const given = new Map(
        row.map(({ column, value }) => [column, flattenExpression(builder, value, NO_ROWS)]),
      );
      drafts.push(insertRow(builder, statement, table, given, TRUE));
    }
  }
  const done = drafts.map((draft): Term => ({ kind: "found", operation: draft.index }));
  const counts = done.map((each) => conditional(each, int(1), int(0)));
  builder.affected.set(statement.id, sum(counts));
  const [first, ...others] = drafts;
  if (statement.returning && first) {
    const { returning } = statement;
    // Without ON CONFLICT all rows are inserted, or none.
    const isWhole = statement.onConflict === undefined && !("query" in statement.rows);
    returned(builder, returning, first, (column) => ({ kind: "column", column }), {
      alias: statement.table,
      found: or(...done),
      size: sum(counts),
      ...(isWhole && { others }),
    });
  }
}

/** Adds the operations of an UPDATE: the reads of other relations, then the change. */
export function flattenUpdate(builder: Builder, statement: UpdateStatement): void {
  const { relation } = statement;
  const table = tableOf(builder.tables, relation.table);
  const placed = targetOf(builder, statement, statement.from);
  if (!placed) return;
  const scope = atHand(relation.alias, placed.scope);
  const assigned = Object.entries(assignments(builder, statement.set, scope));
  const isOfKey = (column: string): boolean => table.primaryKey.includes(column);
  for (const [column] of assigned.filter(([name]) => isOfKey(name)))
    leaveOut(builder, `a change of the key column ${relation.table}.${column} is ignored`);
  const set = Object.fromEntries(assigned.filter(([name]) => !isOfKey(name)));
  const draft = addOperation(builder, {
    kind: "update",
    table: relation.table,
    ...chosen(placed.target, placed.found),
    set,
  });
  const declared = builder.tables.declared.get(relation.table);
  if (declared) updatedParents(builder, declared, draft, set);
  changedParents(builder, relation.table, Object.keys(set));
  changed(builder, statement, draft);
  if (statement.returning) {
    const after = (column: string): Term => ownEntry(set, column) ?? { kind: "column", column };
    returned(builder, statement.returning, draft, after, {
      alias: relation.alias,
      ...countOf(draft),
      scope: placed.scope,
    });
  }
}

/** Adds the operations of a DELETE. */
export function flattenDelete(builder: Builder, statement: DeleteStatement): void {
  const { relation } = statement;
  const placed = targetOf(builder, statement, statement.using);
  if (!placed) return;
  const draft = addOperation(builder, {
    kind: "delete",
    table: relation.table,
    ...chosen(placed.target, placed.found),
  });
  deletedChildren(builder, draft, statement.leavesNoChildren);
  changed(builder, statement, draft);
  if (statement.returning) {
    const before = (column: string): Term => ({ kind: "column", column });
    returned(builder, statement.returning, draft, before, {
      alias: relation.alias,
      ...countOf(draft),
      scope: placed.scope,
    });
  }
}

/** The target of a change, joined with rows of other relations. */
interface Target {
  readonly target: Selection;
  readonly found: Term;
  readonly scope: Scope;
}

/**
 * The changed rows: those that join with some combination of the other relations' rows, the first of which provides the values. Relations
 * that are looked up beforehand are read as in a query.
 */
function targetOf(
  builder: Builder,
  { relation, where, lock }: UpdateStatement | DeleteStatement,
  others: readonly Relation[],
): Target | undefined {
  const conditions = [where, ...others.map((each) => each.on)].flatMap(conjunctsOf);
  const joined = { relations: others, conjuncts: conditions };
  if (!canCombine(others) || areLookedUp(builder, joined)) {
    const placed = placeRelations(builder, others, {
      conjuncts: conjunctsOf(where),
      outer: NO_ROWS,
      target: relation,
      lock: lock && { strength: lock, of: others.map(({ alias }) => alias), wait: "block" },
    });
    const { target } = placed;
    if (target && others.some((each) => each.kind !== "base") && !target.point)
      builder.losses.add("an UPDATE with FROM takes one row of the other tables");
    return target && { ...placed, target };
  }
  const own = conditions.filter((each) =>
    freeColumns(each).every((name) => name.relation === relation.alias),
  );
  const conjuncts = conditions.filter((each) => !own.includes(each));
  const partners = combinationsOf(
    builder,
    { relations: others, conjuncts },
    atHand(relation.alias, NO_ROWS),
    lock && { lock },
  );
  const selection = selectionOf(builder, relation, own, NO_ROWS);
  const scope: Scope = {
    column: (alias, column) => {
      const value = others.some((each) => each.alias === alias)
        ? partners.scope.column?.(alias, column)
        : undefined;
      return value && overAll(partners, "first", value);
    },
  };
  const target = { ...selection, where: and(selection.where, overAll(partners, "exists")) };
  return { target, found: TRUE, scope };
}

function chosen(
  selection: Selection,
  found: Term,
): Pick<Operation, "guard" | "key" | "where" | "pick"> {
  const { key, where, point } = selection;
  return { guard: found, key, where, pick: point ? "point" : "all" };
}

function changed(builder: Builder, statement: { readonly id: string }, draft: Draft): void {
  builder.affected.set(statement.id, countOf(draft).size);
}

function countOf(draft: Draft): Pick<ResultTerms, "found" | "size"> {
  const found: Term = { kind: "found", operation: draft.index };
  const size: Term =
    draft.pick === "all"
      ? { kind: "count", operation: draft.index }
      : conditional(found, int(1), int(0));
  return { found, size };
}

function assignments(
  builder: Builder,
  set: readonly Assignment[],
  scope: Scope,
): Record<string, Term> {
  return Object.fromEntries(
    set.map(({ column, value }) => [column, flattenExpression(builder, value, scope)]),
  );
}

function insertRow(
  builder: Builder,
  statement: InsertStatement,
  table: FlatTable,
  given: ReadonlyMap<string, Term>,
  guard: Term,
): Draft {
  const declared = builder.tables.declared.get(statement.table);
  const set = Object.fromEntries(
    table.columns.map(({ name }) => [
      name,
      given.get(name) ?? defaultOf(builder, statement, declared, name),
    ]),
  );
  if (declared) insertedParents(builder, declared, set, guard);
  const nulls = table.columns.filter(
    ({ name, nullable }) =>
      nullable &&
      table.primaryKey.includes(name) &&
      mayBeNull(builder, ownEntry(set, name) ?? NULL),
  );
  if (declared?.inferred === false && nulls.length > 0)
    builder.losses.add(`rows of ${table.name} whose key is NULL are not followed`);
  const draft = addOperation(builder, {
    kind: "insert",
    table: statement.table,
    guard,
    key: Object.fromEntries(
      table.primaryKey.map((column) => [column, ownEntry(set, column) ?? NULL]),
    ),
    set,
    ...conflictOf(builder, statement, table, set),
  });
  return draft;
}

function defaultOf(
  builder: Builder,
  statement: InsertStatement,
  declared: Table | undefined,
  column: string,
): Term {
  const site = `${statement.table}.${column}`;
  if (column === ROW_KEY) return freshTerm(builder, site, "int");
  const expression = declared?.columns.find((each) => each.name === column)?.default;
  return expression === undefined ? NULL : flattenExpression(builder, expression, NO_ROWS);
}

function conflictOf(
  builder: Builder,
  statement: InsertStatement,
  table: FlatTable,
  set: Readonly<Record<string, Term>>,
): Partial<Operation> {
  const { onConflict } = statement;
  if (onConflict === undefined) return {};
  const others = onConflict.target.length > 0 && !sameColumns(onConflict.target, table.primaryKey);
  if (others)
    builder.losses.add(`ON CONFLICT (${onConflict.target.join(", ")}) is not the key used`);
  switch (onConflict.action) {
    case "nothing":
      return { onDuplicate: "nothing" };
    case "replace":
      changedParents(builder, statement.table, [...table.primaryKey, ...Object.keys(set)]);
      return { onDuplicate: "update", update: withoutKey(table, set), updateWhere: TRUE };
    case "update": {
      const scope: Scope = {
        ...atHand(statement.table, NO_ROWS),
        excluded: (column) => ownEntry(set, column) ?? NULL,
      };
      return {
        onDuplicate: "update",
        update: updateOf(builder, statement, table, assignments(builder, onConflict.set, scope)),
        updateWhere: onConflict.where ? flattenExpression(builder, onConflict.where, scope) : TRUE,
      };
    }
  }
}

/** The columns that ON CONFLICT DO UPDATE sets; their foreign keys are not checked. */
function updateOf(
  builder: Builder,
  { table: name }: InsertStatement,
  table: FlatTable,
  set: Readonly<Record<string, Term>>,
): Readonly<Record<string, Term>> {
  changedParents(builder, name, Object.keys(set));
  for (const foreign of builder.tables.declared.get(name)?.foreignKeys ?? [])
    if (
      builder.tables.accessed.has(foreign.table) &&
      foreign.columns.some((each) => Object.hasOwn(set, each))
    )
      leaveOut(builder, `the row of ${foreign.table} that ON CONFLICT refers to is not looked up`);
  return withoutKey(table, set);
}

function withoutKey(
  table: FlatTable,
  set: Readonly<Record<string, Term>>,
): Readonly<Record<string, Term>> {
  return Object.fromEntries(
    Object.entries(set).filter(([column]) => !table.primaryKey.includes(column)),
  );
}

function sameColumns(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((column) => b.includes(column));
}

function returned(
  builder: Builder,
  returning: Returning,
  draft: Draft,
  column: (name: string) => Term,
  about: Pick<ResultTerms, "found" | "size"> & {
    readonly alias: string;
    readonly scope?: Scope;
    /** The changes of all rows after the first, if they are known. */
    readonly others?: readonly Draft[];
  },
): void {
  const scope = atHand(about.alias, about.scope ?? NO_ROWS);
  const terms = returning.outputs.map(({ name, value }): [string, Term] => {
    return [name, substitute(flattenExpression(builder, value, scope), column)];
  });
  const rowOf = ({ index, outputs }: Draft): readonly (readonly [string, Term])[] =>
    terms.map(([name, term]) => {
      setEntry(outputs, name, term);
      return [name, { kind: "output", operation: index, name }];
    });
  const row = rowOf(draft);
  setResult(builder, returning.into, {
    row: Object.fromEntries(row),
    values: row.map(([, term]) => term),
    found: about.found,
    size: about.size,
    ...(about.others && {
      next: about.others.map((each) => ({
        row: Object.fromEntries(rowOf(each)),
        found: { kind: "found", operation: each.index },
      })),
      whole: true,
    }),
  });
}

function lastStep(builder: Builder): number {
  return builder.steps.length - 1;
}

function single(operation: Operation): boolean {
  return operation.pick === "point" || operation.pick === "first" || operation.pick === "all";
}

function sum(terms: readonly Term[]): Term {
  const [first = int(0), ...rest] = terms;
  return rest.reduce<Term>((left, right) => ({ kind: "add", left, right }), first);
}
