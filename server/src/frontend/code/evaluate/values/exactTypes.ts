// Types of records that hold what they name and nothing else, written `Exactly<{ ... }>`: what schemas give that leave out
// all that they do not name. TypeScript has no word for them; its own types promise nothing of what else there may be.
import type { Value } from "../../values";
import { typeTree } from "../../typeTree";
import { traverse } from "../../traverse";
import { fieldNamesOf } from "./fieldNames";

/** The names of all that a record may hold, of an argument as its type says; undefined where there may be others. */
export function heldNamesOf(value: Value): readonly string[] | undefined {
  if (value.kind !== "input" || value.type === undefined) return fieldNamesOf(value);
  const trees = typeTree(value.type);
  const parts = trees.kind === "intersection" ? trees.parts : [trees];
  const names = traverse(parts, (part) => {
    const [of] = part.kind === "name" && part.name === "Exactly" ? part.arguments : [];
    return of?.kind === "record" && !of.isOpen ? [...of.members.keys()] : undefined;
  });
  return names && [...new Set(names.flat())];
}
