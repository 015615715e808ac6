// Clauses after the values in GROUP_CONCAT: order and separator.
import { peek, take, takeAny, unexpectedToken, wordAt, type Reader } from "./reader";
import type { SyntaxExpression, SyntaxOrder } from "./syntax";

export interface Concatenation {
  readonly orderBy?: readonly SyntaxOrder[];
  readonly separator?: string;
}

/** `ORDER BY a DESC SEPARATOR ', '` */
export function orderAndMark(reader: Reader, readValue: () => SyntaxExpression): Concatenation {
  const orderBy: SyntaxOrder[] = [];
  if (take(reader, "order", "by")) {
    do {
      const value = readValue();
      orderBy.push({ value, descending: takeAny(reader, "asc", "desc") === "desc" });
    } while (take(reader, ","));
  }
  if (wordAt(reader) !== "separator") return { orderBy };
  reader.at++;
  const mark = peek(reader);
  if (mark?.kind !== "string") throw unexpectedToken(reader);
  reader.at++;
  return { orderBy, separator: mark.word };
}
