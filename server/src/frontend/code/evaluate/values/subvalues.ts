// Questions about a value and what it holds. Records may hold each other.
import type { ObjectValue, Value } from "../../values";

/**
 * True if something holds for a value, or for one within it. `look` says whether it holds for one, or gives those within
 * it that are to be looked at instead. Each is looked at once: linear in what is held.
 */
export function someWithin(
  value: Value,
  look: (value: Value) => boolean | readonly Value[],
): boolean {
  const seen = new Set([value]);
  // Grows while it is gone over.
  for (const each of seen) {
    const found = look(each);
    if (found === true) return true;
    if (found === false) continue;
    for (const inner of found) seen.add(inner);
  }
  return false;
}

/** Content of the fields of a record. */
export function heldBy({ fields }: ObjectValue): readonly Value[] {
  return [...fields.values()].flatMap(({ value }) => value ?? []);
}
