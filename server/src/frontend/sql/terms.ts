// Constructors of AR expressions and queries.
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
  ValueType,
  Output,
  Query,
} from "../../program/expression";
import { literal, TRUE } from "./expressions";

/** `operand`, or NOT of it. */
export function negatedIf(negated: boolean, operand: Expression): Expression {
  return negated ? { kind: "not", operand } : operand;
}

/** True if the operator computes with values of that type; an unknown one is assumed to be a number or text. */
export function calculatesWith(operator: ArithmeticOperator, type: ValueType | undefined): boolean {
  if (type === undefined) return true;
  if (operator === "||") return ["text", "int", "decimal", "bool"].includes(type);
  return type === "int" || type === "decimal";
}

/** AND or OR of the operands, flattened and without neutral ones; a single operand is returned as it is. */
export function connective(kind: "and" | "or", operands: readonly Expression[]): Expression {
  const neutral = kind === "and";
  const flat = operands
    .flatMap((each) => (each.kind === kind ? each.operands : [each]))
    .filter((each) => !(each.kind === "literal" && each.value === neutral));
  const [first] = flat;
  if (first === undefined) return literal(neutral);
  return flat.length === 1 ? first : { kind, operands: flat };
}

/**
 * A condition that is true where the given one is, and may be false where that is NULL: sufficient for WHERE. Linear in its AND, OR and
 * CASE.
 */
export function whereTrue(condition: Expression): Expression {
  if (condition.kind === "and" || condition.kind === "or")
    return connective(condition.kind, condition.operands.map(whereTrue));
  if (condition.kind !== "conditional") return condition;
  const { then, otherwise } = condition;
  const isYes = then.kind === "literal" && then.value === true;
  return isYes && isNever(otherwise) ? condition.condition : condition;
}

function isNever(condition: Expression): boolean {
  if (condition.kind === "conditional")
    return isNever(condition.then) && isNever(condition.otherwise);
  return condition.kind === "literal" && (condition.value === null || condition.value === false);
}

export function compare(
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
): Expression {
  return { kind: "comparison", operator, left, right };
}

/** A query without relations. */
export function emptyQuery(outputs: readonly Output[]): Query {
  return {
    relations: [],
    where: TRUE,
    outputs,
    groupBy: [],
    orderBy: [],
    distinct: false,
    setOperations: [],
  };
}

/** The outputs with a number appended to repeated names: results are read by name. */
export function withDistinctNames(outputs: readonly Output[]): readonly Output[] {
  const used = new Set<string>();
  return outputs.map((output) => {
    let { name } = output;
    for (let number = 2; used.has(name); number++) name = `${output.name}_${number}`;
    used.add(name);
    return name === output.name ? output : { ...output, name };
  });
}

/** The query with its first columns renamed. */
export function withColumnNames(query: Query, names: readonly string[]): Query {
  if (names.length === 0) return query;
  const outputs = query.outputs.map((output, at) => ({
    ...output,
    name: names[at] ?? output.name,
  }));
  return { ...query, outputs };
}
