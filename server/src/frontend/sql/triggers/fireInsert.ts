// INSERT with row triggers: BEFORE ones compute each row before its insertion, AFTER ones run over the returned rows.
import type { Expression, Output } from "../../../program/expression";
import type { Assignment, Command, InsertStatement, OnConflict } from "../../../program/statement";
import { literal } from "../expressions";
import { connective } from "../terms";
import { fold } from "../routine/symbolic";
import { hasQuery } from "../routine/hoist";
import {
  assignRow,
  forRows,
  maySkip,
  outputOf,
  returningAlso,
  type Firing,
  type Outcome,
} from "./triggerRows";
import type { TriggerBody } from "./trigger";

/** The statement with its triggers. */
export function fireInsert(statement: InsertStatement, fired: Firing): Outcome {
  const { after, ids } = fired;
  const replaces = [...fired.before, ...fired.after].some(({ event }) => event === "delete");
  if (replaces) return { reason: "whether a REPLACE deletes a row, which its triggers tell apart" };
  const updates = fired.before.filter(({ event }) => event === "update");
  const before = fired.before.filter(({ event }) => event === "insert");
  const conflict = onConflict(statement, updates);
  if (typeof conflict === "string") return { reason: conflict };
  const isUpsert = statement.onConflict !== undefined && statement.onConflict.action !== "nothing";
  if (isUpsert && after.length > 0)
    return { reason: "whether an upsert inserts or updates, which its AFTER triggers tell apart" };
  const own: InsertStatement = { ...statement, ...(conflict && { onConflict: conflict }) };
  const made = "query" in own.rows ? fromQuery(own, before) : fromRows(own, before);
  if ("reason" in made) return made;
  const read = new Set(after.flatMap(({ reads }) => [...reads.new]));
  if (after.length === 0) return made.around([{ kind: "statement", statement: made.statement }]);
  const outputs = [...read].map((column): Output => {
    const value: Expression = { kind: "column", relation: statement.table, column };
    return { name: outputOf(column), value };
  });
  const isSingle = !("query" in own.rows) && own.rows.length === 1;
  const many = !isSingle ? "many" : own.onConflict === undefined ? "one" : "at most one";
  const asks = many !== "one" || read.size > 0;
  const { statement: returning, into } = asks
    ? returningAlso(made.statement, outputs, ids)
    : { statement: made.statement, into: "" };
  const behind = forRows(into, many, statement, ids, (at) =>
    after.flatMap((body) => [
      ...assignRow(
        body.new,
        (column) =>
          read.has(column)
            ? { kind: "field", result: into, field: outputOf(column), at }
            : undefined,
        statement,
      ),
      ...body.commands,
    ]),
  );
  return made.around([{ kind: "statement", statement: returning }, ...behind]);
}

interface Made {
  readonly statement: InsertStatement;
  /** The commands of the insertion with those that run before it, or in its place. */
  readonly around: (commands: readonly Command[]) => readonly Command[];
}

/** Rows of values: the triggers run for each before all are inserted. */
function fromRows(
  statement: InsertStatement,
  before: readonly TriggerBody[],
): Made | { readonly reason: string } {
  if ("query" in statement.rows || before.length === 0)
    return { statement, around: (each) => each };
  const { rows } = statement;
  const skipping = before.some(maySkip);
  if (rows.length > 1 && (skipping || before.some(({ commands }) => !isPlain(commands))))
    return { reason: "a trigger that does more than to compute, before several rows are inserted" };
  const commands: Command[] = [];
  const skips: Expression[] = [];
  const finished = rows.map((row, at) => {
    let values = new Map(row.map(({ column, value }) => [column, value] as const));
    for (const body of before) {
      const needed = new Set([...body.reads.new, ...body.assigns]);
      const asking = [...needed].find((column) => {
        const value = values.get(column);
        return value !== undefined && hasQuery(value) && body.reads.new.has(column);
      });
      if (asking !== undefined) return asking;
      const own = assignRow(
        body.new,
        (column) => (needed.has(column) ? (values.get(column) ?? literal(null)) : undefined),
        statement,
      );
      commands.push(...own.filter((each) => each.kind !== "assign" || !hasQuery(each.value)));
      commands.push(...body.commands);
      const next = new Map(values);
      for (const column of needed) {
        const value = values.get(column);
        const name = body.new.get(column);
        const isKept = value !== undefined && hasQuery(value) && !body.assigns.has(column);
        if (name !== undefined && !isKept && (values.has(column) || body.assigns.has(column)))
          next.set(column, { kind: "variable", name });
      }
      values = next;
      if (maySkip(body)) skips.push({ kind: "variable", name: body.skips });
    }
    return [...values].map(([column, value]): Assignment => {
      if (rows.length === 1 || value.kind !== "variable") return { column, value };
      // The next row reuses the variables.
      const variable = `${value.name} of row ${String(at + 1)}`;
      commands.push({ kind: "assign", variable, value, source: statement.source });
      return { column, value: { kind: "variable", name: variable } };
    });
  });
  const asking = finished.find((each) => typeof each === "string");
  if (asking !== undefined)
    return { reason: `a trigger uses ${String(asking)}, whose value asks the database` };
  const all = finished.flatMap((each) => (typeof each === "string" ? [] : [each]));
  const { source } = statement;
  const nothing: Command = { kind: "sequence", commands: [] };
  return {
    statement: { ...statement, rows: all },
    around: (inner) =>
      skips.length === 0
        ? [...commands, ...inner]
        : [
            ...commands,
            {
              kind: "if",
              condition: connective("or", skips),
              then: nothing,
              otherwise: { kind: "sequence", commands: inner },
              source,
            },
          ],
  };
}

/** Rows of a query: the triggers' computations become outputs. */
function fromQuery(
  statement: InsertStatement,
  before: readonly TriggerBody[],
): Made | { readonly reason: string } {
  if (!("query" in statement.rows) || before.length === 0)
    return { statement, around: (each) => each };
  const { columns, query } = statement.rows;
  const reason =
    "a trigger that does more than to compute, before the rows of a query are inserted";
  const isPlainQuery = query.setOperations.length === 0 && !query.distinct;
  if (!isPlainQuery) return { reason };
  const values = new Map(
    query.outputs.map(
      ({ value }, at) => [columns[at] ?? `column${String(at + 1)}`, value] as const,
    ),
  );
  const made: Command[] = [];
  for (const body of before) {
    const start = new Map<string, Expression>();
    for (const [column, variable] of body.new)
      start.set(variable, values.get(column) ?? literal(null));
    const folded = fold({ kind: "sequence", commands: body.commands }, start);
    const skip = folded?.values.get(body.skips);
    const never = skip === undefined || (skip.kind === "literal" && skip.value === false);
    if (folded === undefined || !never || folded.failures.length > 0) return { reason };
    made.push(...folded.before);
    for (const column of body.assigns) {
      const value = folded.values.get(body.new.get(column) ?? "");
      if (value !== undefined) values.set(column, value);
    }
  }
  const outputs = [...values].map(([name, value]): Output => ({ name, value }));
  const rows = { columns: [...values.keys()], query: { ...query, outputs } };
  return { statement: { ...statement, rows }, around: (inner) => [...made, ...inner] };
}

/** ON CONFLICT DO UPDATE with the BEFORE UPDATE triggers; the reason if they do more than compute. */
function onConflict(
  { table, onConflict: own }: InsertStatement,
  updates: readonly TriggerBody[],
): OnConflict | string | undefined {
  if (own === undefined || updates.length === 0) return own;
  const old = (column: string): Expression => ({ kind: "column", relation: table, column });
  const values = new Map(own.set.map(({ column, value }) => [column, value] as const));
  for (const body of updates) {
    const start = new Map<string, Expression>();
    for (const [column, variable] of body.old) start.set(variable, old(column));
    for (const [column, variable] of body.new)
      start.set(variable, values.get(column) ?? old(column));
    const folded = fold({ kind: "sequence", commands: body.commands }, start);
    const skip = folded?.values.get(body.skips);
    const never = skip === undefined || (skip.kind === "literal" && skip.value === false);
    // A value that must be computed before the statement has no place there.
    if (folded === undefined || !never || folded.failures.length > 0)
      return "a trigger that does more than to compute, in ON CONFLICT DO UPDATE";
    const made = new Map(
      folded.before.flatMap((each) =>
        each.kind === "assign" ? [[each.variable, each.value] as const] : [],
      ),
    );
    for (const column of body.assigns) {
      const value = folded.values.get(body.new.get(column) ?? "");
      if (value === undefined) continue;
      const known = value.kind === "variable" ? (made.get(value.name) ?? value) : value;
      values.set(column, known);
    }
  }
  return { ...own, set: [...values].map(([column, value]) => ({ column, value })) };
}

/** Nothing but assignments and branches. */
function isPlain(commands: readonly Command[]): boolean {
  return commands.every((each): boolean => {
    switch (each.kind) {
      case "sequence":
        return isPlain(each.commands);
      case "if":
        return isPlain([each.then, ...(each.otherwise ? [each.otherwise] : [])]);
      case "assign":
      case "rollback":
        return true;
      default:
        return false;
    }
  });
}
