// Operators of the language on symbolic values.
import { ofNode } from "../../../../query/nodes";
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
} from "../../../../program/expression";
import { dictionary } from "../../../../protocol/dictionary";
import { JSON_NULL, literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { constant, constantScalar, scalar, unknown, type Value, isNull } from "../../values";
import type { State } from "../state";
import { asMilliseconds, isMoment } from "../builtins/moments";
import { semanticsOf } from "../../semantics";
import { libraryOf } from "../../libraries/library";
import { changedTo, foreignAs } from "./foreignValues";
import { isExactly } from "./absence";
import {
  conditional,
  conditionOf,
  decideConnective,
  expressionOf,
  isTooLarge,
  leavesOf,
  negate,
  presenceOf,
  readsOf,
  sameExpression,
  TOO_LARGE,
} from "./convert";
import { numberOf } from "./numbersOf";
import { assuming, concatenate, isTextual } from "./texts";

const ARITHMETIC = dictionary<ArithmeticOperator | undefined>({
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "/",
  // Java's division of whole numbers.
  div: "/",
  "%": "%",
});

const COMPARISON = dictionary<ComparisonOperator | undefined>({
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
});

/** Result of a strict binary operator; the lazy ones are the evaluator's. */
export function binary(state: State, operator: string, left: Value, right: Value): Value {
  if (operator === "+" && (isText(left) || isText(right))) return concatenate(left, right);
  if (left.kind === "choice")
    return overChoice(left, (part) => binary(state, operator, part, right));
  if (right.kind === "choice")
    return overChoice(right, (part) => binary(state, operator, left, part));
  const arithmetic = ARITHMETIC[operator];
  if (arithmetic !== undefined) {
    return calculated(state, arithmetic, left, right, operator === "div");
  }
  const comparison = COMPARISON[operator];
  if (comparison !== undefined) {
    // Two moments are in the order of their numbers.
    const isMixed = isMoment(left) ? isNumeric(right) : isMoment(right) && isNumeric(left);
    const [a, b] = [left, right].map((each) =>
      expressionOf(state, isMixed ? asMilliseconds(state, each) : each),
    );
    if (!a || !b || left.kind === "undefined" || right.kind === "undefined") return constant(false);
    const holds = folded(comparison, a, b) ?? compare(comparison, a, b);
    // A value that is not there is neither less nor more.
    return condition(connective("and", [...whereGiven(left), ...whereGiven(right), holds]));
  }
  switch (operator) {
    case "==":
      return condition(equal(state, left, right));
    case "===":
      return condition(identical(state, left, right));
    case "!=":
      return condition(negate(equal(state, left, right)));
    case "!==":
      return condition(negate(identical(state, left, right)));
    default:
      return (
        ofBits(state, operator, left, right) ??
        unknown(`the operator ${operator} is not understood`, [...readsOf(left), ...readsOf(right)])
      );
  }
}

function whereGiven(value: Value): readonly Expression[] {
  return value.kind === "scalar" && value.where ? [value.where] : [];
}

/** The same value where it is known not to be `undefined`. */
function surely(value: Value): Value {
  return value.kind === "scalar" && value.where ? scalar(value.expression, value.type) : value;
}

/** `===`, which tells `undefined` from `null`. */
function identical(state: State, left: Value, right: Value): Expression {
  if (areTold(left, right)) return literal(false);
  const [nothing, other] = isAbsent(right) ? [right, left] : [left, right];
  if (!isAbsent(nothing)) return equal(state, left, right);
  const what = nothing.kind === "undefined" ? "undefined" : "null";
  return isExactly(other, what) ?? isFieldThatIs(state, other, what) ?? equal(state, left, right);
}

/** The same of a column of what was read, which is null and never `undefined`: that it is where there is no row. */
function isFieldThatIs(
  { frame }: State,
  value: Value,
  what: "null" | "undefined",
): Expression | undefined {
  if (value.kind !== "scalar" || value.expression.kind !== "field") return undefined;
  if (!semanticsOf(frame.file).hasUndefined) return undefined;
  const { expression, where } = value;
  if (what === "undefined") return where ? negate(where) : literal(false);
  return where && connective("and", [where, { kind: "isNull", operand: expression }]);
}

/** True if one is `undefined` and the other `null`, which only `==` takes for the same. */
function areTold(left: Value, right: Value): boolean {
  if (!isAbsent(left) || !isAbsent(right)) return false;
  return (left.kind === "undefined") !== (right.kind === "undefined");
}

/** Operators on bits: of truth values they are AND and OR, of numbers functions of these. */
function ofBits(state: State, operator: string, left: Value, right: Value): Value | undefined {
  if (!Object.hasOwn(BITS, operator)) return undefined;
  const of = BITS[operator];
  if (isCondition(left) && isCondition(right)) {
    const [a, b] = [conditionOf(state, left), conditionOf(state, right)];
    if (operator === "^") return condition({ kind: "not", operand: { kind: "sameValue", left: a, right: b } }); // prettier-ignore
    if (operator === "&" || operator === "|") return condition(connective(operator === "&" ? "and" : "or", [a, b])); // prettier-ignore
  }
  const [a, b] = [constantScalar(left), constantScalar(right)];
  // Beyond 32 bits languages differ.
  if (of && isSmall(a) && isSmall(b)) return constant(of(a, b));
  const operands = [expressionOf(state, left), expressionOf(state, right)];
  return scalar({ kind: "call", name: `code:${operator}`, arguments: operands, deterministic: true }, "int"); // prettier-ignore
}

const BITS = dictionary<((a: number, b: number) => number) | undefined>({
  "|": (a, b) => a | b,
  "&": (a, b) => a & b,
  "^": (a, b) => a ^ b,
  "<<": undefined,
  ">>": (a, b) => a >> b,
  ">>>": undefined,
});

function isSmall(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}

/** Result of an operator with one operand. */
export function unary(state: State, operator: string, operand: Value): Value {
  switch (operator) {
    case "!":
      return condition(negate(conditionOf(state, operand)));
    case "-": {
      const value = constantScalar(operand);
      if (typeof value === "number") return constant(-value);
      return scalar({ kind: "negate", operand: expressionOf(state, operand) });
    }
    case "+":
      return operand.kind === "choice"
        ? overChoice(operand, (part) => unary(state, operator, part))
        : numberOf(state, operand, "Number");
    case "void":
      return { kind: "undefined" };
    default:
      return unknown(`the operator ${operator} is not understood`, readsOf(operand));
  }
}

/** A value of each branch of a choice. */
export function overChoice(
  choice: Extract<Value, { kind: "choice" }>,
  map: (part: Value) => Value,
): Value {
  return choose(choice.condition, map(choice.then), map(choice.otherwise));
}

/** One of two values; scalars become one expression. */
export function choose(when: Expression, first: Value, second: Value): Value {
  if (first === second) return first;
  if (when.kind === "literal") return when.value === true ? first : second;
  // Where the same was asked before, it is known.
  const then = assuming(changedTo(first) ?? first, when, true);
  const otherwise = assuming(changedTo(second) ?? second, when, false);
  if (then.kind === "undefined" && otherwise.kind === "undefined") return then;
  const client = oneClient(then, otherwise, when);
  if (client) return client;
  // A row that is not there is nothing already.
  if (then.kind === "row" && isAbsent(otherwise) && sameExpression(when, presenceOf(then))) {
    return then;
  }
  if (then.kind === "scalar" && otherwise.kind === "scalar") {
    const parts = [when, then.expression, otherwise.expression];
    if (isTooLarge(...parts)) return unknown(TOO_LARGE, leavesOf(...parts));
    // A value that is false where it is zero, and one that is false where it is not there, are asked for their own.
    const isOne = then.type === otherwise.type || isNothing(then) || isNothing(otherwise);
    if (isOne) {
      const type = isNothing(then) ? otherwise.type : then.type;
      const one = scalar(conditional(when, then.expression, otherwise.expression), type);
      return foreignAs([first, second], one);
    }
  }
  return choiceOf(when, then, otherwise);
}

function isNumeric(value: Value): boolean {
  return value.kind === "scalar" && (value.type === "int" || value.type === "decimal");
}

function isNothing({ expression }: Extract<Value, { kind: "scalar" }>): boolean {
  return expression.kind === "literal" && expression.value === null;
}

/** One of two values by a condition; of too many cases only what they read is kept. */
export function choiceOf(condition: Expression, then: Value, otherwise: Value): Value {
  if (then.kind === "handle" && otherwise.kind === "handle" && then.library === otherwise.library) {
    const joined = libraryOf(then).joined?.(then, otherwise, condition);
    if (joined) return joined;
  }
  if (casesOf(then) + casesOf(otherwise) <= MOST_CASES) {
    return { kind: "choice", condition, then, otherwise };
  }
  return unknown(TOO_LARGE, leavesOf(condition, ...readsOf(then), ...readsOf(otherwise)));
}

/** How many values a choice tells apart. */
function casesOf(value: Value): number {
  return value.kind === "choice" ? casesOfChoice(value) : 1;
}

const casesOfChoice = ofNode(
  ({ then, otherwise }: Extract<Value, { kind: "choice" }>): number =>
    casesOf(then) + casesOf(otherwise),
);

const MOST_CASES = 24;

/**
 * Two pools of one library stand for the same database, and what is kept in a global variable beside one is what was
 * made before: `globalThis.client ?? new Client()`.
 */
export function oneClient(
  then: Value,
  otherwise: Value,
  condition: Expression = literal(true),
): Value | undefined {
  if (isPool(then)) {
    const isSame =
      isPool(otherwise) &&
      then.library === otherwise.library &&
      then.path === otherwise.path &&
      (!BESIDE_CLIENTS.test(then.path) || hasSameParts(then.data, otherwise.data));
    if (isSame) return libraryOf(then).joined?.(then, otherwise, condition) ?? then;
    return isGlobal(otherwise) ? then : undefined;
  }
  if (isGlobal(then) && isMade(otherwise)) return otherwise;
  return isGlobal(otherwise) && isMade(then) ? then : undefined;
}

/** True for clients, objects, and what unknown code makes, or one of them or nothing. */
function isMade(value: Value): boolean {
  switch (value.kind) {
    case "choice": {
      const parts = [value.then, value.otherwise];
      return parts.some(isMade) && parts.every((each) => isMade(each) || isNull(each) || each.kind === "undefined"); // prettier-ignore
    }
    case "external":
    case "object":
    case "input":
      return true;
    case "scalar":
      return value.whole ? isMade(value.whole) : isCalled(value.expression);
    default:
      return isPool(value);
  }
}

/** True for the result of an unknown function, or that or nothing. */
function isCalled(expression: Expression): boolean {
  if (expression.kind === "call") return expression.name.startsWith("code:");
  if (expression.kind !== "conditional") return false;
  const parts = [expression.then, expression.otherwise];
  return parts.some(isCalled) && parts.every((each) => isCalled(each) || isNullLiteral(each));
}

/** The paths of clients that are made of a client and are one by one table or query alone. */
const BESIDE_CLIENTS = /^(?:query|builder|repository|model)(?:\.|$)/u;

function hasSameParts(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (typeof first !== "object" || typeof second !== "object" || !first || !second) return false;
  const others = new Map(Object.entries(second));
  const parts = Object.entries(first);
  return parts.length === others.size && parts.every(([name, each]) => others.get(name) === each);
}

function isPool(value: Value): value is Extract<Value, { kind: "handle" }> {
  return value.kind === "handle" && value.connection?.isPool === true;
}

function isGlobal(value: Value): boolean {
  return value.kind === "builtin" && /^global(?:This)?\./u.test(value.name);
}

function isNullLiteral(expression: Expression): boolean {
  return expression.kind === "literal" && expression.value === null;
}

/** One of two conditions by a third, in the plainest form. */
function truthOf(condition: Expression, then: Expression, otherwise: Expression): Expression {
  const [first, second] = [then, otherwise].map((each) =>
    each.kind === "literal" ? each.value : undefined,
  );
  if (first === false && second === true) return negate(condition);
  if (first === true && second === false) return condition;
  if (second === true) return decideConnective("or", [negate(condition), then]);
  if (second === false) return decideConnective("and", [condition, then]);
  return conditional(condition, then, otherwise);
}

/** That a value is null or undefined. */
export function isNullish(state: State, value: Value): Expression {
  switch (value.kind) {
    case "undefined":
      return literal(true);
    case "scalar":
    case "input": {
      const operand = expressionOf(state, value);
      if (operand.kind === "literal") return literal(operand.value === null);
      const isNever = operand.kind === "size" || operand.kind === "affected";
      if (isNever) return literal(false);
      const isNull: Expression = { kind: "isNull", operand };
      return isDocument(value)
        ? connective("or", [isNull, compare("=", operand, JSON_NULL)])
        : isNull;
    }
    case "row":
      return negate(presenceOf(value));
    case "choice":
      return truthOf(
        value.condition,
        isNullish(state, value.then),
        isNullish(state, value.otherwise),
      );
    case "builtin":
      if (value.self === undefined) return literal(false);
      return { kind: "isNull", operand: expressionOf(state, value) };
    case "external":
      if (value.isDataAccess === true) return literal(false);
      return { kind: "isNull", operand: expressionOf(state, value) };
    case "unknown": {
      const operand = expressionOf(state, value);
      return { kind: "isNull", operand };
    }
    default:
      return literal(false);
  }
}

/** True if it was read as a document, which may be null by itself. */
function isDocument(value: Value): boolean {
  return value.kind === "scalar" && value.type === "json";
}

function equal(state: State, left: Value, right: Value): Expression {
  if (isAbsent(right)) return isNullish(state, left);
  if (isAbsent(left)) return isNullish(state, right);
  const [a, b] = [expressionOf(state, left), expressionOf(state, right)];
  if (a.kind === "literal" && b.kind === "literal") return literal(a.value === b.value);
  // A value that is compared with a constant is told from NULL by the constant.
  if (a.kind === "literal" || b.kind === "literal") {
    const [value, other] = a.kind === "literal" ? [a, b] : [b, a];
    if (value.kind === "literal" && typeof value.value === "boolean" && isBoolean(other)) {
      return value.value ? other : negate(other);
    }
    return compare("=", other, value);
  }
  if (isNeverNull(a) || isNeverNull(b)) return compare("=", a, b);
  return { kind: "sameValue", left: a, right: b };
}

function isBoolean(expression: Expression): boolean {
  return expression.kind === "comparison" || expression.kind === "and" || expression.kind === "or";
}

function isNeverNull({ kind }: Expression): boolean {
  return kind === "size" || kind === "affected" || kind === "fresh";
}

function isAbsent(value: Value): boolean {
  return value.kind === "undefined" || constantScalar(value) === null;
}

function isText(value: Value): boolean {
  return isTextual(value) || (value.kind === "scalar" && value.type === "text");
}

function calculated(
  state: State,
  operator: ArithmeticOperator,
  left: Value,
  right: Value,
  isWhole: boolean,
): Value {
  const [first, second] = [asMilliseconds(state, left), asMilliseconds(state, right)];
  const [a, b] = [expressionOf(state, first), expressionOf(state, second)];
  if (a.kind === "literal" && b.kind === "literal") {
    const value = calculate(operator, a.value, b.value);
    if (value !== undefined) return constant(isWhole ? Math.trunc(value) : value);
  }
  // A division of the AR cuts off what is left, as SQL's does, where both are whole.
  const isReal = operator === "/" && !isWhole;
  const one: Expression = { kind: "literal", value: 1, type: "decimal" };
  const dividend: Expression = isReal
    ? { kind: "arithmetic", operator: "*", left: a, right: one }
    : a;
  const types = [first, second].map((each) => (each.kind === "scalar" ? each.type : undefined));
  const type = types[0] === types[1] && operator !== "/" ? types[0] : undefined;
  return scalar({ kind: "arithmetic", operator, left: dividend, right: b }, type);
}

function calculate(operator: ArithmeticOperator, left: unknown, right: unknown) {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return right === 0 ? undefined : left / right;
    case "%":
      return right === 0 ? undefined : left % right;
    default:
      return undefined;
  }
}

function folded(
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
): Expression | undefined {
  if (left.kind !== "literal" || right.kind !== "literal") return undefined;
  const [a, b] = [left.value, right.value];
  if (typeof a !== "number" || typeof b !== "number") return undefined;
  const is = { "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a === b, "<>": a !== b };
  return literal(is[operator]);
}

/** A condition as a value. */
export function condition(expression: Expression): Value {
  if (isTooLarge(expression)) return unknown(TOO_LARGE, leavesOf(expression));
  return scalar(expression, "bool");
}

/** `a && b` or `a || b` of two values that have no effect. */
export function lazy(state: State, operator: "&&" | "||" | "??", left: Value, right: Value): Value {
  if (operator === "??") {
    return choose(negate(isNullish(state, left)), surely(left), right);
  }
  const test = conditionOf(state, left);
  if (isCondition(left) && isCondition(right)) {
    const other = conditionOf(state, right);
    return condition(decideConnective(operator === "&&" ? "and" : "or", [test, other]));
  }
  return operator === "&&" ? choose(test, right, left) : choose(test, surely(left), right);
}

function isCondition(value: Value): boolean {
  return value.kind === "scalar" && value.type === "bool";
}
