// Texts that are put together. A text that differs by path is a choice of texts as long as these are few, so that SQL
// whose parts depend on conditions stays readable.
import type { Expression } from "../../../../program/expression";
import type { TextPart, Value } from "../../values";
import { negate, sameExpression } from "./convert";

/** More alternatives of one text are not told from each other. */
const MOST_ALTERNATIVES = 8;

/** True if a value is a text, or one of few by conditions. */
export function isTextual(value: Value): boolean {
  return alternativesOf(value) > 0;
}

/** True if two paths that leave these texts leave few enough to keep each. */
export function canChoose(values: readonly Value[]): boolean {
  const counts = values.map(alternativesOf);
  return counts.every((count) => count > 0) && sum(counts) <= MOST_ALTERNATIVES;
}

/** Two texts, one behind the other; where they differ by path, each with each that can meet. */
export function concatenate(left: Value, right: Value): Value {
  const whole = joinedTexts(left, right);
  if (alternativesOf(whole) <= MOST_ALTERNATIVES) return whole;
  return { kind: "text", parts: [...partsOf(left), ...partsOf(right)] };
}

/** A value as part of a text. */
export function partsOf(value: Value): readonly TextPart[] {
  return value.kind === "text" ? value.parts : [{ kind: "hole", value }];
}

/** Rest of a choice where a condition holds, or does not. */
export function assuming(value: Value, condition: Expression, holds: boolean): Value {
  if (value.kind !== "choice") return value;
  const isSame = sameExpression(value.condition, condition);
  if (isSame || sameExpression(value.condition, negate(condition))) {
    return assuming(isSame === holds ? value.then : value.otherwise, condition, holds);
  }
  const then = assuming(value.then, condition, holds);
  const otherwise = assuming(value.otherwise, condition, holds);
  return { ...value, then, otherwise };
}

function joinedTexts(left: Value, right: Value): Value {
  const first = isTextual(left) && left.kind === "choice" ? left : undefined;
  const chosen = first ?? (isTextual(right) && right.kind === "choice" ? right : undefined);
  if (!chosen) return { kind: "text", parts: [...partsOf(left), ...partsOf(right)] };
  const { condition } = chosen;
  const [then, otherwise] = [true, false].map((holds) =>
    joinedTexts(assuming(left, condition, holds), assuming(right, condition, holds)),
  );
  return then && otherwise ? { kind: "choice", condition, then, otherwise } : left;
}

/** How many texts a value can be; 0 where it can be something else, too. */
function alternativesOf(value: Value): number {
  if (value.kind === "text") return 1;
  if (value.kind !== "choice") return 0;
  const [then, otherwise] = [alternativesOf(value.then), alternativesOf(value.otherwise)];
  return then > 0 && otherwise > 0 ? then + otherwise : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
