// One object for all values that are equal, so that what was made of one is known of the others.
import { ownEntry } from "../protocol/dictionary";

/** Gives the earlier of two equal values; it remembers the latest few. */
export function createInterner<Value>(
  equals: (a: Value, b: Value) => boolean,
  capacity = 16,
): (value: Value) => Value {
  let latest: readonly Value[] = [];
  return (value) => {
    const first = latest.find((each) => each === value || equals(each, value)) ?? value;
    latest = [first, ...latest.filter((each) => each !== first)].slice(0, capacity);
    return first;
  };
}

/** True for lists of the same elements. */
export function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, at) => Object.is(each, b[at]));
}

/** True for equal plain data: lists, records, texts, numbers. Linear in the smaller one; shared parts are not compared. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((each, at) => sameData(each, b[at]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const left = Object.keys(a);
  if (left.length !== Object.keys(b).length) return false;
  return left.every((key) => Object.hasOwn(b, key) && sameData(ownEntry(a, key), ownEntry(b, key)));
}

function isRecord(data: object): data is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === Object.prototype || prototype === null;
}
