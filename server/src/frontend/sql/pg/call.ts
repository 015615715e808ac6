// Function calls: aggregates, evaluated functions, generators, and all others.
import type { FuncCall, Node } from "libpg-query";
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import { lockRequest, type LockCall } from "../lockRequests";
import { textOf, type CallArgument } from "../lowering";
import { functionFacts, isPure } from "../../../program/functions";
import { constantOf, lastName, schemaOf, stringsOf } from "./ast";
import { lowerCast } from "./cast";
import { epochOf, truncated } from "./duration";
import { callsOwn } from "./functionNames";
import { aggregateOf, EVALUATED_FUNCTIONS, FRESH, LENGTHS } from "./functions";
import { ofSession, outsideValue } from "./outside";
import { lowerAll, lowerExpression } from "./recursion";
import { loseOutside, taint, type Scope, type Work } from "./scope";
import { setCall } from "./sets";
import { windowValue } from "./windows";

/** A call of a function or aggregate. */
export function lowerCall(call: FuncCall, scope: Scope, work: Work): Expression {
  const name = lastName(call.funcname);
  if (callsOwn(call, scope, work)) {
    const own = ownFunction(call, scope, work);
    return own ?? loseOutside(work, `the function ${name}()`, lowerAll(call.args, scope, work));
  }
  const aggregate = aggregateOf(name);
  if (call.over !== undefined) {
    const { over: _, ...plain } = call;
    const value = (): Expression => lowerCall(plain, scope, work);
    return windowValue(call, aggregate === undefined ? undefined : value, scope, work);
  }
  if (aggregate !== undefined && (call.agg_star === true || (call.args ?? []).length > 0)) {
    return lowerAggregate(call, name, aggregate, scope, work);
  }
  const fresh = FRESH[name];
  if (fresh !== undefined) {
    return { kind: "fresh", id: work.context.ids.fresh("f"), type: fresh.type, why: fresh.why };
  }
  const setting = name === "current_setting" ? settingOf(call, work) : undefined;
  if (setting !== undefined) return setting;
  const set = setCall(call, scope, work);
  if (set !== undefined) return set;
  const moment = momentCall(name, call.args ?? [], scope, work);
  if (moment !== undefined) return moment;
  const args = lowerAll(call.args, scope, work);
  if (EVALUATED_FUNCTIONS.has(name) || (LENGTHS.has(name) && args[0]?.kind === "array"))
    return { kind: "call", name, arguments: args, deterministic: true };
  // An uninterpreted function: equal arguments give equal values.
  if (isPure(name)) {
    const all = name === "age" && args.length === 1 ? [now(work), ...args] : args;
    return { kind: "call", name, arguments: all, deterministic: true };
  }
  const outside = outsideValue(name, args, work);
  if (outside !== undefined) return outside;
  const own = ownFunction(call, scope, work);
  if (own !== undefined) return own;
  const [arg, ...more] = call.args ?? [];
  if (arg !== undefined && more.length === 0 && CASTS.has(name))
    return lowerCast({ arg, typeName: { names: [{ String: { sval: name } }] } }, scope, work);
  if (SUPABASE.has(stringsOf(call.funcname).join(".")) && args.length === 0)
    return ofSession(`the session's ${name}`, work);
  const locked = advisoryLock(call, args, scope, work);
  if (locked !== undefined) return locked;
  const reason = `the function ${name}()`;
  // It takes a lock, or says that another has it: neither is any value.
  const effect = /^pg_(?:try_)?advisory_/.test(name) ? "approx" : "outside";
  return loseOutside(work, reason, args, functionFacts(name).type, effect);
}

/** The answer of a function of advisory locks, asked before its statement; undefined in a query, where it may be called for each row. */
function advisoryLock(
  call: FuncCall,
  args: readonly Expression[],
  { sources, outer }: Scope,
  { context, source, taint: losses, locks }: Work,
): Expression | undefined {
  const asked = advisoryCall(lastName(call.funcname), args);
  if (asked === undefined || locks === undefined || sources.length > 0 || outer) return undefined;
  const { ids, piece } = context;
  const base = { id: ids.statement(), source, text: textOf(piece), taint: losses };
  const { statement, answer } = lockRequest(asked, base, ids);
  locks.push(statement);
  return asked.does === "waits" ? literal("") : answer;
}

/** The request that a function of advisory locks makes; undefined for other functions. Two keys lock their pair. */
export function advisoryCall(name: string, keys: readonly Expression[]): LockCall | undefined {
  const all = { mode: "exclusive", outlives: true } as const;
  if (name === "pg_advisory_unlock_all") return { does: "releases", ...all };
  const parts = /^pg_(try_)?advisory_(xact_)?(un)?lock(_shared)?$/.exec(name);
  const [first, second] = keys;
  if (parts === null || first === undefined) return undefined;
  const [, tries, xact, un, shared] = parts;
  const pair: Expression[] = second === undefined ? [] : [first, literal(","), second];
  const key: Expression =
    pair.length === 0
      ? first
      : { kind: "call", name: "concat", arguments: pair, deterministic: true };
  return {
    does: un ? "releases" : tries ? "asks" : "waits",
    mode: shared ? "share" : "exclusive",
    outlives: !xact,
    key,
  };
}

/** `extract(epoch from x)` and `date_trunc('day', x)`; undefined for other calls. */
function momentCall(
  name: string,
  [field, node, zone]: readonly Node[],
  scope: Scope,
  work: Work,
): Expression | undefined {
  const unit = field && "A_Const" in field ? constantOf(field.A_Const) : undefined;
  if (node === undefined || unit === undefined || zone !== undefined) return undefined;
  if (name === "extract" || name === "date_part")
    return unit === "epoch" ? epochOf(node, scope, work) : undefined;
  return name === "date_trunc" ? truncated(unit, node, scope, work) : undefined;
}

/** The result of a workspace function, inlined here or known to touch no table. Undefined for others. */
function ownFunction(call: FuncCall, scope: Scope, work: Work): Expression | undefined {
  const name = lastName(call.funcname);
  const schema = schemaOf(call.funcname);
  const { context } = work;
  const isAlone = scope.sources.length === 0 && scope.outer === undefined;
  const called = isAlone
    ? context.call?.(name, callArguments(call, scope, work), schema)
    : undefined;
  if (called?.isSet === true) taint(work, `the rows of ${name}()`);
  if (called !== undefined) return called.value;
  const gives = context.gives?.(name, call.args?.length ?? 0, schema);
  // Named arguments may be in any order.
  const isNamed = (call.args ?? []).some((node) => "NamedArgExpr" in node);
  if (gives === undefined || isNamed) return undefined;
  const args = lowerAll(call.args, scope, work);
  if (gives.mayFail && !args.every((each) => each.kind === "literal")) return undefined;
  return { kind: "call", name, arguments: args, deterministic: gives.deterministic };
}

/** Types whose names work as unary functions: `uuid(x)` is `x::uuid`. */
const CASTS: ReadonlySet<string> = new Set(
  "uuid text varchar int2 int4 int8 float4 float8 numeric bool json jsonb bytea timestamptz".split(
    " ",
  ),
);

/** Functions that Supabase defines in every database: they read session settings. */
const SUPABASE: ReadonlySet<string> = new Set(["auth.uid", "auth.role", "auth.email", "auth.jwt"]);

/** A session setting by name: an external value for the transaction. */
function settingOf(call: FuncCall, work: Work): Expression | undefined {
  const [given] = call.args ?? [];
  const first = given !== undefined && "TypeCast" in given ? given.TypeCast.arg : given;
  const name = first !== undefined && "A_Const" in first ? constantOf(first.A_Const) : undefined;
  if (typeof name !== "string") return undefined;
  // Each read is a separate unknown: SET may have changed it since.
  return ofSession(`the session's setting ${name}`, work);
}

/** The current time, the default of some functions. */
export function now(work: Work): Expression {
  return { kind: "fresh", id: work.context.ids.fresh("f"), type: "time", why: "now" };
}

/** The arguments of a call, with names if given. */
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
  const distinct = call.agg_distinct === true;
  const filter =
    call.agg_filter === undefined ? undefined : lowerExpression(call.agg_filter, scope, work);
  const only = (value: Expression): Expression =>
    filter === undefined ? value : filtered(filter, value);
  const [first] = call.args ?? [];
  const base = { kind: "aggregate", function: kind, distinct } as const;
  if (kind === "other") return gathered(call, name, base, only, scope, work);
  if (first === undefined || isWholeRow(first, scope))
    return filter === undefined ? base : { ...base, operand: only(literal(1)) };
  return { ...base, operand: only(lowerExpression(first, scope, work)) };
}

/** Aggregates that include NULL. */
const KEEPING_NULL: ReadonlySet<string> = new Set(
  "array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg".split(" "),
);

/** An aggregate that is not evaluated: a function of its input from each row, in order. */
function gathered(
  call: FuncCall,
  name: string,
  base: Omit<Extract<Expression, { kind: "aggregate" }>, "operand" | "name">,
  only: (value: Expression) => Expression,
  scope: Scope,
  work: Work,
): Expression {
  const args = lowerAll(call.args, scope, work);
  const [first] = args;
  const isTruth = /^(bool_and|bool_or|every)$/.test(name);
  if (isTruth && first !== undefined) return truthOf(name, first, base, only);
  const order = (call.agg_order ?? []).flatMap((node) =>
    "SortBy" in node && node.SortBy.node !== undefined
      ? [lowerExpression(node.SortBy.node, scope, work)]
      : [],
  );
  const how = directionOf(call.agg_order ?? [], work);
  const given = [...args, ...order];
  const [value = literal(1)] = given;
  const row: Expression = { kind: "call", name: "row", arguments: given, deterministic: true };
  const isBare = given.length === 1 && !KEEPING_NULL.has(name);
  const kept = KEEPING_NULL.has(name) || first === undefined ? row : present(first, row);
  const operand = only(isBare ? value : kept);
  return { ...base, name: `${name}${how}`, operand };
}

/** The sort directions of an ordered aggregate; each combination is another function. */
function directionOf(order: readonly Node[], work: Work): string {
  const keys = order.flatMap((node) => ("SortBy" in node ? [node.SortBy] : []));
  if (keys.some((key) => key.useOp !== undefined)) taint(work, "ORDER BY ... USING");
  const ways = keys.map(({ sortby_dir: way, sortby_nulls: nulls }) =>
    [
      way === "SORTBY_DESC" ? "descending" : "",
      nulls === "SORTBY_NULLS_FIRST" ? "nulls first" : "",
      nulls === "SORTBY_NULLS_LAST" ? "nulls last" : "",
    ]
      .filter((word) => word !== "")
      .join(" "),
  );
  const [first = ""] = ways;
  if (ways.every((way) => way === "")) return "";
  return ways.every((way) => way === first) ? ` ${first}` : ` ${ways.join(", ")}`;
}

function present(value: Expression, row: Expression): Expression {
  const condition: Expression = { kind: "isNull", operand: value };
  return { kind: "conditional", condition, then: literal(null), otherwise: row };
}

/** True if the condition holds in all non-NULL rows, or in one: the minimum or maximum of 0 and 1. */
function truthOf(
  name: string,
  condition: Expression,
  base: Omit<Extract<Expression, { kind: "aggregate" }>, "operand" | "name">,
  only: (value: Expression) => Expression,
): Expression {
  const no: Expression = { kind: "not", operand: condition };
  const number: Expression = {
    kind: "conditional",
    condition,
    then: literal(1),
    otherwise: { kind: "conditional", condition: no, then: literal(0), otherwise: literal(null) },
  };
  const extreme = name === "bool_or" ? "max" : "min";
  const left: Expression = { ...base, distinct: false, function: extreme, operand: only(number) };
  return { kind: "comparison", operator: "=", left, right: literal(1) };
}

/** Aggregates ignore NULL, so FILTER becomes a value that is NULL where the condition does not hold. */
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
