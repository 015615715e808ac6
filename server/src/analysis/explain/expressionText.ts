// Conditions of the program as SQL-like text, for people. Not meant to be parsed again.
import type { Expression } from "../../program/expression";
import { valueText } from "./words";

/** A short text of an expression; parts that have no short text are "...". */
export function expressionText(expression: Expression): string {
  const go = expressionText;
  const inner = (each: Expression): string =>
    each.kind === "and" || each.kind === "or" ? `(${go(each)})` : go(each);
  switch (expression.kind) {
    case "literal":
      return valueText(expression.value);
    case "parameter":
    case "variable":
      return expression.name;
    case "column":
      return `${expression.relation}.${expression.column}`;
    case "arithmetic":
    case "comparison":
      return `${inner(expression.left)} ${expression.operator} ${inner(expression.right)}`;
    case "negate":
      return `-${inner(expression.operand)}`;
    case "and":
    case "or":
      return expression.operands.map(inner).join(` ${expression.kind} `);
    case "not":
      return `not ${inner(expression.operand)}`;
    case "isNull":
      return `${inner(expression.operand)} is null`;
    case "in":
      return `${inner(expression.operand)} in (${expression.values.map(go).join(", ")})`;
    case "call":
      return callText(expression.name, expression.arguments.map(go));
    default:
      return "...";
  }
}

/** Operators that are not evaluated are calls as well: `json-->` and `=-any`, written as in SQL. */
function callText(name: string, args: readonly string[]): string {
  const [left, right, ...others] = args;
  // Milliseconds and moments of them stand for themselves.
  if (/^code:(?:millis|instant)$/u.test(name)) return left ?? "...";
  const operator = name.replace(/^(?:json|time)-/u, "");
  if (right === undefined || others.length > 0 || /^\w/u.test(operator))
    return `${name.replace(/^code:(?:Date\.)?/u, "")}(${args.join(", ")})`;
  const quantified = /^(.*)-(any|all)$/u.exec(operator);
  if (quantified) return `${left ?? ""} ${quantified[1] ?? ""} ${quantified[2] ?? ""}(${right})`;
  return `${left ?? ""} ${operator} ${right}`;
}
