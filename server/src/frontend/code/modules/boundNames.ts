// The names that statements and patterns bind around themselves.
import type { HirPattern, HirStatement } from "../hir";

/** In the order of the text; of a declaration, none of others. */
export function boundNames(statement: HirStatement): readonly string[] {
  if (statement.kind === "let") return namesOf(statement.pattern);
  if (statement.kind === "function") return [statement.function.name];
  if (statement.kind === "type") return [statement.name];
  return statement.kind === "class" && statement.class.name !== undefined
    ? [statement.class.name]
    : [];
}

function namesOf(pattern: HirPattern): readonly string[] {
  switch (pattern.kind) {
    case "bind":
      return [pattern.name];
    case "place":
      return [];
    case "default":
      return namesOf(pattern.pattern);
    case "object":
      return [...pattern.entries.map((entry) => entry.pattern), ...listed(pattern.rest)].flatMap(
        namesOf,
      );
    case "array":
      return [...pattern.items.flatMap(listed), ...listed(pattern.rest)].flatMap(namesOf);
    default:
      return pattern satisfies never;
  }
}

function listed<Item>(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}
