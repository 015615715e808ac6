// Types that are inferred from a validator's schema: `z.infer<typeof Body>`.
import { schemaType } from "../../libraries/validators/zod";
import type { ModuleScope, Value } from "../../values";
import type { State } from "../state";
import { libraryOf } from "../../libraries/library";

const INFERRED =
  /^(?:[\w$]+\.)?(?:infer|input|output|TypeOf|Infer)<\s*typeof\s+([\w$]+)((?:\.[\w$]+)*)\s*>$/u;

/** The type as written out, where it is what a schema of the workspace gives; undefined for all others. */
export function inferredType(state: State, module: ModuleScope, type: string): string | undefined {
  const [, name, path = ""] = INFERRED.exec(type.trim()) ?? [];
  if (name === undefined) return undefined;
  const whole = module.lookup(name);
  const found = path
    .slice(1)
    .split(".")
    .reduce((value, property) => partOf(state, value, property), whole);
  return found && schemaType(found);
}

function partOf(state: State, value: Value | undefined, property: string): Value | undefined {
  if (property === "" || !value) return value;
  if (value.kind === "object") return value.fields.get(property)?.value;
  return value.kind === "handle"
    ? libraryOf(value).member?.(value, property, state.evaluator.tools(state, libraryOf(value)))
    : undefined;
}
