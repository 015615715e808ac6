// Arrays and lists whose elements are found by an index that is only known when the code runs.
import { literal } from "../../../sql/expressions";
import { fewReads } from "../../roots/provenance";
import { compare } from "../../../sql/terms";
import type { Expression } from "../../../../program/expression";
import type { Span } from "../../../sql/text/split";
import {
  constant,
  constantScalar,
  type ListValue,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import { expressionOf, leavesOf, readsOf } from "../values/convert";
import { elementOf, requireHolds } from "../values/member";
import { choose } from "../values/operators";
import { isFromCode } from "../values/outside";
import { newCell, sourceOf, write, type State } from "../state";
import { semanticsOf } from "../../semantics";
import { unknownPart } from "../values/subvalues";
import { grownCell } from "./collections";
import { noteRead } from "./lastReads";

/** Longer arrays are not told item by item. */
const MOST_ITEMS = 64;
/** More items are not told apart by a computed index. */
const MOST_CHOICES = 8;

/**
 * `new T[length]`. Elements of one whose length is only known when it runs are taken to come from outside until
 * something of the database is written there.
 */
export function newArray(state: State, length: Value, type: string): ListValue {
  const count = constantScalar(length);
  if (typeof count === "number" && count <= MOST_ITEMS) {
    const items = Array.from({ length: count }, () => newCell(state, initial(type)));
    return { kind: "list", items, grown: grownCell(state) };
  }
  const path = state.ids.fresh(`${type}[]`);
  const grown: Value = { kind: "input", path, origin: "argument" };
  return { kind: "list", items: [], grown: grownCell(state, grown) };
}

function initial(type: string): Value {
  if (type === "boolean") return constant(false);
  return /^(?:byte|short|int|long|float|double)$/u.test(type) ? constant(0) : constant(null);
}

/** The element at an index, counted from zero, that is an expression. */
export function elementAt(state: State, list: ListValue, at: Expression, span: Span): Value {
  const { grown } = list;
  noteRead(grown);
  if (grown.value?.kind === "input") return elementOf(grown.value, next(at));
  const items = list.items.flatMap((cell) => (cell.value ? [cell.value] : []));
  if (grown.value !== undefined || items.length === 0 || items.length > MOST_CHOICES) {
    return unknownPart(list, "an element by a computed key is not known", [at, ...readsOf(list)]);
  }
  if (!semanticsOf(state.frame.file).checksBounds) return among(items, at, UNDEFINED);
  // Elsewhere is an error.
  const operands = items.map((_item, index) => compare("=", at, literal(index)));
  requireHolds(state, { kind: "or", operands }, "an index is out of bounds", sourceOf(state, span));
  return among(items.slice(0, -1), at, items.at(-1) ?? UNDEFINED);
}

function among(items: readonly Value[], at: Expression, otherwise: Value): Value {
  return items.reduceRight(
    (rest: Value, item, index) => choose(compare("=", at, literal(index)), item, rest),
    otherwise,
  );
}

/** `list[at] = value` where the index is only known when it runs: any element may have been written. */
export function setElement(state: State, list: ListValue, at: Value, value: Value): void {
  const isOutside =
    list.grown.value?.kind === "input" && isScalarValue(value) && isFromCode(state, value);
  if (isOutside) return;
  // A few stand for all that was written so far: each write would double what they read.
  const before = list.grown.value ?? list.items[0]?.value ?? UNDEFINED;
  const reads = leavesOf(
    ...fewReads([...readsOf(value), expressionOf(state, at), ...readsOf(before)]),
  );
  const lost = unknown("an array is written at an index that is only known when it runs", reads);
  for (const cell of list.items) write(state, cell, lost);
  write(state, list.grown, lost);
}

function isScalarValue({ kind }: Value): boolean {
  return kind === "scalar" || kind === "text" || kind === "input" || kind === "undefined";
}

/** One more: arrays of the AR count from one. */
export function next(index: Expression): Expression {
  if (index.kind === "arithmetic" && index.operator === "-") {
    const { left, right } = index;
    if (right.kind === "literal" && right.value === 1) return left;
  }
  return { kind: "arithmetic", operator: "+", left: index, right: literal(1) };
}
