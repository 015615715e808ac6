// Formats of texts beyond a column's coarse type: a server rejects 'a' for a uuid.

/** `length`: the maximal number of characters. `pattern`: a regular expression that a CHECK asks for. */
export type Takes =
  | { readonly kind: "uuid" | "address" | "hardware" | "clock" | "interval" }
  | { readonly kind: "labels"; readonly labels: readonly string[] }
  | { readonly kind: "length"; readonly most: number }
  | { readonly kind: "pattern"; readonly pattern: string };

/** The details of a type: the numbers in its parentheses, and the labels of an enumeration. */
export interface TypeDetails {
  readonly sizes?: readonly number[];
  readonly labels?: readonly string[];
}

/** Longer texts are never invented. */
const LONG = 8;

/** The format of a type's texts, by the type's name in lower case; undefined for any text, or if unknown. */
export function takesOf(type: string, details: TypeDetails = {}): Takes | undefined {
  const { sizes: [most] = [], labels = [] } = details;
  switch (type) {
    case "uuid":
    case "uniqueidentifier":
      return { kind: "uuid" };
    case "inet":
    case "cidr":
    case "inet4":
      return { kind: "address" };
    case "macaddr":
      return { kind: "hardware" };
    case "time":
    case "timetz":
      return { kind: "clock" };
    case "interval":
      return { kind: "interval" };
    case "enum":
      return labels.length > 0 ? { kind: "labels", labels } : undefined;
    case "char":
    case "bpchar":
    case "character":
    case "nchar":
      return upTo(most ?? 1);
    case "varchar":
    case "nvarchar":
      return upTo(most);
    default:
      return undefined;
  }
}

function upTo(most: number | undefined): Takes | undefined {
  return most !== undefined && most < LONG ? { kind: "length", most } : undefined;
}
