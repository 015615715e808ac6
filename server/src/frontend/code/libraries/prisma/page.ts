// Order and section of what the Prisma client finds: orderBy, take, skip, cursor, distinct.
import type { Value } from "../../values";
import type { Query } from "../../../../program/expression";
import { columnOf, type RowScope } from "./context";
import { constantOf, knownFields, argumentField, isAbsent, itemsOrSelf } from "./argumentValues";

type Order = Query["orderBy"][number];

/** The query with its order and section. What is not understood of them is a loss. */
export function withPage(scope: RowScope, query: Query, args: Value | undefined): Query {
  const { tools } = scope.operation;
  const take = argumentField(tools, args, "take");
  const skip = argumentField(tools, args, "skip");
  const order = argumentField(tools, args, "orderBy");
  for (const name of ["cursor", "distinct"]) {
    const value = argumentField(tools, args, name);
    if (value !== undefined) scope.losses.push(`"${name}" is left out`);
  }
  const orders = order === undefined ? [] : ordersOf(scope, order);
  const count = constantOf(take);
  // A negative number takes the last ones.
  const isReversed = typeof count === "number" && count < 0;
  const orderBy = isReversed
    ? orders.map((each) => ({ ...each, descending: !each.descending }))
    : orders;
  const limit = take && (isReversed ? LITERAL(-count) : tools.expression(take));
  const offset = skip && tools.expression(skip);
  return { ...query, orderBy, ...(limit && { limit }), ...(offset && { offset }) };
}

const LITERAL = (value: number) => ({ kind: "literal", value, type: "int" }) as const;

function ordersOf(scope: RowScope, value: Value): readonly Order[] {
  const { tools } = scope.operation;
  const items = itemsOrSelf(tools, value);
  if (items === undefined) {
    scope.losses.push("an order that is not known");
    return [];
  }
  return items.flatMap((item) => {
    const fields = knownFields(tools, item);
    if (fields === undefined) scope.losses.push("an order that is not known");
    return (fields ?? []).flatMap(([name, direction]) => orderOf(scope, name, direction));
  });
}

function orderOf(scope: RowScope, name: string, direction: Value): readonly Order[] {
  const field = scope.model.fields.get(name);
  const way = constantOf(argumentField(scope.operation.tools, direction, "sort") ?? direction);
  if (field?.kind !== "scalar" || (way !== "asc" && way !== "desc")) {
    if (!isAbsent(direction)) scope.losses.push(`the order by ${name}`);
    return [];
  }
  return [{ value: columnOf(scope.alias, field.column), descending: way === "desc" }];
}
