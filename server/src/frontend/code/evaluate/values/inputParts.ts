// Parts of arguments that the code writes: `request.user = row`, `headers.set("x", value)`. They are what was written there
// until the function ends; what an argument is made of is told by its path.
import { attribute } from "../../../../query/nodes";
import type { Expression } from "../../../../program/expression";
import { oneOfSeveral, unknown, type ArgumentPlace, type Value } from "../../values";
import { write, type State, type WrittenInputs, type WrittenElement } from "../state";
import { partsOfElements } from "./dynamicKeys";

type Input = Extract<Value, { kind: "input" }>;

const WHICH_ITEM = "which item of a list was written is not known";

/** The key of a part of an argument; an element that a loop takes is another one in each round. */
export function keyOf({ path, born, element }: ArgumentPlace): string {
  if (element === undefined) return path;
  return `${path} ${born === undefined ? JSON.stringify(element.index) : String(born)}`;
}

/** Where it is noted what is done to an object itself, wherever it stands. */
export function ownKeyOf(input: Input): string {
  return `${keyOf(input)} itself`;
}

/** The content of that part of an argument: that part until something else is written there. */
export function heldBy(state: State, part: Input): Value {
  const { cells, elements } = state.writtenInputs;
  if (cells.size === 0) return part;
  const own = cells.get(keyOf(part))?.value;
  if (own) return own;
  const others = partsOfElements(part).flatMap(({ path, index }) =>
    (elements.get(path) ?? []).filter((each) => mayBe(each.index, index)),
  );
  const reads = others.flatMap((each) => each.reads);
  return others.length === 0 ? part : oneOfSeveral(WHICH_ITEM, reads);
}

/** Parts of elements that were written before are not known where they may be of the one that is written now. */
export function forgetOthers(state: State, path: string, written: WrittenElement): void {
  const { cells, elements } = state.writtenInputs;
  const before = elements.get(path) ?? [];
  for (const { key, index, reads } of before) {
    const cell = cells.get(key);
    if (key === written.key || !cell || !mayBe(index, written.index)) continue;
    write(state, cell, oneOfSeveral(WHICH_ITEM, [...reads, ...written.reads]));
  }
  elements.set(path, [...before, written]);
}

/** True if two indexes that are not written alike may be the same. */
function mayBe(left: Expression, right: Expression): boolean {
  const isKnown = left.kind === "literal" && right.kind === "literal";
  return !isKnown && JSON.stringify(left) !== JSON.stringify(right);
}

/** An argument, or what is known of it once it was changed in a way that its parts do not tell. Linear in its cases. */
export function nowOf(state: State, value: Value): Value {
  const { cells } = state.writtenInputs;
  if (cells.size === 0) return value;
  if (value.kind === "choice") {
    // The fact of an argument may name it for the case that it was not changed.
    const key = keptAs.get(value);
    if (key !== undefined) return presentOf(state, key) ?? value;
    const [then, otherwise] = [nowOf(state, value.then), nowOf(state, value.otherwise)];
    const isSame = then === value.then && otherwise === value.otherwise;
    return isSame ? value : { ...value, then, otherwise };
  }
  if (value.kind !== "input") return value;
  const { inside } = state.writtenInputs;
  return presentOf(state, ownKeyOf(value)) ?? changedInside(value, inside) ?? value;
}

/** Facts about a part of something that was changed as a whole. */
function changedInside({ path }: Input, inside: WrittenInputs["inside"]): Value | undefined {
  for (const { path: whole, cell, reads } of inside) {
    const { value } = cell;
    if (!value || value.kind === "input" || !isPart(path, whole)) continue;
    return unknown(`what became of a part of ${whole} is not known`, reads);
  }
  return undefined;
}

function isPart(path: string, whole: string): boolean {
  return path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`);
}

/** Facts about an argument as a whole, by its key; what was known of it before is still the same argument. */
function presentOf({ writtenInputs: { cells } }: State, key: string): Value | undefined {
  const present = cells.get(key)?.value;
  if (present?.kind === "choice") keptAs.set(present, key);
  return present;
}

/** The arguments that choices are what was known of. */
const keptAs = attribute<Value, string>();

/** Writes to parts of an argument that is used as a whole. */
export function writtenParts(state: State, value: Value): readonly Value[] {
  if (value.kind !== "input") return [];
  return [...state.writtenInputs.cells].flatMap(([key, { value: part }]) => {
    const isAsGiven = part?.kind === "input" && [keyOf(part), ownKeyOf(part)].includes(key);
    const isWritten = part && !isAsGiven;
    return isPart(key, value.path) && isWritten ? [part] : [];
  });
}
