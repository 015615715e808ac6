// Types of records that hold what they name and nothing else, written `Exactly<{ ... }>`: what schemas give that leave out
// all that they do not name. TypeScript has no word for them; its own types promise nothing of what else there may be.
import type { Value } from "../../values";
import { fieldNamesOf } from "./fieldNames";
import { splitAt } from "./memberTypes";

/** The names of all that a record may hold, of an argument as its type says; undefined where there may be others. */
export function heldNamesOf(value: Value): readonly string[] | undefined {
  if (value.kind !== "input" || value.type === undefined) return fieldNamesOf(value);
  const parts = splitAt(value.type.trim(), "&").map((part) => EXACTLY.exec(part.trim())?.[1]);
  if (!parts.every((each) => each !== undefined)) return undefined;
  const names = parts.flatMap((each) => splitAt(each, ";").map((member) => NAME.exec(member)?.[1]));
  return names.every((each) => each !== undefined) ? [...new Set(names)] : undefined;
}

const EXACTLY = /^Exactly<\{(.*)\}>$/su;
const NAME = /^\s*["']?([\w$]+)["']?\??\s*:/u;
