// The types of what a record holds that a caller gives: `{ tx: Tx; id: number }` and names that stand for such types,
// in this module or another. Types are read as text; what they say is asked of `typedValue`.
import type { ModuleScope } from "../../values";
import { declarations } from "../../queries/dependencies";
import type { State } from "../state";
import { typeOfFields } from "./fieldDecorators";
import { inferredType } from "./schemaTypes";
import { typeInEither, type WrittenType } from "./unionTypes";

const DEEPEST = 8;

/** The type of a property of what has a type; undefined where that is not known. Linear in the text of the types. */
export function typeOfMember(
  state: State,
  type: WrittenType,
  property: string,
  depth = DEEPEST,
): WrittenType | undefined {
  if (depth === 0) return undefined;
  const { text, module, bound } = type;
  const written = withoutBrackets(text.trim());
  const alternatives = splitAt(written, "|").map((each) => each.trim());
  if (alternatives.length > 1) {
    const others = alternatives.filter((each) => each !== "null" && each !== "undefined");
    const types = others.map((each): WrittenType => ({ text: each, module }));
    const memberOf = (each: WrittenType, name: string): WrittenType | undefined =>
      typeOfMember(state, each, name, depth - 1);
    const namesOf = (each: WrittenType): readonly string[] | undefined => {
      const body = bodyOfType(state, each, depth - 1);
      return body === undefined ? undefined : namesIn(body);
    };
    return typeInEither(types, property, memberOf, namesOf);
  }
  const parts = splitAt(written, "&");
  if (parts.length > 1) {
    for (const part of parts) {
      const found = typeOfMember(state, { ...type, text: part }, property, depth - 1);
      if (found) return found;
    }
    return undefined;
  }
  if (written.startsWith("{") && written.endsWith("}")) {
    const member = memberIn(written.slice(1, -1), property);
    return member && { ...member, module, ...(bound && { bound }) };
  }
  const own = bound?.get(written);
  if (own) return typeOfMember(state, own, property, depth - 1);
  const [, changed = "", inner] = CHANGED.exec(written) ?? [];
  if (inner !== undefined) {
    const [of = inner, names] = splitAt(inner, ",");
    if (names !== undefined && !isAmong(changed, names, property)) return undefined;
    const found = typeOfMember(state, { text: of, module }, property, depth - 1);
    const isOptional = changed === "Partial" || (found?.isOptional === true && changed !== "Required"); // prettier-ignore
    return found && { ...found, isOptional };
  }
  const inferred = inferredType(state, module, written);
  if (inferred !== undefined) {
    return typeOfMember(state, { text: inferred, module }, property, depth - 1);
  }
  const name = /^[\w$]+$/u.test(written) ? written : undefined;
  const named = name === undefined ? undefined : typeOfName(state, module, name);
  return named && typeOfMember(state, named, property, depth - 1);
}

/** The properties that a type spells out, as text; undefined where there may be others. */
function bodyOfType(state: State, type: WrittenType, depth: number): string | undefined {
  if (depth <= 0) return undefined;
  const written = withoutBrackets(type.text.trim());
  const parts = splitAt(written, "&");
  if (parts.length > 1) {
    const bodies = parts.map((text) => bodyOfType(state, { ...type, text }, depth - 1));
    return bodies.every((each) => each !== undefined) ? bodies.join(";") : undefined;
  }
  if (written.startsWith("{") && written.endsWith("}")) {
    const body = written.slice(1, -1);
    return body.includes("[") && /^\s*\[/mu.test(body) ? undefined : body;
  }
  const inner = WRAPPED.exec(written)?.[1];
  if (inner !== undefined) return bodyOfType(state, { ...type, text: inner }, depth - 1);
  const named = /^[\w$]+$/u.test(written) ? typeOfName(state, type.module, written) : undefined;
  return named && bodyOfType(state, named, depth - 1);
}

const WRAPPED = /^(?:Readonly|Required|Partial|NonNullable|Exactly)<(.*)>$/su;

/** The names of the properties in a body. */
function namesIn(body: string): readonly string[] {
  return splitAt(body.replaceAll(COMMENT, ""), ";,\n").flatMap(
    (member) => MEMBER.exec(member)?.[1] ?? [],
  );
}

/** `(A | B)` as `A | B`. */
function withoutBrackets(text: string): string {
  const isWhole = text.startsWith("(") && text.endsWith(")") && splitAt(text, ")").length === 1;
  return isWhole && !text.includes("=>") ? text.slice(1, -1).trim() : text;
}

const CHANGED = /^(Readonly|Required|Partial|NonNullable|Pick|Omit|Exactly)<(.*)>$/su;

/** True if `Pick` and `Omit` leave a property; where the names are not spelled out, they may. */
function isAmong(how: string, names: string, property: string): boolean {
  const named = splitAt(names, "|").map((each) => /^["'](.*)["']$/su.exec(each.trim())?.[1]);
  if (named.includes(undefined)) return true;
  return named.includes(property) === (how === "Pick");
}

function memberIn(body: string, property: string): Omit<WrittenType, "module"> | undefined {
  for (const member of splitAt(body.replaceAll(COMMENT, ""), ";,\n")) {
    const [, name, optional, text] = MEMBER.exec(member) ?? [];
    if (name === property && text !== undefined) return { text, isOptional: optional === "?" };
  }
  return undefined;
}

const COMMENT = /\/\*.*?\*\/|\/\/[^\n]*/gsu;
const MEMBER = /^\s*(?:readonly\s+)?["']?([\w$]+)["']?\s*(?:(\?)\s*)?:\s*(\S.*)$/su;

/** The parts of a type between the separators (each one character) that stand outside of all brackets. Linear. */
export function splitAt(text: string, separators: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if ("{([<".includes(char)) depth += 1;
    else if ("})]".includes(char) || (char === ">" && text[at - 1] !== "=")) depth -= 1;
    else if (depth === 0 && separators.includes(char) && !goesOn(text, at)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.filter((part) => part.trim() !== "");
}

/** A line may end within a type: the next begins with what joins the two. */
function goesOn(text: string, at: number): boolean {
  return (
    text[at] === "\n" && (/^\s*[|&]/u.test(text.slice(at)) || /[|&:]\s*$/u.test(text.slice(0, at)))
  );
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
