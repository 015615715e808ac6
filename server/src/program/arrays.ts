// Arrays among the arguments of a transaction: each element is an argument of its own.

/** The name of the argument that is an array's element, counted from one. */
export function elementName(array: string, at: number): string {
  return `${array}[${String(at)}]`;
}

/** The name of the argument that is an array's length. */
export function lengthName(array: string): string {
  return `${array}.length`;
}
