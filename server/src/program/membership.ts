// Tests over the rows of earlier results, anywhere in a program.
import type { Expression } from "./expression";

type Among = Extract<Expression, { kind: "among" }>;

/** The tests in an expression, query, statement or command, each once. Linear in unshared structure. */
export function amongIn(of: unknown): readonly Among[] {
  const found: Among[] = [];
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isAmong(value)) found.push(value);
    for (const each of Object.values(value)) visit(each);
  };
  visit(of);
  return found;
}

function isAmong(value: object): value is Among {
  return "kind" in value && value.kind === "among" && "loop" in value;
}
