// What the code writes into its arguments, and what it calls that does.
import { constantText, partPath, unknown, type Value } from "../../values";
import { write, type CallSite, type State } from "../state";
import { readsOf } from "./convert";
import { keyOf } from "./heldInputs";

type Input = Extract<Value, { kind: "input" }>;

/** Writes a part of an argument. */
export function writeInput(state: State, of: Input, name: string, value: Value): void {
  const { element, path, born = 0 } = of;
  const field = element && (element.field === "" ? name : `${element.field}.${name}`);
  const part: Input = {
    ...of,
    path: partPath(path, name),
    ...(element && field !== undefined && { element: { ...element, field } }),
  };
  writeAt(state, part, value, born);
  if (!element) return;
  const { elements } = state.writtenInputs;
  const entry = { index: element.index, reads: readsOf(value) };
  elements.set(part.path, [...(elements.get(part.path) ?? []), entry]);
}

/** Writes an argument, or a part of one, as a whole. */
export function writeWhole(state: State, of: Input, value: Value): void {
  writeAt(state, of, value, of.born ?? 0);
}

function writeAt(state: State, part: Input, value: Value, birth: number): void {
  const { cells } = state.writtenInputs;
  const key = keyOf(part);
  const cell = cells.get(key) ?? { value: part, birth };
  cells.set(key, cell);
  write(state, cell, value);
}

/** `headers.set("x", value)`: what is asked for by that name afterwards. What is awaited changes something elsewhere. */
export function setByCall(
  state: State,
  of: Input,
  args: readonly Value[],
  { name, isAwaited }: CallSite,
): void {
  const [key, value] = args;
  if (!/\.(?:set|append)$/u.test(name) || args.length !== 2 || isAwaited === true) return;
  const known = constantText(key);
  if (known !== undefined && value) writeInput(state, of, known, value);
  else {
    const reads = [of, ...args].flatMap((each) => readsOf(each));
    writeWhole(state, of, unknown(`what ${name}() makes of an argument is not known`, reads));
  }
}
