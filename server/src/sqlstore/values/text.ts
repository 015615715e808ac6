// Values of which the type says that they are texts.
import type { SqlValue } from "./value";

/** A text, or what stands for a number or truth value; empty for NULL and for what has no plain text. */
export function plainText(value: SqlValue | undefined): string {
  if (value === undefined || value === null || typeof value === "object") return "";
  return String(value);
}

/** By code points, which the order of UTF-16 units is not beyond the basic plane. */
export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  if (!BEYOND.test(left) && !BEYOND.test(right)) return left < right ? -1 : 1;
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = (a[at]?.codePointAt(0) ?? 0) - (b[at]?.codePointAt(0) ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const BEYOND = /[\ud800-\udfff]/;
