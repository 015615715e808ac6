// Parts of arguments that the code writes: `request.user = row`, `headers.set("x", value)`. They are what was written there
// until the function ends; what an argument is made of is told by its path.
import type { Expression } from "../../../../program/expression";
import { unknown, type Cell, type Value } from "../../values";
import type { State } from "../state";

type Input = Extract<Value, { kind: "input" }>;

/** What was written to parts of arguments, by their paths. */
export interface WrittenInputs {
  readonly cells: Map<string, Cell>;
  /** The elements of arrays that were written, by their parts' paths: the index at which, and what it is of. */
  readonly elements: Map<
    string,
    { readonly index: Expression; readonly reads: readonly Expression[] }[]
  >;
}

/** An element that a loop takes is another one in each round. */
export function keyOf({ path, born }: Input): string {
  return born === undefined ? path : `${path} ${String(born)}`;
}

/** What an argument, or a part of one, holds: itself until it is written. */
export function heldBy(state: State, value: Input): Value {
  const { cells, elements } = state.writtenInputs;
  if (cells.size === 0) return value;
  const own = cells.get(keyOf(value))?.value;
  if (own) return own;
  const { element } = value;
  if (!element) return value;
  const others = (elements.get(value.path) ?? []).filter(
    ({ index }) => JSON.stringify(index) !== JSON.stringify(element.index),
  );
  const reads = others.flatMap((each) => each.reads);
  return others.length === 0
    ? value
    : unknown("which item of a list was written is not known", reads);
}

/** What was written to parts of an argument that is used as a whole. */
export function writtenParts(state: State, value: Value): readonly Value[] {
  if (value.kind !== "input") return [];
  return [...state.writtenInputs.cells].flatMap(([key, { value: part }]) =>
    key.startsWith(`${value.path}.`) && part && part.kind !== "input" ? [part] : [],
  );
}
