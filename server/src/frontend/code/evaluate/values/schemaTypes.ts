// Types that are inferred from a validator's schema: `z.infer<typeof Body>`.
import { schemaType } from "../../libraries/validators/zod";
import type { ModuleScope, Value } from "../../values";
import type { State } from "../state";
import type { Type } from "../../typeTree";
import { libraryOf } from "../../libraries/library";

const INFERRED = /^(?:[\w$]+\.)?(?:infer|input|output|TypeOf|Infer)$/u;

/** The type as written out, where it is what a schema of the workspace gives; undefined for all others. */
export function inferredType(state: State, module: ModuleScope, type: Type): string | undefined {
  const [of, ...others] = type.kind === "name" && INFERRED.test(type.name) ? type.arguments : [];
  if (of?.kind !== "typeof" || others.length > 0) return undefined;
  const [name = "", ...path] = of.path.split(".");
  const found = path.reduce(
    (value, property) => partOf(state, value, property),
    module.lookup(name),
  );
  return found && schemaType(found);
}

function partOf(state: State, value: Value | undefined, property: string): Value | undefined {
  if (!value) return value;
  if (value.kind === "object") return value.fields.get(property)?.value;
  return value.kind === "handle"
    ? libraryOf(value).member?.(value, property, state.evaluator.tools(state, libraryOf(value)))
    : undefined;
}
