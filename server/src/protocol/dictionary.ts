// Lookups by names that come from outside: of SQL, of code, of files and of messages. A name may be
// `constructor` or `__proto__`, which every ordinary object answers to. A lint rule (test/lint/outsideNames.mjs)
// keeps indexing by such names to what stands here, to maps and to arrays.

declare class Inheritless {
  private readonly inheritsNothing: true;
}

/** An object that inherits nothing: what it answers to is what was put into it. */
export type Dictionary<T> = Readonly<Record<string, T>> & Inheritless;

/** A table of what names stand for, made from an object literal. */
export function dictionary<T>(entries: Readonly<Record<string, T>>): Dictionary<T> {
  const made: unknown = Object.assign(Object.create(null), entries);
  return made as Dictionary<T>;
}

/** Own entry of a record under a name; undefined when it has nothing, whatever it inherits. */
export function ownEntry<T>(
  record: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Gives a record an entry of its own, also under the name that otherwise sets what it inherits. */
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
