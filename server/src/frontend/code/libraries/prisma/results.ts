// Results of operations of the Prisma client: rows with the fields that `select`, `omit` and `include` ask for, and the
// statements that read related rows along with them.
import type {
  Expression,
  ValueType,
  Output,
  Query,
  Relation,
} from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type {
  PrismaLink,
  PrismaModel,
  PrismaRelation,
  PrismaScalar,
} from "../../../schema/prisma/model";
import {
  fieldExpression,
  scalar,
  unknown,
  type ResultColumns,
  type RowValue,
  type Value,
} from "../../values";
import {
  columnOf,
  fieldNameOf,
  joinOf,
  queryOf,
  relationTo,
  run,
  scalarsOf,
  type Losses,
  type Operation,
  type RowScope,
} from "./context";
import { isCertain, openParts } from "./relationArguments";
import { knownFields, argumentField, isTrue } from "./argumentValues";
import { withPage } from "./page";
import { conditionOf } from "./where";

/** The outputs that an operation returns of its model's rows. */
export function outputsOf(scope: RowScope, args: Value | undefined): readonly Output[] {
  const wanted = selected(scope, args).map((field) => ({
    name: field.name,
    value: columnOf(scope.alias, field.column),
  }));
  const keys = requestedRelations(scope.operation, scope.model, args).flatMap(([{ link }]) =>
    link === undefined ? [] : ownColumns(link),
  );
  return withColumns(scope, wanted, keys);
}

/** The outputs and those columns, under names that the code does not see where it did not ask for them. */
function withColumns(
  scope: RowScope,
  outputs: readonly Output[],
  columns: readonly string[],
): readonly Output[] {
  const more = [...new Set(columns.map((column) => linkName(scope.model, outputs, column)))];
  const known = new Set(outputs.map(({ name }) => name));
  const added = more.filter((name) => !known.has(name));
  return [
    ...outputs,
    ...added.map((name) => ({ name, value: columnOf(scope.alias, name.slice(LINK.length)) })),
  ];
}

const LINK = "_link.";

/** The name of a column among outputs. */
function linkName(model: PrismaModel, outputs: readonly Output[], column: string): string {
  const name = fieldNameOf(model, column);
  return outputs.some((each) => each.name === name) ? name : `${LINK}${column}`;
}

/** The columns of a row that its related rows belong to. */
function ownColumns(link: PrismaLink): readonly string[] {
  if (link.at === "between") return [link.ownKey];
  return link.at === "here" ? link.columns : link.referenced;
}

/** The columns of related rows that say what they belong to, in the order of `ownColumns`. */
function theirColumns(link: Exclude<PrismaLink, { at: "between" }>): readonly string[] {
  return link.at === "here" ? link.referenced : link.columns;
}

function selected(scope: RowScope, args: Value | undefined): readonly PrismaScalar[] {
  const { tools } = scope.operation;
  const all = scalarsOf(scope.model);
  const select = argumentField(tools, args, "select");
  if (select === undefined) {
    const left = new Set<string>();
    const { name: model } = scope.model;
    const always = argumentField(tools, scope.operation.omitted, `${model.charAt(0).toLowerCase()}${model.slice(1)}`); // prettier-ignore
    for (const omit of [always, argumentField(tools, args, "omit")]) {
      for (const [name, value] of (omit && knownFields(tools, omit)) ?? []) {
        if (isTrue(value)) left.add(name);
        else if (isFalse(value)) left.delete(name);
      }
    }
    return all.filter(({ name }) => !left.has(name));
  }
  const fields = knownFields(tools, select);
  if (fields === undefined) return all;
  // Columns that may be selected are read: `false` alone leaves a column out.
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
  const order = outputs.map(({ name }) => name).filter((name) => !name.startsWith("_"));
  const wide = outputs.flatMap(({ name }) => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" && field.written === "BigInt" ? [name] : [];
  });
  return { order, types: new Map(types), required: new Set(required), wide: new Set(wide) };
}

/** The relations that `select` or `include` asks for, with what is asked of each. */
export function requestedRelations(
  operation: Operation,
  model: PrismaModel,
  args: Value | undefined,
): readonly (readonly [PrismaRelation, Value])[] {
  const asked = ["select", "include"].flatMap((name) => {
    const value = argumentField(operation.tools, args, name);
    return (value && knownFields(operation.tools, value)) ?? [];
  });
  return asked.flatMap(([name, value]): readonly (readonly [PrismaRelation, Value])[] => {
    const field = model.fields.get(name);
    return field?.kind === "relation" && !isFalse(value) ? [[field, value]] : [];
  });
}

/** How many related rows there are, where `_count` asks: outputs of the same statement. */
export function requestedCounts(scope: RowScope, args: Value | undefined): readonly Output[] {
  const { tools } = scope.operation;
  const counts = ["select", "include"].flatMap(
    (name) => argumentField(tools, argumentField(tools, args, name), "_count") ?? [],
  );
  return counts.flatMap((count): readonly Output[] => {
    const select = argumentField(tools, count, "select");
    const fields = (select && knownFields(tools, select)) ?? allLists(scope.model);
    return fields.flatMap(([name, value]): readonly Output[] => {
      const relation = scope.model.fields.get(name);
      if (relation?.kind !== "relation" || isFalse(value)) return [];
      const join = joinOf(scope, relation);
      if (join === undefined) return [];
      const where = conditionOf(join.inner, argumentField(tools, value, "where"));
      const query: Query = {
        ...queryOf(join.relations, connective("and", [join.on, where])),
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
  return `${COUNTS}${relation}`;
}

const COUNTS = "_count.";

/** Rows whose related rows are read: all of a result, or the first, with the names of their columns. */
interface Owners {
  readonly result: string;
  readonly isMany: boolean;
  readonly nameOf: (column: string) => string;
}

/** Related rows as they are read, with what of them belongs to each of their owners. */
interface Related {
  readonly name: string;
  readonly of: (owner: RowValue) => Value;
}

/** Reads the related rows that are asked for, by a statement each, as the client does. */
function readRelated(
  operation: Operation,
  model: PrismaModel,
  args: Value | undefined,
  owners: Owners,
): readonly Related[] {
  const known = requestedRelations(operation, model, args).flatMap(
    ([relation, asked]) => readRelation(operation, relation, asked, owners) ?? [],
  );
  return [...perhapsRelated(operation, model, args), ...known];
}

/** The unknown of related rows, where it is not known which are read: any relation of the model may be there. */
function perhapsRelated(
  { tools, source }: Operation,
  model: PrismaModel,
  args: Value | undefined,
): readonly Related[] {
  const open = openParts(tools, args);
  const relations = [...model.fields.values()].filter(({ kind }) => kind === "relation");
  for (const why of open) tools.lose(why, source, relations.length > 0 ? "opaque" : "over");
  const [why] = open;
  if (why === undefined) return [];
  return relations.map(({ name }) => ({ name, of: () => unknown(why) }));
}

function readRelation(
  operation: Operation,
  relation: PrismaRelation,
  asked: Value,
  owners: Owners,
): Related | undefined {
  const { tools, schema } = operation;
  const model = schema.models.get(relation.model);
  const { link } = relation;
  if (model === undefined || link === undefined) {
    tools.lose(`the relation ${relation.name} has no link`, operation.source);
    return undefined;
  }
  const losses: Losses = [];
  if (!isCertain(tools, asked)) losses.push("whether it is read along is not known");
  const scope: RowScope = { operation, model, alias: model.table, losses };
  const { relations, links, on } = linked(scope, link);
  const { isMany } = owners;
  const isCut = SECTION.some((name) => argumentField(tools, asked, name) !== undefined);
  if (isMany && isCut) {
    tools.lose("a part of the rows related to each of several rows is not told", operation.source);
  }
  const loop = tools.fresh("among");
  const at = isMany ? { loop } : "first";
  const belongs = connective(
    "and",
    links.map(({ theirs, own }) => {
      const { result, nameOf } = owners;
      return compare("=", theirs, { kind: "field", result, field: nameOf(own), at });
    }),
  );
  const isOfOne: Expression = isMany
    ? { kind: "among", result: owners.result, loop, function: "any", where: belongs }
    : belongs;
  const where = connective("and", [
    ...on,
    isOfOne,
    conditionOf(scope, argumentField(tools, asked, "where")),
  ]);
  const own = withColumns(scope, outputsOf(scope, asked), link.at === "between" ? [] : theirColumns(link)); // prettier-ignore
  const between = link.at === "between" ? links.map(({ theirs }) => ({ name: OWNER, value: theirs })) : []; // prettier-ignore
  const outputs = [...own, ...between, ...requestedCounts(scope, asked)];
  const into = tools.fresh("r");
  const query = withPage(scope, { ...queryOf(relations, where), outputs }, asked);
  run(operation, { kind: "select", query, into, discarded: false }, losses);
  const isRows = isMany || relation.isList;
  const value = resultOf(operation, model, into, outputs, asked, isRows ? "rows" : "row");
  const { name } = relation;
  if (!isMany || value.kind !== "rows") return { name, of: () => value };
  const names = link.at === "between" ? [OWNER] : theirColumns(link).map((column) => linkName(model, outputs, column)); // prettier-ignore
  const isOf = (owner: RowValue, row: RowValue): Expression =>
    connective(
      "and",
      names.map((theirs, index) => {
        const mine = fieldExpression(owner, owners.nameOf(links[index]?.own ?? ""));
        return compare("=", fieldExpression(row, theirs), mine);
      }),
    );
  if (relation.isList) {
    return { name, of: (owner) => tools.those(value, (row) => isOf(owner, row)) };
  }
  return { name, of: (owner) => tools.firstOf(value, (row) => isOf(owner, row)) };
}

/** Options that take a part of the related rows of each owner. */
const SECTION = ["take", "skip", "cursor", "distinct"];
/** The owner's key in the table between. */
const OWNER = "_link";

/** The tables of related rows, what joins them, and the columns by which each belongs to its owner. */
function linked(
  { operation, alias, model }: RowScope,
  link: PrismaLink,
): {
  readonly relations: readonly Relation[];
  readonly on: readonly Expression[];
  readonly links: readonly { readonly theirs: Expression; readonly own: string }[];
} {
  const own = ownColumns(link);
  const table = relationTo(model.table);
  if (link.at === "between") {
    const between = operation.tools.fresh("t");
    return {
      relations: [relationTo(link.table, between), table],
      on: [compare("=", columnOf(alias, link.otherKey), columnOf(between, link.other))],
      links: own.map((column) => ({ theirs: columnOf(between, link.own), own: column })),
    };
  }
  const links = theirColumns(link).map((column, at) => ({
    theirs: columnOf(alias, column),
    own: own[at] ?? "",
  }));
  return { relations: [table], on: [], links };
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
  const related = new Map<string, (row: RowValue) => Value>();
  const counts = outputs.flatMap(({ name }) => (name.startsWith(COUNTS) ? [name] : []));
  if (counts.length > 0) {
    related.set("_count", (row) => {
      const fields = counts.map((name): readonly [string, Value] => [
        name.slice(COUNTS.length),
        scalar(fieldExpression(row, name), "int"),
      ]);
      return tools.object(Object.fromEntries(fields));
    });
  }
  const nameOf = (column: string): string => linkName(model, outputs, column);
  const owners: Owners = { result: into, isMany: kind === "rows", nameOf };
  for (const { name, of } of readRelated(operation, model, args, owners)) related.set(name, of);
  const rows = tools.rows(into, { ...columnsOf(model, outputs), relatedTo: related });
  return kind === "rows" ? rows : tools.firstRow(rows);
}
