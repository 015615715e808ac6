// count, aggregate and groupBy of the Prisma client.
import type { AggregateFunction, Expression, Output } from "../../../../program/expression";
import { setEntry } from "../../../../protocol/dictionary";
import { literal } from "../../../sql/expressions";
import { scalar, type Value } from "../../values";
import {
  columnOf,
  fieldOf,
  queryOf,
  relationTo,
  run,
  scopeOf,
  type RowScope,
  type Work,
} from "./context";
import { constantOf, knownFields, argumentField, isTrue, itemsOrSelf } from "./argumentValues";
import { withPage } from "./page";
import { COUNT } from "./results";
import { conditionOf } from "./where";

/** `count`: a number, or a number for each column that is selected. */
export function countOperation(work: Work): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const scope = scopeOf(operation, model);
  const where = conditionOf(scope, argumentField(tools, args, "where"));
  const select = argumentField(tools, args, "select");
  const page = withPage(scope, queryOf([relationTo(model.table)], where), args);
  const { limit, offset } = page;
  if (limit !== undefined || offset !== undefined) {
    scope.losses.push("a count of a section counts all");
  }
  const fields = select === undefined ? undefined : knownFields(tools, select);
  if (select !== undefined && fields === undefined && !isTrue(select)) {
    scope.losses.push("what it counts is not known");
  }
  const outputs = fields
    ? fields.map(([name]) => ({ name, value: aggregateOf(scope, "count", name) }))
    : [{ name: "count", value: COUNT }];
  const into = tools.fresh("r");
  const query = { ...queryOf([relationTo(model.table)], where), outputs };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  const valueOf = (name: string): Value => scalar(fieldOf(into, name), "int");
  if (!fields) return valueOf("count");
  return tools.object(Object.fromEntries(fields.map(([name]) => [name, valueOf(name)])));
}

/** `aggregate`: an object of objects, `{ _max: { version } }`. */
export function aggregateOperation(work: Work): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const scope = scopeOf(operation, model);
  const where = conditionOf(scope, argumentField(tools, args, "where"));
  const page = withPage(scope, queryOf([relationTo(model.table)], where), args);
  if (page.limit !== undefined || page.offset !== undefined) {
    scope.losses.push("an aggregate of a section is one of all");
  }
  const into = tools.fresh("r");
  const { outputs, shape } = aggregatesAsked(scope, args, into);
  const query = { ...queryOf([relationTo(model.table)], where), outputs };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  return tools.object(shape);
}

/** `groupBy`: rows of the columns that it groups by. */
export function groupByOperation(work: Work): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const scope = scopeOf(operation, model);
  const where = conditionOf(scope, argumentField(tools, args, "where"));
  const by = argumentField(tools, args, "by");
  const names = (by && (itemsOrSelf(tools, by) ?? [by]))?.map(constantOf) ?? [];
  const fields = names.flatMap((name) => {
    const field = typeof name === "string" ? model.fields.get(name) : undefined;
    return field?.kind === "scalar" ? [field] : [];
  });
  if (fields.length < names.length || fields.length === 0) scope.losses.push("what it groups by");
  if (argumentField(tools, args, "having") !== undefined) scope.losses.push('"having" is left out');
  const into = tools.fresh("r");
  const { outputs } = aggregatesAsked(scope, args, into);
  const own = fields.map(({ name, column }) => ({ name, value: columnOf(scope.alias, column) }));
  const query = {
    ...queryOf([relationTo(model.table)], where),
    outputs: [...own, ...outputs],
    groupBy: own.map(({ value }) => value),
  };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  const types = new Map(fields.map(({ name, type }) => [name, type] as const));
  return tools.rows(into, { order: [...own, ...outputs].map(({ name }) => name), types });
}

const FUNCTIONS: Readonly<Record<string, AggregateFunction>> = {
  _count: "count",
  _sum: "sum",
  _avg: "avg",
  _min: "min",
  _max: "max",
};

function aggregatesAsked(
  scope: RowScope,
  args: Value | undefined,
  into: string,
): { readonly outputs: readonly Output[]; readonly shape: Readonly<Record<string, Value>> } {
  const { tools } = scope.operation;
  const outputs: Output[] = [];
  const shape: Record<string, Value> = {};
  for (const [name, kind] of Object.entries(FUNCTIONS)) {
    const asked = argumentField(tools, args, name);
    if (asked === undefined) continue;
    if (isTrue(asked)) {
      outputs.push({ name, value: COUNT });
      setEntry(shape, name, scalar(fieldOf(into, name), "int"));
      continue;
    }
    const fields = knownFields(tools, asked) ?? [];
    if (fields.length === 0) scope.losses.push(`what ${name} is of`);
    const inner = fields.map(([column]): readonly [string, Value] => {
      const output = `${name}.${column}`;
      outputs.push({ name: output, value: aggregateOf(scope, kind, column) });
      const field = scope.model.fields.get(column);
      const own = field?.kind === "scalar" ? field.type : undefined;
      const type = kind === "count" ? "int" : kind === "avg" ? "decimal" : own;
      return [column, scalar(fieldOf(into, output), type)];
    });
    setEntry(shape, name, tools.object(Object.fromEntries(inner)));
  }
  return { outputs, shape };
}

/** An aggregate of a field; `_all` counts rows. */
function aggregateOf(scope: RowScope, kind: AggregateFunction, name: string): Expression {
  if (name === "_all") return COUNT;
  const field = scope.model.fields.get(name);
  if (field?.kind !== "scalar") {
    scope.losses.push(`"${name}", which ${scope.model.name} does not have`);
    return literal(null);
  }
  const operand = columnOf(scope.alias, field.column);
  return { kind: "aggregate", function: kind, operand, distinct: false };
}
