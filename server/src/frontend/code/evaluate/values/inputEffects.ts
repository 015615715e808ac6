// Effects of the code on its arguments, its own and those of its calls.
import { constantText, partPath, unknown, type Cell, type Value } from "../../values";
import { write, type CallSite, type State } from "../state";
import { partsOfElements } from "./dynamicKeys";
import { readsOf } from "./convert";
import { forgetOthers, keyOf, ownKeyOf } from "./inputParts";
import { inputMember } from "./member";

type Input = Extract<Value, { kind: "input" }>;

/** Writes a part of an argument. */
export function writeInput(state: State, of: Input, name: string, value: Value): void {
  const { path, born = 0 } = of;
  const whole = { ...of, path: partPath(path, name) };
  writeAt(state, keyOf(whole), { value: inputMember(of, name), birth: born }, value);
  for (const { path: at, index } of partsOfElements(whole)) {
    forgetOthers(state, at, { key: keyOf(whole), index, reads: readsOf(value) });
  }
}

/** Notes what an argument, or a part of one, is once it was changed in a way that is not followed. */
export function writeWhole(state: State, of: Input, value: Value): void {
  writeAt(state, ownKeyOf(of), { value: of, birth: of.born ?? 0 }, value);
}

/** The same where what is in it may have been changed, too, also by whoever holds a part of it. */
export function writeInside(state: State, of: Input, value: Value): void {
  const { inside } = state.writtenInputs;
  const cell: Cell = { value: of, birth: of.born ?? 0 };
  inside.push({ path: of.path, cell, reads: readsOf(value) });
  write(state, cell, value);
  writeWhole(state, of, value);
}

function writeAt(state: State, key: string, before: Cell, value: Value): void {
  const { cells } = state.writtenInputs;
  const cell = cells.get(key) ?? before;
  cells.set(key, cell);
  write(state, cell, value);
}

/**
 * Changes by methods: `headers.set("x", value)` is what is asked for by that name afterwards. What is awaited changes
 * something elsewhere.
 */
export function setByCall(
  state: State,
  of: Input,
  args: readonly Value[],
  { name, isAwaited }: CallSite,
): void {
  if (isAwaited === true) return;
  const [key, value] = args;
  const method = name.slice(name.lastIndexOf(".") + 1);
  const isSet = /^(?:set|append)$/u.test(method) && args.length === 2;
  if (!isSet) return;
  const known = constantText(key);
  if (known !== undefined && value) writeInput(state, of, known, value);
  else {
    const reads = [of, ...args].flatMap((each) => readsOf(each));
    writeWhole(state, of, unknown(`what ${name}() makes of an argument is not known`, reads));
  }
}
