// Context in which one operation of the Prisma client is lowered, and small makers of queries over its models.
import type { Expression, Query, Relation } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type { SourceRange } from "../../../../protocol/source";
import type {
  PrismaModel,
  PrismaRelation,
  PrismaScalar,
  PrismaSchema,
} from "../../../schema/prisma/model";
import type { Connection, Value } from "../../values";
import type { StatementDraft, Tools } from "../library";

/** One operation on a connection. */
export interface Operation {
  readonly tools: Tools;
  readonly schema: PrismaSchema;
  readonly connection: Connection | undefined;
  readonly source: SourceRange;
  /** The columns that the client leaves out of each model where nothing else is asked for. */
  readonly omitted?: Value;
  /** The part of its argument that is not understood. */
  readonly losses?: readonly string[];
}

/** Losses of the statement that is being made. */
export type Losses = string[];

/** Where an expression over a model's columns stands. */
export interface RowScope {
  readonly operation: Operation;
  readonly model: PrismaModel;
  readonly alias: string;
  readonly losses: Losses;
}

/** Where expressions over a model's own table stand, in a statement that is about to be made. */
export function scopeOf(operation: Operation, model: PrismaModel): RowScope {
  return { operation, model, alias: model.table, losses: [] };
}

/** Adds a statement, with its losses. */
export function run(operation: Operation, draft: StatementDraft, losses: Losses): string {
  const { tools, connection, source, losses: own = [] } = operation;
  return tools.statement(
    connection,
    { ...draft, taint: [...new Set([...(draft.taint ?? []), ...own, ...losses])] },
    source,
  );
}

export function columnOf(alias: string, column: string): Expression {
  return { kind: "column", relation: alias, column };
}

export function fieldOf(result: string, field: string): Expression {
  return { kind: "field", result, field, at: "first" };
}

/** The field that a column belongs to: results have the names of fields. */
export function fieldNameOf(model: PrismaModel, column: string): string {
  const field = [...model.fields.values()].find(
    (each) => each.kind === "scalar" && each.column === column,
  );
  return field?.name ?? column;
}

/** The columns of a model that its client has. */
export function scalarsOf(model: PrismaModel): readonly PrismaScalar[] {
  return [...model.fields.values()].filter(
    (field) => field.kind === "scalar" && !field.isHidden,
  ) as readonly PrismaScalar[];
}

export function relationTo(table: string, alias: string = table): Relation {
  return { alias, table, kind: "base", join: "inner" };
}

/** A query over tables, told apart by their aliases. */
export function queryOf(relations: readonly Relation[], where: Expression): Query {
  return {
    relations,
    where,
    outputs: [],
    groupBy: [],
    orderBy: [],
    distinct: false,
    setOperations: [],
  };
}

/**
 * The rows of a relation's other model that belong to the row at hand: their tables, joined, and what they are joined
 * by. Undefined where the relation has no link.
 */
export function joinOf(
  scope: RowScope,
  relation: PrismaRelation,
):
  | { readonly inner: RowScope; readonly relations: readonly Relation[]; readonly on: Expression }
  | undefined {
  const { operation, alias: outer } = scope;
  const model = operation.schema.models.get(relation.model);
  const { link } = relation;
  if (model === undefined || link === undefined) return undefined;
  const alias = operation.tools.fresh("t");
  const inner: RowScope = { ...scope, model, alias };
  const target = relationTo(model.table, alias);
  if (link.at === "between") {
    const between = operation.tools.fresh("t");
    const own = compare("=", columnOf(between, link.own), columnOf(outer, link.ownKey));
    const other = compare("=", columnOf(alias, link.otherKey), columnOf(between, link.other));
    const relations = [relationTo(link.table, between), target];
    return { inner, relations, on: connective("and", [own, other]) };
  }
  const [mine, theirs] =
    link.at === "here" ? [link.columns, link.referenced] : [link.referenced, link.columns];
  const equal = mine.map((column, at) =>
    compare("=", columnOf(alias, theirs[at] ?? ""), columnOf(outer, column)),
  );
  return { inner, relations: [target], on: connective("and", equal) };
}

/** The part that is not understood, with what it was read from. */
export function lose(
  scope: RowScope,
  why: string,
  dependsOn: readonly Expression[] = [],
): Expression {
  scope.losses.push(why);
  const id = scope.operation.tools.fresh("u");
  return { kind: "unknown", id, type: "other", dependsOn, why };
}

/** An enumeration's value as the database stores it; other values as they are. */
export function storedValue(scope: RowScope, field: PrismaScalar, value: Value): Expression {
  const { tools, schema } = scope.operation;
  const expression = tools.expression(value);
  const values = schema.enums.get(field.written)?.values;
  if (values === undefined) return expression;
  if (expression.kind === "literal" && typeof expression.value === "string") {
    return literal(values.get(expression.value) ?? expression.value);
  }
  const isRenamed = [...values].some(([name, stored]) => name !== stored);
  const isNull = expression.kind === "literal" && expression.value === null;
  // A value that was read from a column is stored as it is written.
  if (isRenamed && !isNull) {
    return lose(
      scope,
      `a value of ${field.written}, whose values have other names in the database`,
      [expression],
    );
  }
  return expression;
}

/** One operation of a model, with its argument. */
export interface Work {
  readonly operation: Operation;
  readonly model: PrismaModel;
  readonly name: string;
  readonly args: Value | undefined;
  /** It is a part of an operation of several statements. */
  readonly isPart?: boolean;
}
