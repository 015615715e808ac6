// Intervals as PostgreSQL writes them, and what is calculated with them: moments that are later or earlier by one, and lengths
// of time that are compared. Days have 24 hours.
import type { Node } from "libpg-query";
import type { ComparisonOperator, Expression } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { calendarCall, lengthOf, millisecondsOf, movedInSql, times, unitOfName } from "../../../program/moments"; // prettier-ignore
import { literal } from "../expressions";
import { compare } from "../terms";
import { constantOf, lastName, stringsOf, typeText } from "./ast";
import { lowerExpression } from "./recursion";
import { typeIn, type Scope, type Work } from "./scope";

/** A part of an interval: so many of a unit. */
interface Step {
  readonly count: Expression;
  readonly unit: string;
}

/** Steps of the calendar stand before those of a fixed length, as PostgreSQL adds them. */
type Duration = readonly Step[];

/** `moment ± interval`, and comparisons of intervals and of `moment - moment` with them; undefined for all others. */
export function momentOperator(
  name: string,
  left: Node,
  right: Node,
  scope: Scope,
  work: Work,
): Expression | undefined {
  const operands = [durationOf(left, scope, work), durationOf(right, scope, work)] as const;
  if (COMPARED.has(name)) return comparedLengths(name, operands, [left, right], scope, work);
  if (name !== "+" && name !== "-") return undefined;
  const [first, second] = operands;
  const sign = name === "-" ? -1 : 1;
  if (first && second) return undefined;
  if (second) return moved(left, second, sign, scope, work);
  return first && name === "+" ? moved(right, first, 1, scope, work) : undefined;
}

/** Seconds of `extract(epoch from ...)`: of a moment since 1970, or of a length of time; undefined for other arguments. */
export function epochOf(node: Node, scope: Scope, work: Work): Expression | undefined {
  const length = lengthOfTime(node, scope, work);
  const value = length ? undefined : lowerExpression(node, scope, work);
  const isMoment = value && typeIn(value, scope, work) === "time";
  const millis = length ?? (isMoment ? millisecondsOf(value) : undefined);
  if (millis === undefined) return undefined;
  const thousand: Expression = { kind: "literal", value: 1000, type: "decimal" };
  return { kind: "arithmetic", operator: "/", left: millis, right: thousand };
}

/** The start of a unit of the calendar, as `date_trunc` gives it; undefined for other units. */
export function truncated(
  unit: number | string | boolean | null,
  node: Node,
  scope: Scope,
  work: Work,
): Expression | undefined {
  const name = typeof unit === "string" ? TRUNCATED[unit.toLowerCase()] : undefined;
  if (name === undefined) return undefined;
  return calendarCall(`startOf${name}`, [lowerExpression(node, scope, work)]);
}

const TRUNCATED = dictionary<string | undefined>({
  second: "Second",
  minute: "Minute",
  hour: "Hour",
  day: "Day",
  month: "Month",
  year: "Year",
});

const COMPARED: ReadonlyMap<string, ComparisonOperator> = new Map([
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
]);

function comparedLengths(
  name: string,
  durations: readonly [Duration | undefined, Duration | undefined],
  [left, right]: readonly [Node, Node],
  scope: Scope,
  work: Work,
): Expression | undefined {
  const operator = COMPARED.get(name);
  if (!operator || !durations.some((each) => each)) return undefined;
  const [first, second] = [left, right].map((node) => lengthOfTime(node, scope, work));
  return first && second && compare(operator, first, second);
}

/** The milliseconds of an interval or of the time between two moments; undefined where a month is in it. */
function lengthOfTime(node: Node, scope: Scope, work: Work): Expression | undefined {
  const duration = durationOf(node, scope, work);
  if (duration) return millisecondsOfSteps(duration);
  if (!("A_Expr" in node) || operatorOf(node) !== "-") return undefined;
  const { lexpr, rexpr } = node.A_Expr;
  if (!lexpr || !rexpr) return undefined;
  const [from, to] = [lexpr, rexpr].map((each) => lowerExpression(each, scope, work));
  if (!from || !to) return undefined;
  const types = [from, to].map((each) => typeIn(each, scope, work));
  if (!types.every((type) => type === "time" || type === undefined)) return undefined;
  return types.includes("time")
    ? { kind: "arithmetic", operator: "-", left: millisecondsOf(from), right: millisecondsOf(to) }
    : undefined;
}

function millisecondsOfSteps(duration: Duration): Expression | undefined {
  const parts = duration.map(({ count, unit }) => {
    const length = lengthOf(unit);
    return length === undefined ? undefined : times(count, length);
  });
  const [first, ...others] = parts;
  return others.reduce<Expression | undefined>(
    (sum, each) =>
      sum && each ? { kind: "arithmetic", operator: "+", left: sum, right: each } : undefined,
    first,
  );
}

/** A moment that is later, or earlier, by an interval; undefined for what is no moment. */
function moved(
  node: Node,
  duration: Duration,
  sign: 1 | -1,
  scope: Scope,
  work: Work,
): Expression | undefined {
  const start = lowerExpression(node, scope, work);
  const type = typeIn(start, scope, work);
  if (type !== "time" && !(type === undefined && start.kind === "parameter")) return undefined;
  return duration.reduce<Expression | undefined>(
    (moment, { count, unit }) => moment && movedInSql(moment, count, unit, sign),
    start,
  );
}

/** The interval that an expression writes; undefined for intervals from elsewhere, and for all else. */
function durationOf(node: Node, scope: Scope, work: Work): Duration | undefined {
  if ("TypeCast" in node) {
    const { arg, typeName } = node.TypeCast;
    const isPlain = typeText(typeName) === "interval" && (typeName?.typmods ?? []).length === 0;
    return isPlain && arg ? ofText(arg, scope, work) : undefined;
  }
  if ("FuncCall" in node) {
    const { funcname, args = [] } = node.FuncCall;
    return lastName(funcname) === "make_interval" ? ofFields(args, scope, work) : undefined;
  }
  if (!("A_Expr" in node)) return undefined;
  const { lexpr, rexpr } = node.A_Expr;
  if (!rexpr) return undefined;
  const operator = operatorOf(node);
  if (!lexpr) return operator === "-" ? scaled(durationOf(rexpr, scope, work), literal(-1)) : undefined; // prettier-ignore
  if (operator === "*") {
    const second = durationOf(rexpr, scope, work);
    return second
      ? scaled(second, lowerExpression(lexpr, scope, work))
      : scaled(durationOf(lexpr, scope, work), () => lowerExpression(rexpr, scope, work));
  }
  return undefined;
}

function operatorOf(node: Extract<Node, { A_Expr: unknown }>): string | undefined {
  return node.A_Expr.kind === "AEXPR_OP" ? stringsOf(node.A_Expr.name).at(-1) : undefined;
}

function scaled(
  duration: Duration | undefined,
  by: Expression | (() => Expression),
): Duration | undefined {
  if (!duration) return undefined;
  const factor = typeof by === "function" ? by() : by;
  return duration.map(({ count, unit }) => ({ count: multiplied(count, factor), unit }));
}

function multiplied(count: Expression, factor: Expression): Expression {
  if (count.kind === "literal" && typeof count.value === "number")
    return times(factor, count.value);
  if (factor.kind === "literal" && typeof factor.value === "number")
    return times(count, factor.value);
  return { kind: "arithmetic", operator: "*", left: count, right: factor };
}

/** `'1 day 2 hours'`, and `($1 || ' minutes')` of a count. */
function ofText(node: Node, scope: Scope, work: Work): Duration | undefined {
  if ("A_Const" in node) {
    const text = constantOf(node.A_Const);
    return typeof text === "string" ? stepsOf(text) : undefined;
  }
  if (!("A_Expr" in node) || operatorOf(node) !== "||") return undefined;
  const { lexpr, rexpr } = node.A_Expr;
  const suffix = rexpr && "A_Const" in rexpr ? constantOf(rexpr.A_Const) : undefined;
  const unit = typeof suffix === "string" ? unitOfName(suffix.trim()) : undefined;
  return lexpr && unit ? [{ count: countOf(lexpr, scope, work), unit }] : undefined;
}

/** The number of a text that is made of one: `$1::text` is `$1`. */
function countOf(node: Node, scope: Scope, work: Work): Expression {
  const isText = "TypeCast" in node && typeText(node.TypeCast.typeName) === "text";
  const inner = isText ? node.TypeCast.arg : undefined;
  return lowerExpression(inner ?? node, scope, work);
}

const CLOCK = /^(-?)(\d+):(\d\d)(?::(\d\d(?:\.\d{1,3})?))?$/u;

/** The steps of a constant: numbers with units, and a time of the clock at its end; undefined for other forms. */
function stepsOf(text: string): Duration | undefined {
  const steps: Step[] = [];
  const isAgo = /\bago\s*$/iu.test(text);
  const words = text
    .replace(/\bago\s*$/iu, "")
    .replaceAll(/(\d)(?=[a-z])/giu, "$1 ")
    .trim()
    .split(/\s+/u);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const clock = CLOCK.exec(word);
    if (clock) {
      const [, sign, hours, minutes, seconds = "0"] = clock;
      const millis = Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000); // prettier-ignore
      steps.push({ count: literal(sign === "-" ? -millis : millis), unit: "millisecond" });
      continue;
    }
    const number = Number(word);
    const unit = unitOfName(words[++at] ?? "");
    if (word === "" || !Number.isInteger(number) || unit === undefined) return undefined;
    steps.push({ count: literal(number), unit });
  }
  const all = isAgo ? scaled(steps, literal(-1)) : steps;
  return all?.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ unit }: Step): number {
  return lengthOf(unit) === undefined ? 0 : 1;
}

const FIELDS = ["years", "months", "weeks", "days", "hours", "mins", "secs"];

/** `make_interval(days => $1)`. */
function ofFields(args: readonly Node[], scope: Scope, work: Work): Duration | undefined {
  const steps = args.map((node, at): Step | undefined => {
    const named = "NamedArgExpr" in node ? node.NamedArgExpr : undefined;
    const unit = unitOfName(named ? (named.name ?? "") : (FIELDS[at] ?? ""));
    return unit === undefined
      ? undefined
      : { count: lowerExpression(named?.arg ?? node, scope, work), unit };
  });
  return steps.every((each) => each !== undefined) ? steps : undefined;
}
