// Attributes of a Prisma schema.
import type { PrismaArgument, PrismaAttribute, PrismaValue } from "./syntax";

/** The argument of that name, or the first one without a name. */
export function argument(attribute: PrismaAttribute, name: string): PrismaValue | undefined {
  const named = namedArgument(attribute, name);
  return named ?? attribute.arguments.find((each) => each.name === undefined)?.value;
}

/** The argument of that name. */
export function namedArgument(attribute: PrismaAttribute, name: string): PrismaValue | undefined {
  return attribute.arguments.find((each) => each.name === name)?.value;
}

/** The text of a string. */
export function textOf(value: PrismaValue): string | undefined {
  return value.kind === "text" ? value.text : undefined;
}

/** The names (or texts) of a list, without what they are called with: `[a(sort: Desc), b]`. */
export function namesIn(value: PrismaValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if (value.kind === "list") return value.items.flatMap((item) => namesIn(item));
  return value.kind === "name" || value.kind === "text" ? [value.text] : [];
}

/** The same with the place of each. */
export function placedNamesIn(value: PrismaValue | undefined): readonly PrismaValue[] {
  return value?.kind === "list" ? value.items : value === undefined ? [] : [value];
}

/** The first argument of a call. */
export function firstOf(given: readonly PrismaArgument[] | undefined): PrismaValue | undefined {
  return given?.[0]?.value;
}
