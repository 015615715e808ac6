// What operations of the Prisma client return: rows with the fields that `select`, `omit` and `include` ask for, and
// the statements that read related rows along with them.
import type { Expression, ValueType } from "../../../../program/expression";
import type { Output, Query } from "../../../../program/statement";
import { literal } from "../../../sql/expressions";
import { compare, joined } from "../../../sql/terms";
import type { PrismaModel, PrismaRelation, PrismaScalar } from "../../../schema/prisma/model";
import { scalar, type ResultColumns, type Value } from "../../values";
import {
  columnOf,
  fieldNameOf,
  fieldOf,
  joinOf,
  queryOf,
  relationTo,
  run,
  scalarsOf,
  type Losses,
  type Operation,
  type RowScope,
} from "./context";
import { fieldsGiven, given, isTrue } from "./given";
import { narrowed } from "./page";
import { conditionOf } from "./where";

/** The outputs that an operation returns of its model's rows. */
export function outputsOf(scope: RowScope, args: Value | undefined): readonly Output[] {
  const wanted = selected(scope, args);
  return wanted.map((field) => ({
    name: field.name,
    value: columnOf(scope.alias, field.column),
  }));
}

function selected(scope: RowScope, args: Value | undefined): readonly PrismaScalar[] {
  const { tools } = scope.operation;
  const all = scalarsOf(scope.model);
  const select = given(tools, args, "select");
  const omit = given(tools, args, "omit");
  const omitted = (omit && fieldsGiven(tools, omit)) ?? [];
  if (select === undefined) {
    const left = new Set(omitted.filter(([, value]) => isTrue(value)).map(([name]) => name));
    return all.filter(({ name }) => !left.has(name));
  }
  const fields = fieldsGiven(tools, select);
  if (fields === undefined) return all;
  // What may be selected is read: `false` alone leaves a column out.
  const names = new Set(fields.filter(([, value]) => !isFalse(value)).map(([name]) => name));
  const own = all.filter(({ name }) => names.has(name));
  return own.length > 0 ? own : all.filter(({ name }) => keyFields(scope.model).includes(name));
}

function isFalse(value: Value): boolean {
  return (
    value.kind === "scalar" &&
    value.expression.kind === "literal" &&
    value.expression.value === false
  );
}

function keyFields(model: PrismaModel): readonly string[] {
  return model.keys[0]?.fields ?? [];
}

/** The columns of a result with those outputs. */
export function columnsOf(model: PrismaModel, outputs: readonly Output[]): ResultColumns {
  const types = outputs.flatMap(({ name }): readonly (readonly [string, ValueType])[] => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" ? [[name, field.type]] : [];
  });
  const required = outputs.flatMap(({ name }) => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" && !field.isOptional ? [name] : [];
  });
  const order = outputs.map(({ name }) => name);
  return { order, types: new Map(types), required: new Set(required) };
}

/** The relations that `select` or `include` asks for, with what is asked of each. */
export function relationsAsked(
  operation: Operation,
  model: PrismaModel,
  args: Value | undefined,
): readonly (readonly [PrismaRelation, Value])[] {
  const asked = ["select", "include"].flatMap((name) => {
    const value = given(operation.tools, args, name);
    return (value && fieldsGiven(operation.tools, value)) ?? [];
  });
  return asked.flatMap(([name, value]): readonly (readonly [PrismaRelation, Value])[] => {
    const field = model.fields.get(name);
    return field?.kind === "relation" && !isFalse(value) ? [[field, value]] : [];
  });
}

/** How many related rows there are, where `_count` asks: outputs of the same statement. */
export function countsAsked(scope: RowScope, args: Value | undefined): readonly Output[] {
  const { tools } = scope.operation;
  const counts = ["select", "include"].flatMap(
    (name) => given(tools, given(tools, args, name), "_count") ?? [],
  );
  return counts.flatMap((count): readonly Output[] => {
    const select = given(tools, count, "select");
    const fields = (select && fieldsGiven(tools, select)) ?? allLists(scope.model);
    return fields.flatMap(([name, value]): readonly Output[] => {
      const relation = scope.model.fields.get(name);
      if (relation?.kind !== "relation" || isFalse(value)) return [];
      const join = joinOf(scope, relation);
      if (join === undefined) return [];
      const where = conditionOf(join.inner, given(tools, value, "where"));
      const query: Query = {
        ...queryOf(join.relations, joined("and", [join.on, where])),
        outputs: [{ name: "count", value: COUNT }],
      };
      return [{ name: countName(name), value: { kind: "subquery", query } }];
    });
  });
}

function allLists(model: PrismaModel): readonly (readonly [string, Value])[] {
  return [...model.fields.values()].flatMap((field): readonly (readonly [string, Value])[] =>
    field.kind === "relation" && field.isList ? [[field.name, scalar(literal(true))]] : [],
  );
}

/** COUNT(*). */
export const COUNT: Expression = { kind: "aggregate", function: "count", distinct: false };

function countName(relation: string): string {
  return `_count.${relation}`;
}

/**
 * Reads the related rows that are asked for, by a statement each, as the client does; `keyOf` gives columns of the row
 * that they belong to. Gives them by the names of their fields.
 */
export function readRelated(
  operation: Operation,
  model: PrismaModel,
  args: Value | undefined,
  keyOf: (column: string) => Expression,
): ReadonlyMap<string, Value> {
  const related = new Map<string, Value>();
  for (const [relation, asked] of relationsAsked(operation, model, args)) {
    const value = readRelation(operation, relation, asked, keyOf);
    if (value !== undefined) related.set(relation.name, value);
  }
  return related;
}

function readRelation(
  operation: Operation,
  relation: PrismaRelation,
  asked: Value,
  keyOf: (column: string) => Expression,
): Value | undefined {
  const { tools, schema } = operation;
  const model = schema.models.get(relation.model);
  const { link } = relation;
  if (model === undefined || link === undefined) {
    tools.lose(`the relation ${relation.name} has no link`, operation.source);
    return undefined;
  }
  const losses: Losses = [];
  const scope: RowScope = { operation, model, alias: model.table, losses };
  const relations = [relationTo(model.table)];
  const parts: Expression[] = [];
  if (link.at === "between") {
    const between = tools.fresh("t");
    relations.unshift(relationTo(link.table, between));
    parts.push(
      compare("=", columnOf(between, link.own), keyOf(link.ownKey)),
      compare("=", columnOf(scope.alias, link.otherKey), columnOf(between, link.other)),
    );
  } else {
    const [mine, theirs] =
      link.at === "here" ? [link.columns, link.referenced] : [link.referenced, link.columns];
    theirs.forEach((column, at) => {
      parts.push(compare("=", columnOf(scope.alias, column), keyOf(mine[at] ?? "")));
    });
  }
  const where = joined("and", [...parts, conditionOf(scope, given(tools, asked, "where"))]);
  const outputs = [...outputsOf(scope, asked), ...countsAsked(scope, asked)];
  const into = tools.fresh("r");
  const query = narrowed(scope, { ...queryOf(relations, where), outputs }, asked);
  run(operation, { kind: "select", query, into, discarded: false }, losses);
  return resultOf(operation, model, into, outputs, asked, relation.isList ? "rows" : "row");
}

/** The rows, or the first row, of a result, with what is read along with them. */
export function resultOf(
  operation: Operation,
  model: PrismaModel,
  into: string,
  outputs: readonly Output[],
  args: Value | undefined,
  kind: "rows" | "row",
): Value {
  const { tools } = operation;
  const related = new Map<string, Value>();
  const counts = outputs.filter(({ name }) => name.startsWith("_count."));
  if (counts.length > 0) {
    const fields = counts.map(({ name }): readonly [string, Value] => {
      const count: Expression = { kind: "field", result: into, field: name, at: "first" };
      return [name.slice("_count.".length), scalar(count, "int")];
    });
    related.set("_count", tools.object(Object.fromEntries(fields)));
  }
  const keyOf = (column: string): Expression => fieldOf(into, fieldNameOf(model, column));
  for (const [name, value] of readRelated(operation, model, args, keyOf)) related.set(name, value);
  if (kind === "rows" && related.size > 0) {
    tools.lose("rows related to several rows are read for the first of them", operation.source);
  }
  const rows = tools.rows(into, { ...columnsOf(model, outputs), related });
  return kind === "rows" ? rows : tools.firstRow(rows);
}
