// Calls of functions and aggregates in MySQL, MariaDB, SQL Server and SQLite.
import { TODAY } from "../currentDate";
import type { Expression } from "../../../program/expression";
import { literal, ofRows } from "../expressions";
import { lockRequest } from "../lockRequests";
import { lose } from "../nsp/scope";
import { compare, connective } from "../terms";
import {
  aggregateOf,
  DATES,
  DETERMINISTIC,
  EVALUATED_FUNCTIONS,
  FRESH,
  SESSION_MEMORY,
} from "./functions";
import { movedMoment } from "./moments";
import { baseOf } from "./statementBase";
import type { SyntaxExpression } from "./syntax";
import { isMysql, weaken, type Expressions } from "./work";

type Call = Omit<Extract<SyntaxExpression, { readonly kind: "call" }>, "kind">;

/** A call. Never fails: an unknown function is an unknown value of its arguments. */
export function lowerCall(call: Call, of: Expressions): Expression {
  const { work } = of;
  const { name } = call;
  if (call.windowed) {
    const parts = call.arguments.filter((each) => each.kind !== "star");
    return ofRows(lose(work, `the window function ${name}()`, lowerValues(parts, of)));
  }
  const isScalar = call.arguments.length > 1 && (name === "min" || name === "max");
  const aggregate = isScalar ? undefined : aggregateOf(name);
  if (aggregate !== undefined) return aggregated(call, aggregate, of);
  const known = special(call, of);
  if (known !== undefined) return known;
  if (DATES.has(name) && call.arguments.length === 0) return TODAY;
  const fresh = FRESH.get(name);
  if (fresh !== undefined && call.arguments.every((each) => each.kind === "literal")) {
    return { kind: "fresh", id: work.context.ids.fresh("f"), type: fresh.type, why: fresh.why };
  }
  if (name === "nextval") {
    return { kind: "fresh", id: work.context.ids.fresh("f"), type: "int", why: "sequence" };
  }
  const values = lowerValues(call.arguments, of);
  const evaluated = EVALUATED_FUNCTIONS.get(name);
  if (evaluated !== undefined) {
    return { kind: "call", name: evaluated, arguments: values, deterministic: true };
  }
  const type = DETERMINISTIC.get(name);
  if (type !== undefined) {
    // An uninterpreted function: equal arguments give equal values.
    weaken(work, `the function ${name}()`);
    return { kind: "call", name, arguments: values, deterministic: true };
  }
  const ownCall = of.scope.sources.length === 0 && of.scope.outer === undefined;
  const called = ownCall
    ? work.context.call?.(
        name,
        values.map((value) => ({ value })),
      )
    : undefined;
  return called?.value ?? lose(work, `the function ${name}()`, values, "outside");
}

function aggregated(
  call: Call,
  kind: NonNullable<ReturnType<typeof aggregateOf>>,
  of: Expressions,
): Expression {
  if (kind === "other") weaken(of.work, `the aggregate ${call.name}()`);
  const [first, ...others] = call.arguments;
  const base = { kind: "aggregate", function: kind, distinct: call.distinct } as const;
  if (first === undefined || first.kind === "star") return base;
  const operand = of.value(first, of);
  if (others.length === 0) return { ...base, operand };
  if (kind !== "count")
    return { ...base, operand: connective("and", lowerValues(call.arguments, of)) };
  weaken(of.work, "COUNT of several columns");
  return { ...base, operand };
}

function special(call: Call, of: Expressions): Expression | undefined {
  const { work } = of;
  const { name, arguments: nodes } = call;
  const [first, second, third] = nodes;
  const value = (node: SyntaxExpression): Expression => of.value(node, of);
  const remembered = SESSION_MEMORY.get(name);
  if (remembered !== undefined && first === undefined) {
    return work.context.variable([remembered]) ?? lose(work, `the value of ${name}`, []);
  }
  switch (name) {
    case "ifnull":
    case "coalesce":
    case "nvl":
      return { kind: "coalesce", operands: lowerValues(nodes, of) };
    case "isnull":
      if (first === undefined) return undefined;
      return second === undefined
        ? { kind: "isNull", operand: value(first) }
        : { kind: "coalesce", operands: lowerValues(nodes, of) };
    case "if":
    case "iif":
      if (first === undefined || second === undefined) return undefined;
      return {
        kind: "conditional",
        condition: of.condition(first, of),
        then: value(second),
        otherwise: third === undefined ? literal(null) : value(third),
      };
    case "nullif": {
      if (first === undefined || second === undefined) return undefined;
      const left = value(first);
      const condition = compare("=", left, value(second));
      return { kind: "conditional", condition, then: literal(null), otherwise: left };
    }
    case "date_add":
    case "adddate":
      return first && second && movedMoment(first, second, 1, of);
    case "date_sub":
    case "subdate":
      return first && second && movedMoment(first, second, -1, of);
    case "concat":
      return concatenated(lowerValues(nodes, of), of);
    case "mod":
      if (first === undefined || second === undefined) return undefined;
      return { kind: "arithmetic", operator: "%", left: value(first), right: value(second) };
    case "greatest":
    case "least":
      return extreme(name, lowerValues(nodes, of), of);
    case "max":
    case "min":
      return extreme(name === "max" ? "greatest" : "least", lowerValues(nodes, of), of);
    case "any_value":
    case "last_insert_id":
      return first === undefined ? undefined : value(first);
    case "get_lock":
      return first && sessionLock("asks", value(first), of);
    case "release_lock":
      return first && sessionLock("releases", value(first), of);
    case "release_all_locks":
      return sessionLock("releases", undefined, of);
    case "sleep":
    case "benchmark":
      return literal(0);
    default:
      return undefined;
  }
}

/** The answer of GET_LOCK or RELEASE_LOCK, 1 or 0; undefined in a query, where the server may evaluate it once per row. */
function sessionLock(
  does: "asks" | "releases",
  key: Expression | undefined,
  { scope, work }: Expressions,
): Expression | undefined {
  if (scope.sources.length > 0 || scope.outer) return undefined;
  const { ids } = work.context;
  const asked = { does, mode: "exclusive", outlives: true, ...(key && { key }) } as const;
  const { statement, answer } = lockRequest(asked, { ...baseOf(work), taint: work.taint }, ids);
  work.locks.push(statement);
  return { kind: "conditional", condition: answer, then: literal(1), otherwise: literal(0) };
}

/** CONCAT is NULL if a part is; SQL Server's treats NULL as an empty text. */
function concatenated(values: readonly Expression[], { work }: Expressions): Expression {
  const parts =
    work.dialect === "sqlserver"
      ? values.map((each): Expression => ({ kind: "coalesce", operands: [each, literal("")] }))
      : values;
  const [first = literal(""), ...others] = parts;
  return others.reduce<Expression>(
    (left, right) => ({ kind: "arithmetic", operator: "||", left, right }),
    first,
  );
}

/** GREATEST and LEAST are NULL if a value is, unlike in PostgreSQL and SQL Server. */
function extreme(name: string, values: readonly Expression[], { work }: Expressions): Expression {
  const call: Expression = { kind: "call", name, arguments: values, deterministic: true };
  if (!isMysql(work) && work.dialect !== "sqlite") return call;
  const open = values.filter((each) => each.kind !== "literal");
  if (open.length === 0) return call;
  const absent = open.map((operand): Expression => ({ kind: "isNull", operand }));
  return {
    kind: "conditional",
    condition: connective("or", absent),
    then: literal(null),
    otherwise: call,
  };
}

function lowerValues(nodes: readonly SyntaxExpression[], of: Expressions): readonly Expression[] {
  return nodes.map((node) => of.value(node, of));
}
