// Which values are built alike: values share their parts, so that the text of one may be much longer than it is large.

/** Names of structures. */
export interface Identities {
  /** The same text for the same structure. Takes time linear in the objects that were not seen before. */
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
