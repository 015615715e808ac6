// Which versions a look-up is about.
import type { Lookup, Value } from "./client";

/** True if the version holds the value of the look-up, and lies in its range. */
export function isAbout({ value, valueOf, range }: Lookup, version: Value): boolean {
  if (valueOf(version) !== value) return false;
  if (range === undefined) return true;
  const place = range.orderOf(version);
  return place !== undefined && place >= range.from && place <= range.to;
}
