// Queries of MySQL and MariaDB outside of SELECT: InnoDB reads their rows under shared locks at every level, as
// LOCK IN SHARE MODE does (measured on MariaDB 10.11: SET, DO, IF, CASE, WHILE, DEFAULT and arguments of CALL; INSERT
// and REPLACE of VALUES, DELETE, UPDATE of several tables, or of one that it asks about as well).
import type { Expression, Output, Query, Relation } from "../../../program/expression";
import { operandsOf, mapParts } from "../../../program/operands";
import type { Assignment, Returning, Statement, UpdateStatement } from "../../../program/statement";

/** The query with shared locks on all rows that it and its subqueries read; stronger locks stay. */
export function inShareMode(query: Query): Query {
  const readsRows = query.relations.some(({ kind }) => kind === "base");
  const { lock = readsRows ? SHARED : undefined, having } = query;
  return {
    ...query,
    relations: query.relations.map(lockedRelation),
    where: withSharedQueries(query.where),
    outputs: withSharedValues(query.outputs),
    ...(having && { having: withSharedQueries(having) }),
    setOperations: query.setOperations.map((each) => ({
      ...each,
      query: inShareMode(each.query),
    })),
    ...(lock && { lock }),
  };
}

const SHARED = { strength: "share", of: [], wait: "block" } as const;

function lockedRelation({ on, query, ...relation }: Relation): Relation {
  return {
    ...relation,
    ...(on && { on: withSharedQueries(on) }),
    ...(query && { query: inShareMode(query) }),
  };
}

/** The expression with its queries in share mode; unchanged without queries. */
export function withSharedQueries(expression: Expression): Expression {
  const inner =
    operandsOf(expression).length === 0 ? expression : mapParts(expression, withSharedQueries);
  return "query" in inner ? { ...inner, query: inShareMode(inner.query) } : inner;
}

/**
 * A change with its queries in share mode, if InnoDB locks their reads at every level. INSERT ... SELECT and an UPDATE of one table that
 * no query of it reads lock them from REPEATABLE READ on, which those levels define; within a trigger all changes do as its statement
 * does (`locks`).
 */
export function withSharedReads(statement: Statement, locks?: "always" | "by level"): Statement {
  if (locks === "by level") return statement;
  switch (statement.kind) {
    case "insert": {
      const { rows, onConflict } = statement;
      if ("query" in rows && locks === undefined) return statement;
      return {
        ...statement,
        rows:
          "query" in rows
            ? { ...rows, query: inShareMode(rows.query) }
            : rows.map(withSharedValues),
        ...(onConflict && {
          onConflict: { ...onConflict, set: withSharedValues(onConflict.set) },
        }),
        ...returningOf(statement),
      };
    }
    case "update":
      if (statement.from.length === 0 && locks === undefined && !asksAboutItself(statement))
        return statement;
      return {
        ...statement,
        from: statement.from.map(lockedRelation),
        ...(statement.from.length > 0 && { lock: "share" as const }),
        set: withSharedValues(statement.set),
        where: withSharedQueries(statement.where),
        ...returningOf(statement),
      };
    case "delete":
      return {
        ...statement,
        using: statement.using.map(lockedRelation),
        ...(statement.using.length > 0 && { lock: "share" as const }),
        where: withSharedQueries(statement.where),
        ...returningOf(statement),
      };
    default:
      return statement;
  }
}

/** True if a query of an UPDATE reads the table that it changes: the server runs it as one of several tables. */
function asksAboutItself({ relation, set, where }: UpdateStatement): boolean {
  return [where, ...set.map(({ value }) => value)].some((each) => asksAbout(relation.table, each));
}

function asksAbout(table: string, expression: Expression): boolean {
  if ("query" in expression && readsFrom(table, expression.query)) return true;
  return operandsOf(expression).some((each) => asksAbout(table, each));
}

/** A query in FROM counts where it becomes a part of the query around it. */
function readsFrom(table: string, query: Query): boolean {
  const { relations, where, outputs, having, setOperations } = query;
  const asked = [
    where,
    ...(having ? [having] : []),
    ...outputs.map(({ value }) => value),
    ...relations.flatMap(({ on }) => on ?? []),
  ];
  return (
    relations.some(
      (each) =>
        (each.kind === "base" && each.table === table) ||
        (each.query !== undefined && isMerged(each.query) && readsFrom(table, each.query)),
    ) ||
    asked.some((each) => asksAbout(table, each)) ||
    setOperations.some((each) => readsFrom(table, each.query))
  );
}

function isMerged({ groupBy, having, limit, distinct, setOperations, outputs }: Query): boolean {
  const isPlain = groupBy.length === 0 && having === undefined && setOperations.length === 0;
  return isPlain && limit === undefined && !distinct && !outputs.some(({ value }) => sums(value));
}

function sums(expression: Expression): boolean {
  return expression.kind === "aggregate" || operandsOf(expression).some(sums);
}

function withSharedValues<Part extends Assignment | Output>(
  parts: readonly Part[],
): readonly Part[] {
  return parts.map((each) => ({ ...each, value: withSharedQueries(each.value) }));
}

function returningOf({ returning }: { readonly returning?: Returning }): {
  readonly returning?: Returning;
} {
  return returning
    ? { returning: { ...returning, outputs: withSharedValues(returning.outputs) } }
    : {};
}
