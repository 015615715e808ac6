// Types of properties of what is of one of several types: `{ type: "a"; of: number } | { type: "b" }`.
import { typeTree, type Type } from "../../typeTree";
import type { ModuleScope } from "../../values";

/** A type as written, and where. */
export interface WrittenType {
  readonly text: string;
  readonly module: ModuleScope;
  /** The names of its type parameters. */
  readonly parameters?: readonly string[];
  /** The meaning of these. */
  readonly bound?: ReadonlyMap<string, WrittenType>;
  /** Callers need not give it. */
  readonly isOptional?: boolean;
  /** It is missing where another property is one of these. */
  readonly missing?: { readonly property: string; readonly values: readonly (string | boolean)[] };
}

type MemberOf = (type: WrittenType, property: string) => WrittenType | undefined;

/**
 * The type of a property of what is of one of several types: where some of them do not have it, it is missing where the
 * property that tells them apart says so, or may be. Undefined where that is not known.
 */
export function typeInEither(
  types: readonly WrittenType[],
  property: string,
  memberOf: MemberOf,
  namesOf: (type: WrittenType) => readonly string[] | undefined,
): WrittenType | undefined {
  const members = types.map((each) => memberOf(each, property));
  const found = members.filter((each) => each !== undefined);
  const [first, ...others] = found;
  if (!first) return undefined;
  const texts = arraysFirst([...new Set(found.map(({ text }) => text.trim()))]);
  const isOfOne = others.every(({ module }) => module.file === first.module.file);
  if (texts.length > 1 && !isOfOne) return undefined;
  const isOptional = found.some((each) => each.isOptional === true);
  const type: WrittenType = { text: texts.join(" | "), module: first.module, isOptional };
  if (found.length === types.length) return type;
  const names = types.map(namesOf);
  if (names.includes(undefined)) return undefined;
  const tag = tagOf(types, names[0] ?? [], memberOf);
  if (tag === "unclear") return undefined;
  if (tag === undefined) return { ...type, isOptional: true };
  const values = tag.values.filter((_, at) => members[at] === undefined);
  return { ...type, missing: { property: tag.property, values } };
}

/** A type that ends as an array's is read as one. */
function arraysFirst(texts: readonly string[]): readonly string[] {
  const isArray = (text: string): boolean => text.endsWith("[]");
  return [...texts.filter(isArray), ...texts.filter((text) => !isArray(text))];
}

/** The property that is another constant in each type; unclear where it has names of constants. */
function tagOf(
  types: readonly WrittenType[],
  names: readonly string[],
  memberOf: MemberOf,
): NonNullable<WrittenType["missing"]> | "unclear" | undefined {
  for (const property of names) {
    const trees = types.map((each) => typeTree(memberOf(each, property)?.text ?? ""));
    if (new Set(trees.map(({ text }) => text)).size < types.length) continue;
    const values = trees.flatMap((each) => (isTag(each) ? each.value : []));
    if (values.length === trees.length) return { property, values };
    if (trees.every((each) => isTag(each) || isOfConstant(each))) return "unclear";
  }
  return undefined;
}

function isTag(
  type: Type,
): type is Extract<Type, { kind: "literal" }> & { value: string | boolean } {
  return type.kind === "literal" && (typeof type.value === "string" || typeof type.value === "boolean"); // prettier-ignore
}

/** `typeof KIND`, `Kind.First`. */
function isOfConstant(type: Type): boolean {
  return type.kind === "typeof" || (type.kind === "name" && type.name.includes(".") && type.arguments.length === 0); // prettier-ignore
}
