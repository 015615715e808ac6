// Structural identity of values. Values share parts, so that the text of one may be much longer than its size.

/** Ids of structures. */
export interface Identities {
  /** An id, equal for equal structures. Linear in the objects that were not seen before. */
  of(value: unknown): string;
}

export function createIdentities(): Identities {
  const names = new Map<string, string>();
  const known = new WeakMap<object, string>();
  const of = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
    const before = known.get(value);
    if (before !== undefined) return before;
    const structure = Array.isArray(value)
      ? `[${value.map(of).join()}]`
      : `{${Object.entries(value)
          .map(([key, part]) => `${key}:${of(part)}`)
          .join()}}`;
    const name = names.get(structure) ?? `#${String(names.size)}`;
    names.set(structure, name);
    known.set(value, name);
    return name;
  };
  return { of };
}
