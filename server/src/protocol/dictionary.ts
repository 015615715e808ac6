// Lookups by untrusted names: from SQL, code, files and messages. A name may be `constructor` or `__proto__`, which every ordinary object
// has. A lint rule (test/lint/outsideNames.mjs) restricts indexing by such names to these functions, maps and arrays.

declare class Inheritless {
  private readonly inheritsNothing: true;
}

/** An object without inherited properties. */
export type Dictionary<T> = Readonly<Record<string, T>> & Inheritless;

/** A dictionary made from an object literal. */
export function dictionary<T>(entries: Readonly<Record<string, T>>): Dictionary<T> {
  const made: unknown = Object.assign(Object.create(null), entries);
  return made as Dictionary<T>;
}

/** A record's own entry under a name; undefined if there is none, whatever it inherits. */
export function ownEntry<T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Sets a record's own entry, also for `__proto__`. */
export function setEntry<T>(record: Record<string, T>, name: string, value: T): void {
  if (name !== "__proto__") record[name] = value;
  else
    Object.defineProperty(record, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
}
