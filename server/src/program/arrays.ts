// Array arguments of a transaction: each element is a separate argument.

/** The argument name of an array element, counted from one. */
export function elementName(array: string, at: number): string {
  return `${array}[${String(at)}]`;
}

/** A list of items that are arguments of their own, as PostgreSQL writes it: `{1,2}`; undefined if there are none. */
export function writtenList(
  list: string,
  valueOf: (name: string) => number | string | boolean | null | undefined,
): string | undefined {
  const items: string[] = [];
  for (let at = 1; ; at += 1) {
    const value = valueOf(elementName(list, at));
    if (value === undefined) return items.length === 0 ? undefined : `{${items.join(",")}}`;
    items.push(typeof value === "string" ? JSON.stringify(value) : String(value ?? "NULL"));
  }
}

/** The argument name of an array's length. */
export function lengthName(array: string): string {
  return `${array}.length`;
}
