// Expressions of MySQL, MariaDB, SQL Server and SQLite in the AR. Booleans are numbers in these dialects: a condition as a value becomes 1,
// 0 or NULL, and a number as a condition is compared with 0.
import { TEXT_AS_BYTES } from "../../../program/functions";
import type { ArithmeticOperator, Expression } from "../../../program/expression";
import { COMPARISONS, isCondition, literal } from "../expressions";
import { lose, typeIn } from "../nsp/scope";
import { compare, connective, negatedIf } from "../terms";
import { lowerCall } from "./lowerCall";
import { momentOperator } from "./moments";
import type { SyntaxExpression, SyntaxQuery } from "./syntax";
import { columnType } from "./types";
import { isMysql, loseCondition, resolveName, type Expressions } from "./work";

/** The value of an expression; a condition becomes a number. Never fails. */
export function lowerValue(node: SyntaxExpression, of: Expressions): Expression {
  return asValue(lowerAny(node, of));
}

/** An expression as a condition. Never fails. */
export function lowerCondition(node: SyntaxExpression, of: Expressions): Expression {
  return asCondition(lowerAny(node, of));
}

export function lowerValues(
  nodes: readonly SyntaxExpression[],
  of: Expressions,
): readonly Expression[] {
  return nodes.map((node) => lowerValue(node, of));
}

/** Conditions that are never NULL. */
const TWO_VALUED = new Set(["isNull", "sameValue", "exists"]);

function asValue(expression: Expression): Expression {
  if (!isCondition(expression) || expression.kind === "unknown") return expression;
  if (expression.kind === "literal") return literal(Number(expression.value));
  const otherwise: Expression = TWO_VALUED.has(expression.kind)
    ? literal(0)
    : {
        kind: "conditional",
        condition: { kind: "not", operand: expression },
        then: literal(0),
        otherwise: literal(null),
      };
  return { kind: "conditional", condition: expression, then: literal(1), otherwise };
}

/** A value as a condition. */
export function asCondition(expression: Expression): Expression {
  if (isCondition(expression)) return expression;
  if (expression.kind === "unknown") return { ...expression, type: "bool" };
  if (expression.kind === "literal") {
    if (expression.value === null) return { ...expression, type: "bool" };
    return literal(Number(expression.value) !== 0);
  }
  if (expression.kind === "conditional") {
    const { condition, then, otherwise } = expression;
    // A condition that was converted to a value is restored.
    if (then.kind === "literal" && then.value === 1 && isRest(otherwise, condition)) {
      return condition;
    }
    const inner = asCondition(then);
    const rest = asCondition(otherwise);
    return { kind: "conditional", condition, then: inner, otherwise: rest };
  }
  return compare("<>", expression, literal(0));
}

/** True for the second part of `asValue`: 0, or NULL if the condition is NULL. */
function isRest(expression: Expression, of: Expression): boolean {
  const isZero = (each: Expression): boolean => each.kind === "literal" && each.value === 0;
  if (TWO_VALUED.has(of.kind)) return isZero(expression);
  if (expression.kind !== "conditional") return false;
  const { condition, then, otherwise } = expression;
  const isNull = otherwise.kind === "literal" && otherwise.value === null;
  return condition.kind === "not" && condition.operand === of && isZero(then) && isNull;
}

function lowerAny(node: SyntaxExpression, of: Expressions): Expression {
  const { scope, work } = of;
  switch (node.kind) {
    case "literal":
      return node.isBytes === true && typeof node.value === "string"
        ? { kind: "literal", value: node.value, type: "bytes" }
        : literal(node.value);
    case "time":
      return { kind: "literal", value: node.value, type: "time" };
    case "placeholder":
      return (
        work.context.placeholder(node.number) ?? lose(work, `the parameter ${node.number}`, [])
      );
    case "name":
      return name(node.path, of);
    case "star":
      return lose(work, "* where a value is wanted", []);
    case "variable":
      return work.context.variable([node.name]) ?? lose(work, `the variable ${node.name}`, []);
    case "system":
      return lowerCall(
        { name: node.name.replace(/^.*\./, ""), arguments: [], distinct: false, windowed: false },
        of,
      );
    case "assign":
      return lose(work, `an assignment to ${node.variable} inside of an expression`, [
        lowerValue(node.value, of),
      ]);
    case "unary":
      return unary(node.operator, node.operand, of);
    case "binary":
      return binary(node.operator, node.left, node.right, of);
    case "in":
      return isIn(node.operand, node.values, of);
    case "between": {
      const operand = lowerValue(node.operand, of);
      const low = compare(">=", operand, lowerValue(node.low, of));
      const high = compare("<=", operand, lowerValue(node.high, of));
      return { kind: "and", operands: [low, high] };
    }
    case "like": {
      const operand = lowerValue(node.operand, of);
      const pattern = lowerValue(node.pattern, of);
      return { kind: "like", operand, pattern, insensitive: !isBytewise(operand, of) };
    }
    case "is":
      return isTest(node.operand, node.what, of);
    case "call":
      return lowerCall(node, of);
    case "case":
      return caseOf(node, of);
    case "cast":
      return cast(node, of);
    case "query":
      return { kind: "subquery", query: of.lowerQuery(node.query, scope, work) };
    case "exists":
      return { kind: "exists", query: of.lowerQuery(node.query, scope, work) };
    case "quantified":
      return quantified(node, of);
    case "row": {
      const [only, ...others] = node.values;
      if (only !== undefined && others.length === 0) return lowerAny(only, of);
      return lose(work, "a row of values", lowerValues(node.values, of));
    }
    case "proposed":
      return work.proposed === undefined
        ? lose(work, `VALUES(${node.column}) outside of ON DUPLICATE KEY UPDATE`, [])
        : { kind: "excluded", column: node.column };
    case "default":
      return lose(work, "DEFAULT where a value is wanted", []);
    case "interval":
      return lose(work, `an interval of ${node.unit}s`, [lowerValue(node.amount, of)]);
    case "other":
      return lose(work, node.what, lowerValues(node.parts, of));
    default:
      return node satisfies never;
  }
}

/** True if a column's texts are compared bytewise. */
function isBytewise(value: Expression, { scope, work }: Expressions): boolean {
  if (value.kind !== "column") return false;
  const source = scope.sources.find(({ relation }) => relation.alias === value.relation);
  const table = source && work.context.table(source.relation.table);
  return table?.columns.find((each) => each.name === value.column)?.isBytewise === true;
}

function name(path: readonly string[], of: Expressions): Expression {
  const { scope, work } = of;
  const [only = ""] = path;
  const output = path.length === 1 ? work.aliases.get(only) : undefined;
  const isColumn = scope.sources.some(({ columns }) => columns?.includes(only) === true);
  if (output === undefined || isColumn) return resolveName(path, scope, work);
  return lowerAny(output.value, { ...of, work: { ...work, aliases: new Map() } });
}

function unary(operator: string, node: SyntaxExpression, of: Expressions): Expression {
  if (operator === "not") return { kind: "not", operand: lowerCondition(node, of) };
  const operand = lowerValue(node, of);
  if (operator === "+") return operand;
  if (operator !== "-") return lose(of.work, `the operator ${operator}`, [operand]);
  return operand.kind === "literal" && typeof operand.value === "number"
    ? literal(-operand.value)
    : { kind: "negate", operand };
}

const ARITHMETIC = new Map<string, ArithmeticOperator>([
  ["+", "+"],
  ["-", "-"],
  ["*", "*"],
  ["%", "%"],
]);

function binary(
  operator: string,
  left: SyntaxExpression,
  right: SyntaxExpression,
  of: Expressions,
): Expression {
  const { work } = of;
  const joinsTexts = operator === "||" && !isMysql(work);
  if (operator === "and" || operator === "or" || (operator === "||" && !joinsTexts)) {
    const kind = operator === "and" ? "and" : "or";
    return connective(kind, [lowerCondition(left, of), lowerCondition(right, of)]);
  }
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined || operator === "<=>") {
    const rows = rowComparison(operator, left, right, of);
    if (rows !== undefined) return rows;
  }
  const moment = momentOperator(operator, left, right, of);
  if (moment !== undefined) return moment;
  const l = lowerValue(left, of);
  const r = lowerValue(right, of);
  if (comparison !== undefined) return compare(comparison, ...alikeInBytes(l, r));
  const arithmetic = ARITHMETIC.get(operator);
  if (arithmetic !== undefined) return calculated(arithmetic, l, r, of);
  switch (operator) {
    case "<=>":
      return { kind: "sameValue", left: l, right: r };
    case "||":
      return { kind: "arithmetic", operator: "||", left: l, right: r };
    case "/":
      return divided(l, r, of);
    case "div":
      return integerDivision(l, r, of);
    case "xor": {
      const a = lowerCondition(left, of);
      const b = lowerCondition(right, of);
      const only = (x: Expression, y: Expression): Expression =>
        connective("and", [x, { kind: "not", operand: y }]);
      return connective("or", [only(a, b), only(b, a)]);
    }
    default:
      return lose(work, `the operator ${operator.toUpperCase()}`, [l, r]);
  }
}

/** In SQL Server `+` also concatenates texts; with a time, the result is not followed. */
function calculated(
  operator: ArithmeticOperator,
  left: Expression,
  right: Expression,
  { scope, work }: Expressions,
): Expression {
  const types = [typeIn(left, scope, work), typeIn(right, scope, work)];
  if (types.includes("time")) return lose(work, "a calculation with times", [left, right]);
  const isText = operator === "+" && work.dialect === "sqlserver" && types.includes("text");
  return { kind: "arithmetic", operator: isText ? "||" : operator, left, right };
}

/** `/` is exact in MySQL, and integer division for integers elsewhere. */
function divided(left: Expression, right: Expression, { scope, work }: Expressions): Expression {
  const isDecimal = (side: Expression): boolean => typeIn(side, scope, work) === "decimal";
  const plain = !isMysql(work) || isDecimal(left) || isDecimal(right);
  const one: Expression = { kind: "literal", value: 1, type: "decimal" };
  const dividend: Expression = plain
    ? left
    : { kind: "arithmetic", operator: "*", left, right: one };
  return { kind: "arithmetic", operator: "/", left: dividend, right };
}

function integerDivision(left: Expression, right: Expression, of: Expressions): Expression {
  const { scope, work } = of;
  const types = [typeIn(left, scope, work), typeIn(right, scope, work)];
  return types.includes("decimal")
    ? lose(work, "the operator DIV of decimals", [left, right])
    : { kind: "arithmetic", operator: "/", left, right };
}

function rowComparison(
  operator: string,
  left: SyntaxExpression,
  right: SyntaxExpression,
  of: Expressions,
): Expression | undefined {
  if (left.kind !== "row" || right.kind !== "row") return undefined;
  if (left.values.length !== right.values.length) return undefined;
  const pairs = left.values.map((each, at): Expression => {
    const other = right.values[at];
    const l = lowerValue(each, of);
    const r = other === undefined ? literal(null) : lowerValue(other, of);
    return operator === "<=>" ? { kind: "sameValue", left: l, right: r } : compare("=", l, r);
  });
  if (operator === "=" || operator === "<=>") return connective("and", pairs);
  if (operator === "<>") return { kind: "not", operand: connective("and", pairs) };
  return loseCondition(of.work, `a comparison of rows with ${operator}`, pairs);
}

function isIn(
  node: SyntaxExpression,
  values: readonly SyntaxExpression[] | SyntaxQuery,
  of: Expressions,
): Expression {
  const { scope, work } = of;
  if (!isList(values)) {
    const query = of.lowerQuery(values, scope, work);
    if (node.kind !== "row") return { kind: "inQuery", operand: lowerValue(node, of), query };
    return loseCondition(work, "a row IN a query", lowerValues(node.values, of));
  }
  if (node.kind === "row") {
    const rows = values.map((value) => binary("=", node, value, of));
    return connective("or", rows);
  }
  return { kind: "in", operand: lowerValue(node, of), values: lowerValues(values, of) };
}

function isList(
  values: readonly SyntaxExpression[] | SyntaxQuery,
): values is readonly SyntaxExpression[] {
  return Array.isArray(values);
}

function isTest(
  node: SyntaxExpression,
  what: "null" | "true" | "false",
  of: Expressions,
): Expression {
  if (what === "null") return { kind: "isNull", operand: lowerValue(node, of) };
  const condition = lowerCondition(node, of);
  return { kind: "sameValue", left: condition, right: literal(what === "true") };
}

function caseOf(
  node: Extract<SyntaxExpression, { readonly kind: "case" }>,
  of: Expressions,
): Expression {
  const { subject, otherwise } = node;
  const end = otherwise === undefined ? literal(null) : lowerValue(otherwise, of);
  return node.arms.reduceRight<Expression>((rest, { when, then }) => {
    const condition =
      subject === undefined
        ? lowerCondition(when, of)
        : compare("=", lowerValue(subject, of), lowerValue(when, of));
    return { kind: "conditional", condition, then: lowerValue(then, of), otherwise: rest };
  }, end);
}

const OF_BYTES = /^(?:var)?binary$/;

/** A text as its bytes, which are the text: what the server takes for equal is told apart. */
function bytesOf(operand: Expression): Expression {
  return isOfBytes(operand)
    ? operand
    : { kind: "call", name: TEXT_AS_BYTES, arguments: [operand], deterministic: true };
}

function isOfBytes(expression: Expression): boolean {
  return expression.kind === "call" && expression.name === TEXT_AS_BYTES;
}

/** Both sides as bytes where one is: the server compares them so. */
function alikeInBytes(left: Expression, right: Expression): readonly [Expression, Expression] {
  return isOfBytes(left) || isOfBytes(right) ? [bytesOf(left), bytesOf(right)] : [left, right];
}

function cast(
  node: Extract<SyntaxExpression, { readonly kind: "cast" }>,
  of: Expressions,
): Expression {
  const { scope, work } = of;
  const operand = lowerValue(node.operand, of);
  const to = columnType(node.type, work.dialect);
  const from = typeIn(operand, scope, work);
  if (operand.kind === "literal" && typeof operand.value === "string" && to === "int") {
    const number = Number(operand.value);
    if (Number.isInteger(number)) return literal(number);
  }
  if (OF_BYTES.test(node.type) && from === "text" && (node.sizes ?? []).length === 0)
    return bytesOf(operand);
  const keeps =
    from === to ? !(to === "decimal" && node.rounds) : from === "int" && to === "decimal";
  if (from === undefined || keeps) return operand;
  const lost = lose(work, `the cast from ${from} to ${node.type}`, [operand]);
  return lost.kind === "unknown" ? { ...lost, type: to } : lost;
}

function quantified(
  node: Extract<SyntaxExpression, { readonly kind: "quantified" }>,
  of: Expressions,
): Expression {
  const { scope, work } = of;
  const operand = lowerValue(node.left, of);
  const query = of.lowerQuery(node.query, scope, work);
  const isEquality = !node.all && node.operator === "=";
  const isNone = node.all && (node.operator === "<>" || node.operator === "!=");
  if (isEquality || isNone) return negatedIf(isNone, { kind: "inQuery", operand, query });
  const quantifier = node.all ? "ALL" : "ANY";
  return loseCondition(work, `${node.operator} ${quantifier} of a query`, [
    operand,
    { kind: "exists", query },
  ]);
}
