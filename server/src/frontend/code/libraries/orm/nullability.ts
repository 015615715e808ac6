// Values of conditions that may be nothing when the program runs: what mappers make of these.
import type { Expression } from "../../../../program/expression";
import { leftOut, mayBeNothing } from "../../evaluate/values/absence";
import { constantScalar, scalar, UNDEFINED, type Value } from "../../values";
import { chooseFragment, valueFragment, raw, sequence, type Fragment } from "../builders/draft";
import type { Tools } from "../library";

/** True if a value may be null; an argument without a type may. */
export function mayBeNull(value: Value): boolean {
  switch (value.kind) {
    case "input":
      return value.type === undefined || (mayBeNothing(value) && !isOnlyLeftOut(value));
    case "choice":
      return [value.then, value.otherwise].some(
        (each) => constantScalar(each) === null || mayBeNull(each),
      );
    case "scalar":
      return value.mayBeNull === true || !SURE.has(value.expression.kind);
    default:
      return false;
  }
}

/** Fields of rows that may be NULL say so. */
const SURE: ReadonlySet<Expression["kind"]> = new Set(["literal", "fresh", "field", "size"]);

function isOnlyLeftOut(value: Extract<Value, { kind: "input" }>): boolean {
  return leftOut(value) !== undefined && !mayBeNothing({ ...value, mayLack: false });
}

/** `column = value`, which holds for two NULLs. */
export function sameAs(column: string, value: Value, { dialect }: Tools): Fragment {
  const isMysql = dialect === "mysql" || dialect === "mariadb";
  return sequence(`${column} ${isMysql ? "<=>" : "IS NOT DISTINCT FROM"} `, valueFragment(value));
}

/** `column <> value`; where the value is NULL, that the column is not. */
export function otherThan(column: string, value: Value, tools: Tools): Fragment {
  const isOther = sequence(`${column} <> `, valueFragment(value));
  return chooseFragment(isNothing(value, tools), raw(`${column} IS NOT NULL`), isOther) ?? isOther;
}

/** The value, or `undefined` where it is null or undefined when the program runs. */
export function unlessNothing(value: Value, tools: Tools): Value {
  if (constantScalar(value) === null) return UNDEFINED;
  if (value.kind === "choice") {
    const { then, otherwise } = value;
    return { ...value, then: unlessNothing(then, tools), otherwise: unlessNothing(otherwise, tools) }; // prettier-ignore
  }
  const isPerhaps =
    value.kind === "input"
      ? mayBeNothing(value)
      : value.kind === "scalar" && (value.mayBeNull === true || value.where !== undefined);
  if (!isPerhaps) return value;
  const { expression: condition } = isNothing(value, tools);
  return { kind: "choice", condition, then: UNDEFINED, otherwise: value };
}

function isNothing(value: Value, tools: Tools) {
  const isNull: Expression = { kind: "isNull", operand: tools.expression(value) };
  return { ...scalar(isNull, "bool"), expression: isNull };
}
