// Operators: comparisons, arithmetic, IN, LIKE, BETWEEN, rows.
import type { A_Expr, Node } from "libpg-query";
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
} from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { COMPARISONS, literal } from "../expressions";
import { calculatesWith, compare, connective, negatedIf } from "../terms";
import { calendarCall, times } from "../../../program/moments";
import { constantOf, itemsOf, rowOf, stringsOf, typeText } from "./ast";
import { momentOperator } from "./duration";
import { lowerAll, lowerExpression } from "./recursion";
import { lose, loseOutside, typeIn, type Scope, type Work } from "./scope";
import { valueTypeOf } from "./valueType";

const ARITHMETIC = dictionary<ArithmeticOperator | undefined>({
  "+": "+",
  "-": "-",
  "*": "*",
  "/": "/",
  "%": "%",
  "||": "||",
});

/** An A_Expr of the tree. */
export function lowerOperator(expression: A_Expr, scope: Scope, work: Work): Expression {
  const name = stringsOf(expression.name).at(-1) ?? "";
  const { lexpr, rexpr } = expression;
  const lower = (node: Node | undefined): Expression => lowerExpression(node, scope, work);
  switch (expression.kind) {
    case "AEXPR_OP":
      return plainOperator(name, lexpr, rexpr, scope, work);
    case "AEXPR_OP_ANY":
    case "AEXPR_OP_ALL":
      return quantified(name, expression, scope, work);
    case "AEXPR_DISTINCT":
      return {
        kind: "not",
        operand: { kind: "sameValue", left: lower(lexpr), right: lower(rexpr) },
      };
    case "AEXPR_NOT_DISTINCT":
      return { kind: "sameValue", left: lower(lexpr), right: lower(rexpr) };
    case "AEXPR_NULLIF": {
      const left = lower(lexpr);
      const condition = compare("=", left, lower(rexpr));
      return { kind: "conditional", condition, then: literal(null), otherwise: left };
    }
    case "AEXPR_IN":
      return negatedIf(name === "<>", inList(lexpr, itemsOf(rexpr), scope, work));
    case "AEXPR_LIKE":
    case "AEXPR_ILIKE":
      return negatedIf(name.startsWith("!"), {
        kind: "like",
        operand: lower(lexpr),
        pattern: lower(rexpr),
        insensitive: expression.kind === "AEXPR_ILIKE",
      });
    case "AEXPR_BETWEEN":
    case "AEXPR_NOT_BETWEEN": {
      const [low, high] = itemsOf(rexpr);
      const operand = lower(lexpr);
      const range = [compare(">=", operand, lower(low)), compare("<=", operand, lower(high))];
      return negatedIf(expression.kind === "AEXPR_NOT_BETWEEN", connective("and", range));
    }
    case "AEXPR_BETWEEN_SYM":
    case "AEXPR_NOT_BETWEEN_SYM": {
      const [first, second] = lowerAll(itemsOf(rexpr), scope, work);
      const operand = lower(lexpr);
      if (first === undefined || second === undefined) return lose(work, "BETWEEN", [operand]);
      const between = (low: Expression, high: Expression): Expression =>
        connective("and", [compare(">=", operand, low), compare("<=", operand, high)]);
      const either = connective("or", [between(first, second), between(second, first)]);
      return negatedIf(expression.kind === "AEXPR_NOT_BETWEEN_SYM", either);
    }
    case "AEXPR_SIMILAR":
      return negatedIf(name.startsWith("!"), applied("similar", [lower(lexpr), lower(rexpr)]));
    default:
      return loseOutside(work, `the operator ${name}`, [lower(lexpr), lower(rexpr)]);
  }
}

function plainOperator(
  name: string,
  lexpr: Node | undefined,
  rexpr: Node | undefined,
  scope: Scope,
  work: Work,
): Expression {
  if (lexpr === undefined) return prefix(name, lowerExpression(rexpr, scope, work));
  const comparison = COMPARISONS[name];
  if (comparison !== undefined) {
    const leftRow = rowOf(lexpr);
    const rightRow = rexpr === undefined ? undefined : rowOf(rexpr);
    if (leftRow !== undefined && rightRow !== undefined) {
      const pairs = {
        left: lowerAll(leftRow, scope, work),
        right: lowerAll(rightRow, scope, work),
      };
      return compareRows(comparison, pairs.left, pairs.right);
    }
  }
  const timed = rexpr && momentOperator(name, lexpr, rexpr, scope, work);
  if (timed !== undefined) return timed;
  const left = lowerExpression(lexpr, scope, work);
  const right = lowerExpression(rexpr, scope, work);
  if (comparison !== undefined) return compare(comparison, left, right);
  const arithmetic = ARITHMETIC[name];
  if (arithmetic === undefined) return applied(name, [left, right]);
  const types = [typeIn(left, scope, work), typeIn(right, scope, work)];
  // Only a date and a number of days give a sum.
  if (types[0] === "time" && types[1] === "int" && (name === "+" || name === "-"))
    return calendarCall("addDays", [left, times(right, name === "-" ? -1 : 1)]);
  const strange = types.find((type) => !calculatesWith(arithmetic, type));
  const interval = hasInterval(lexpr) || (rexpr !== undefined && hasInterval(rexpr));
  if (strange !== undefined || interval) {
    const isTime = types.includes("time") || interval;
    const kind = isTime ? "time-" : types.includes("json") ? "json-" : "";
    return applied(`${kind}${name}`, [left, right]);
  }
  return { kind: "arithmetic", operator: arithmetic, left, right };
}

/** `interval '1 day'` and `'1 day'::interval`. */
function hasInterval(node: Node): boolean {
  return "TypeCast" in node && typeText(node.TypeCast.typeName) === "interval";
}

/** An operator that is not evaluated: a function of its operands. */
function applied(name: string, operands: readonly Expression[]): Expression {
  return { kind: "call", name, arguments: operands, deterministic: true };
}

function prefix(name: string, operand: Expression): Expression {
  if (name === "+") return operand;
  if (name !== "-") return applied(name === "~" ? "~-" : name, [operand]);
  return operand.kind === "literal" && typeof operand.value === "number"
    ? literal(-operand.value)
    : { kind: "negate", operand };
}

/** Rows compare from left to right: (a, b) < (c, d) when a < c, or a = c and b < d. */
function compareRows(
  operator: ComparisonOperator,
  left: readonly Expression[],
  right: readonly Expression[],
): Expression {
  const pairs = left.map((each, at) => ({ left: each, right: right[at] ?? literal(null) }));
  const equal = (upTo: number): readonly Expression[] =>
    pairs.slice(0, upTo).map((pair) => compare("=", pair.left, pair.right));
  if (operator === "=") return connective("and", equal(pairs.length));
  if (operator === "<>") return { kind: "not", operand: connective("and", equal(pairs.length)) };
  const strict: ComparisonOperator = operator.startsWith("<") ? "<" : ">";
  const alternatives = pairs.map((pair, at) => {
    const last = at === pairs.length - 1 ? operator : strict;
    return connective("and", [...equal(at), compare(last, pair.left, pair.right)]);
  });
  return connective("or", alternatives);
}

function inList(
  left: Node | undefined,
  items: readonly Node[],
  scope: Scope,
  work: Work,
): Expression {
  const row = left === undefined ? undefined : rowOf(left);
  if (row === undefined) {
    const operand = lowerExpression(left, scope, work);
    return { kind: "in", operand, values: lowerAll(items, scope, work) };
  }
  const values = lowerAll(row, scope, work);
  const alternatives = items.map((item) =>
    compareRows("=", values, lowerAll(rowOf(item) ?? [], scope, work)),
  );
  return connective("or", alternatives);
}

/** `x = ANY (array)`, `x <> ALL (array)`: lists of values if the elements are written out. */
function quantified(name: string, expression: A_Expr, scope: Scope, work: Work): Expression {
  const operand = lowerExpression(expression.lexpr, scope, work);
  const elements = writtenElements(expression.rexpr, scope, work);
  const isAny = expression.kind === "AEXPR_OP_ANY";
  const comparison = COMPARISONS[name];
  if (elements !== undefined && comparison !== undefined) {
    if (isAny && comparison === "=") return { kind: "in", operand, values: elements };
    if (!isAny && comparison === "<>") {
      return { kind: "not", operand: { kind: "in", operand, values: elements } };
    }
    const each = elements.map((element) => compare(comparison, operand, element));
    return connective(isAny ? "or" : "and", each);
  }
  const array = lowerExpression(expression.rexpr, scope, work);
  const operator = comparison ?? name;
  return applied(`${operator}-${isAny ? "any" : "all"}`, [operand, array]);
}

/** The elements of an array literal: ARRAY[1, 2], '{1,2}'::int[]. */
export function writtenElements(
  node: Node | undefined,
  scope: Scope,
  work: Work,
): readonly Expression[] | undefined {
  if (node === undefined) return undefined;
  if ("A_ArrayExpr" in node) return lowerAll(node.A_ArrayExpr.elements, scope, work);
  if (!("TypeCast" in node)) return undefined;
  const { arg, typeName } = node.TypeCast;
  if (arg === undefined) return undefined;
  if ("A_ArrayExpr" in arg) return lowerAll(arg.A_ArrayExpr.elements, scope, work);
  const text = "A_Const" in arg ? constantOf(arg.A_Const) : undefined;
  if (typeof text !== "string" || !/^\{[^{}"\\]*\}$/.test(text)) return undefined;
  const type = valueTypeOf(typeText(typeName).replace(/\[\]$/, ""));
  const parts = text.slice(1, -1).split(",");
  if (text === "{}") return [];
  return parts.map((part) =>
    type === "int" || type === "decimal" ? literal(Number(part)) : literal(part.trim()),
  );
}
