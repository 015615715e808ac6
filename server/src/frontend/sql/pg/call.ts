// Function calls: aggregates, functions that are evaluated, functions that give new values, and all the others.
import type { FuncCall, Node } from "libpg-query";
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import type { CallArgument } from "../lowering";
import { joined } from "../terms";
import { functionFacts, isPure } from "../../../program/functions";
import { lastName } from "./ast";
import { aggregateOf, EVALUATED, FRESH, LENGTHS } from "./functions";
import { lowerAll, lowerExpression } from "./recursion";
import { lose, taint, type Scope, type Work } from "./scope";
import { setCall } from "./sets";

/** A call of a function or aggregate. */
export function lowerCall(call: FuncCall, scope: Scope, work: Work): Expression {
  const name = lastName(call.funcname);
  if (call.over !== undefined) {
    return lose(work, `the window function ${name}()`, lowerAll(call.args, scope, work));
  }
  const aggregate = aggregateOf(name);
  if (aggregate !== undefined && (call.agg_star === true || (call.args ?? []).length > 0)) {
    return lowerAggregate(call, name, aggregate, scope, work);
  }
  const fresh = FRESH[name];
  if (fresh !== undefined) {
    return { kind: "fresh", id: work.context.ids.fresh("f"), type: fresh.type, why: fresh.why };
  }
  const set = setCall(call, scope, work);
  if (set !== undefined) return set;
  const args = lowerAll(call.args, scope, work);
  if (EVALUATED.has(name) || (LENGTHS.has(name) && args[0]?.kind === "array"))
    return { kind: "call", name, arguments: args, deterministic: true };
  // Not evaluated, but equal arguments give equal values.
  if (isPure(name)) {
    const all = name === "age" && args.length === 1 ? [now(work), ...args] : args;
    return { kind: "call", name, arguments: all, deterministic: true };
  }
  const ownCall = scope.sources.length === 0 && scope.outer === undefined;
  const called = ownCall ? work.context.call?.(name, callArguments(call, scope, work)) : undefined;
  if (called?.isSet === true) taint(work, `the rows of ${name}()`);
  return called?.value ?? lose(work, `the function ${name}()`, args, functionFacts(name).type);
}

/** The time at hand, which some functions take where it is not given. */
export function now(work: Work): Expression {
  return { kind: "fresh", id: work.context.ids.fresh("f"), type: "time", why: "now" };
}

/** The arguments of a call with their names where it gives them. */
export function callArguments(call: FuncCall, scope: Scope, work: Work): readonly CallArgument[] {
  return (call.args ?? []).map((node): CallArgument => {
    const value = lowerExpression(node, scope, work);
    const name = "NamedArgExpr" in node ? node.NamedArgExpr.name : undefined;
    return name === undefined ? { value } : { name, value };
  });
}

function lowerAggregate(
  call: FuncCall,
  name: string,
  kind: NonNullable<ReturnType<typeof aggregateOf>>,
  scope: Scope,
  work: Work,
): Expression {
  if (kind === "other") taint(work, `the aggregate ${name}()`);
  const distinct = call.agg_distinct === true;
  const filter =
    call.agg_filter === undefined ? undefined : lowerExpression(call.agg_filter, scope, work);
  const [first, ...others] = call.args ?? [];
  const base = { kind: "aggregate", function: kind, distinct } as const;
  if (first === undefined || isWholeRow(first, scope)) {
    if (filter === undefined) return base;
    return { ...base, operand: filtered(filter, literal(1)) };
  }
  const operand = lowerExpression(first, scope, work);
  const rest = lowerAll(others, scope, work);
  // Only its reads matter then: the value is not known anyway.
  const all = kind === "other" && rest.length > 0 ? joined("and", [operand, ...rest]) : operand;
  return { ...base, operand: filter === undefined ? all : filtered(filter, all) };
}

/** Aggregates leave NULL out, so FILTER is a value that is NULL where the condition does not hold. */
function filtered(condition: Expression, value: Expression): Expression {
  return { kind: "conditional", condition, then: value, otherwise: literal(null) };
}

/** COUNT(t) of a table t counts its rows. */
function isWholeRow(node: Node, scope: Scope): boolean {
  if (!("ColumnRef" in node)) return false;
  const fields = node.ColumnRef.fields ?? [];
  if (fields.some((field) => "A_Star" in field)) return true;
  const name = fields.length === 1 ? lastName(fields) : undefined;
  return scope.sources.some(
    ({ relation, columns }) =>
      relation.alias === name && relation.join === "inner" && columns?.includes(name) !== true,
  );
}
