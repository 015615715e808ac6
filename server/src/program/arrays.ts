// Array arguments of a transaction: each element is a separate argument.

/** The argument name of an array element, counted from one. */
export function elementName(array: string, at: number): string {
  return `${array}[${String(at)}]`;
}

/** The argument name of an array's length. */
export function lengthName(array: string): string {
  return `${array}.length`;
}
