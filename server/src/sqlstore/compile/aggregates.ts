// Aggregate functions and the groups that they are computed over.
import { failure, unsupported } from "../sqlError";
import type { SqlCall } from "../tree";
import { identities } from "../values/compare";
import type { SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import { accumulatorOf, AGGREGATES } from "./accumulators";
import { compileExpression } from "./recursion";
import {
  isPostgres,
  truth,
  type Compiler,
  type Env,
  type Node,
  type Scope,
  type Sort,
  type AggregateSlot,
} from "./node";
import { sortInTurns, sortOf } from "./ordering";
import { toEnd, type Slices } from "./slices";

export function isAggregate(call: SqlCall, compiler: Pick<Compiler, "dialect">): boolean {
  return (
    call.over === undefined &&
    AGGREGATES.has(call.name) &&
    (call.name !== "any_value" || compiler.dialect !== "postgres")
  );
}

/** An aggregate of the query at hand, as what reads its result. */
export function aggregateNode(call: SqlCall, scope: Scope): Node {
  const { compiler } = scope;
  if (scope.aggregates !== "allowed") {
    throw isPostgres(compiler)
      ? failure(
          "misplacedAggregate",
          scope.aggregates === "nested"
            ? "aggregate function calls cannot be nested"
            : `aggregate functions are not allowed in ${scope.aggregates}`,
        )
      : failure("misplacedAggregate", "Invalid use of group function");
  }
  const { grouping } = scope;
  scope.grouping = undefined;
  scope.aggregates = "nested";
  const { slot, type } = aggregateSlot(call, scope);
  scope.grouping = grouping;
  scope.aggregates = "allowed";
  const at = scope.aggregateSlots.push(slot) - 1;
  return { type, constant: false, run: (env) => env.aggregates[at] ?? null };
}

/** The type that an aggregate takes and gives; also used for aggregates over windows. */
export function aggregateSlot(
  call: SqlCall,
  scope: Scope,
): { readonly slot: AggregateSlot; readonly type: SqlType } {
  const { compiler } = scope;
  const values = call.arguments.map((argument) => compileExpression(argument, scope));
  const orderNodes = call.orderBy.map((order) => compileExpression(order.value, scope));
  // WITHIN GROUP: what is ordered is what is aggregated.
  const given = call.withinGroup ? [...orderNodes, ...values] : values;
  const { inputs, type, start, skipsNull } = accumulatorOf(call, given, compiler);
  const filter = call.filter && truth(compileExpression(call.filter, scope), compiler, "FILTER");
  const sorts = call.orderBy.flatMap((order, at) => {
    const node = orderNodes[at];
    return node === undefined ? [] : [sortOf(node, order, compiler)];
  });
  if (call.distinct && sorts.length > 0 && call.withinGroup)
    throw unsupported("DISTINCT with WITHIN GROUP");
  return { slot: { inputs, filter, distinct: call.distinct, sorts, start, skipsNull }, type };
}

/** The result of an aggregate over the rows of a window. */
export function aggregate(
  slot: AggregateSlot,
  rows: readonly Env[],
  env: Env,
  compiler: Compiler,
): SqlValue {
  return toEnd(aggregateInTurns(slot, rows, env, compiler, () => false));
}

/** The result of an aggregate over the rows of a group, in slices. */
function* aggregateInTurns(
  slot: AggregateSlot,
  rows: readonly Env[],
  env: Env,
  compiler: Compiler,
  isDue: () => boolean,
): Slices<SqlValue> {
  const accumulator = slot.start(env);
  const types = slot.inputs.map((input) => input.type);
  const seen = slot.distinct ? new Set<string>() : undefined;
  const { filter } = slot;
  const chosen = filter === undefined ? rows : rows.filter((row) => filter(row) === true);
  const keyOf = (each: Env, sort: Sort): SqlValue => sort.node.run(each);
  for (const row of yield* sortInTurns(chosen, slot.sorts, keyOf, isDue)) {
    if (isDue()) yield;
    const values = slot.inputs.map((input) => input.run(row));
    if (slot.skipsNull && (values[0] ?? null) === null) continue;
    if (seen !== undefined) {
      const name = identities(values.slice(0, 1), types, compiler.dialect);
      if (seen.has(name)) continue;
      seen.add(name);
    }
    accumulator.add(values);
  }
  return accumulator.result();
}

/** One environment per group, with the group's first row and all aggregates. */
export function* groupEnvs(
  rows: readonly Env[],
  env: Env,
  keys: readonly Node[],
  hasKeys: boolean,
  scope: Scope,
): Slices<readonly Env[]> {
  const { compiler, aggregateSlots } = scope;
  const groups = new Map<string, Env[]>();
  const types = keys.map((key) => key.type);
  for (const row of rows) {
    if (env.work.isDue()) yield;
    const values: SqlRow = keys.map((key) => key.run(row));
    const name = identities(values, types, compiler.dialect);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  if (!hasKeys && groups.size === 0) groups.set("", []);
  const found: Env[] = [];
  for (const group of groups.values()) {
    if (env.work.isDue()) yield;
    const aggregates: SqlValue[] = [];
    for (const slot of aggregateSlots)
      aggregates.push(yield* aggregateInTurns(slot, group, env, compiler, env.work.isDue));
    found.push({ ...(group[0] ?? env), aggregates });
  }
  return found;
}
