// Functions of a language's own libraries as the evaluator sees them, and how tables of them are written.
import type { Value } from "../../values";
import type { CallSite, State } from "../state";

export interface BuiltinCall {
  readonly state: State;
  readonly self: Value;
  readonly args: readonly Value[];
  readonly site: CallSite;
}

export type Builtin = (call: BuiltinCall) => Value;

/** One function under several names. */
export function aliases(names: string, builtin: Builtin): Record<string, Builtin> {
  return Object.fromEntries(names.split(" ").map((name) => [name, builtin]));
}

/** A method of scalars, inputs and texts. */
export function methods(names: string, builtin: Builtin): Record<string, Builtin> {
  return Object.fromEntries(
    names
      .split(" ")
      .flatMap((name) =>
        ["scalar", "input", "text", "unknown"].map((kind) => [`${kind}.${name}`, builtin]),
      ),
  );
}

/** A method of lists. */
export function lists(names: string, builtin: Builtin): Record<string, Builtin> {
  return Object.fromEntries(
    names
      .split(" ")
      .flatMap((name) => ["list", "input"].map((kind) => [`${kind}.${name}`, builtin])),
  );
}

/** A method of values of all kinds. */
export function anywhere(name: string, builtin: Builtin): Record<string, Builtin> {
  const kinds = "scalar input text list object row deferred unknown undefined choice";
  return Object.fromEntries(kinds.split(" ").map((kind) => [`${kind}.${name}`, builtin]));
}
