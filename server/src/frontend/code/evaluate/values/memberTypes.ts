// The types of what a record holds that a caller gives: `{ tx: Tx; id: number }` and names that stand for such types,
// in this module or another. What types say is asked of `typedValue`.
import type { ModuleScope } from "../../values";
import { declarations } from "../../queries/dependencies";
import type { State } from "../state";
import { alternativesOf, isNothing, itemTypeOf, typeTree, type Type } from "../../typeTree";
import { traverse } from "../../traverse";
import { typeOfFields } from "./fieldDecorators";
import { inferredType } from "./schemaTypes";
import { typeInEither, type WrittenType } from "./unionTypes";

const DEEPEST = 8;

/** The type of a property of what has a type; undefined where that is not known. Linear in the types. */
export function typeOfMember(
  state: State,
  type: WrittenType,
  property: string,
  depth = DEEPEST,
): WrittenType | undefined {
  if (depth === 0) return undefined;
  const { module, bound } = type;
  const tree = typeTree(type.text);
  const own = bound?.get(tree.text);
  if (own) return typeOfMember(state, own, property, depth - 1);
  switch (tree.kind) {
    case "union": {
      const types = alternativesOf(tree)
        .filter((each) => !isNothing(each))
        .map(({ text }): WrittenType => ({ text, module }));
      const memberOf = (each: WrittenType, name: string): WrittenType | undefined =>
        typeOfMember(state, each, name, depth - 1);
      const namesOf = (each: WrittenType): readonly string[] | undefined =>
        namesOfType(state, each, depth - 1);
      return typeInEither(types, property, memberOf, namesOf);
    }
    case "intersection":
      for (const { text } of tree.parts) {
        const found = typeOfMember(state, { ...type, text }, property, depth - 1);
        if (found) return found;
      }
      return undefined;
    case "record": {
      const member = tree.members.get(property);
      const { isOptional = false } = member ?? {};
      return member && { text: member.type.text, isOptional, module, ...(bound && { bound }) };
    }
    case "name": {
      const [of, names] = tree.arguments;
      if (of && CHANGES.has(tree.name)) {
        if (names && !isAmong(tree.name, names, property)) return undefined;
        const found = typeOfMember(state, { text: of.text, module }, property, depth - 1);
        const isOptional =
          tree.name === "Partial" || (found?.isOptional === true && tree.name !== "Required");
        return found && { ...found, isOptional };
      }
      const inferred = inferredType(state, module, tree);
      if (inferred !== undefined)
        return typeOfMember(state, { text: inferred, module }, property, depth - 1);
      const named = of ? undefined : typeOfName(state, module, tree.name);
      return named && typeOfMember(state, named, property, depth - 1);
    }
    default:
      return undefined;
  }
}

/** The type of an item of a list or set; undefined where that is not known. Linear in the types. */
export function typeOfItem(
  state: State,
  { text, module, bound }: WrittenType,
  depth = DEEPEST,
): WrittenType | undefined {
  if (depth === 0) return undefined;
  const all = alternativesOf(typeTree(text)).filter((each) => !isNothing(each));
  const [tree] = all;
  if (tree === undefined || all.length > 1) return undefined;
  const meant = bound?.get(tree.text);
  if (meant) return typeOfItem(state, meant, depth - 1);
  const item = tree.kind === "name" && !LISTS.test(tree.name) ? undefined : itemTypeOf(tree);
  if (item) return { text: item.text, module, ...(bound && { bound }) };
  const named = tree.kind === "name" ? typeOfName(state, module, tree.name) : undefined;
  return named && typeOfItem(state, named, depth - 1);
}

const LISTS = /Set$|Array$|^(?:List|Collection|Iterable)$/u;

/** The names of the properties that a type spells out; undefined where there may be others. */
function namesOfType(
  state: State,
  { text, module }: WrittenType,
  depth: number,
): readonly string[] | undefined {
  if (depth <= 0) return undefined;
  const inner = (each: string): readonly string[] | undefined =>
    namesOfType(state, { text: each, module }, depth - 1);
  const tree = typeTree(text);
  switch (tree.kind) {
    case "intersection":
      return traverse(tree.parts, (part) => inner(part.text))?.flat();
    case "record":
      return tree.isOpen ? undefined : [...tree.members.keys()];
    case "name": {
      const [of] = tree.arguments;
      if (of) return KEEPS.has(tree.name) ? inner(of.text) : undefined;
      const named = typeOfName(state, module, tree.name);
      return named && namesOfType(state, named, depth - 1);
    }
    default:
      return undefined;
  }
}

/** Types that have the properties of their argument, and those that may have fewer. */
const KEEPS: ReadonlySet<string> = new Set(["Readonly", "Required", "Partial", "NonNullable", "Exactly"]); // prettier-ignore
const CHANGES: ReadonlySet<string> = new Set([...KEEPS, "Pick", "Omit"]);

/** True if `Pick` and `Omit` leave a property; where the names are not spelled out, they may. */
function isAmong(how: string, names: Type, property: string): boolean {
  const named = alternativesOf(names).map((each) => each.kind === "literal" && each.value);
  if (named.includes(false)) return true;
  return named.includes(property) === (how === "Pick");
}

/** Meaning of a type's name, in the module or in the one that it comes from; undefined for classes of libraries. */
export function typeOfName(
  state: State,
  module: ModuleScope,
  name: string,
): WrittenType | undefined {
  // Who asks for the name depends on what it is, here and in the modules that it comes through.
  module.lookup(name);
  const { untraced } = state.workspace;
  const hir = untraced.moduleOf(module.file);
  if (!hir) return undefined;
  const statement = declarations(hir).get(name);
  if (statement?.kind === "type") {
    const { type: text, parameters } = statement;
    return { text, module, ...(parameters && { parameters }) };
  }
  if (statement?.kind === "class") {
    return { text: typeOfFields(statement.class), module };
  }
  const imported = hir.imports.find(({ local }) => local === name);
  return imported && typeExported(state, module.file, imported.from, imported.imported);
}

function typeExported(
  state: State,
  file: ModuleScope["file"],
  from: string,
  name: string,
  depth = DEEPEST,
): WrittenType | undefined {
  const { untraced, moduleScope } = state.workspace;
  const target = untraced.resolve(file, from);
  const module = target === undefined ? undefined : moduleScope(target);
  const hir = target === undefined ? undefined : untraced.moduleOf(target);
  if (!module || !hir || depth === 0) return undefined;
  state.files.add(module.file);
  const own = hir.exports.find((each) => each.name === name);
  if (own?.from === undefined) {
    const found = typeOfName(state, module, own?.local ?? name);
    if (found) return found;
  } else {
    return typeExported(state, module.file, own.from, own.local ?? name, depth - 1);
  }
  for (const each of hir.exports) {
    if (each.name !== "*" || each.from === undefined) continue;
    const found = typeExported(state, module.file, each.from, name, depth - 1);
    if (found) return found;
  }
  return undefined;
}
