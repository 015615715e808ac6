// Aliases of functions: `import { a as b }`, `export default a`, `const b = a`, `{ b: a }`, `all.b = a`, `const { a: b } = all`. Works by
// names alone, like `reachability.ts`.
import { attribute } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirExpression, HirModule, HirPattern, HirStatement } from "../hir";
import type { CodeModules } from "../modules/modules";
import { isFunction, isNode, visit, visitInto } from "../nodes";
import { semanticsIn } from "../semantics";
import { addToSet } from "../multimap";

/** The aliases of each name. */
export type OtherNames = ReadonlyMap<string, ReadonlySet<string>>;

/** An alias (`name`) of `of`. */
export interface OtherName {
  readonly name: string;
  readonly of: string;
}

interface Kept {
  readonly resolution: unknown;
  readonly names: readonly OtherName[];
}

const known = attribute<HirModule, Kept>();

/** Aliases by imports and exports of modules. Linear in them; cached for unchanged modules. */
export function namesElsewhere(files: readonly FileId[], modules: CodeModules): OtherNames {
  const found = new Map<string, Set<string>>();
  const { resolution } = modules;
  for (const file of files) {
    const module = modules.moduleOf(file);
    if (!module || !semanticsIn(module.language).namesByImport) continue;
    const before = known.get(module);
    const isSame = before !== undefined && before.resolution === resolution;
    const own = isSame ? before : { resolution, names: namesOf(file, module, modules) };
    if (!isSame) known.set(module, own);
    for (const { name, of } of own.names) {
      addToSet(found, of, name);
    }
  }
  return found;
}

function namesOf(file: FileId, module: HirModule, modules: CodeModules): readonly OtherName[] {
  const found: OtherName[] = [];
  const add = (name: string, of: string): void => {
    if (name !== of) found.push({ name, of });
  };
  for (const { name, local, from } of module.exports) {
    if (local === undefined || local === "*") continue;
    const target = from === undefined ? undefined : modules.resolve(file, from);
    const of = local === "default" && target !== undefined ? mainOf(target) : local;
    add(name === "*" || name === "default" ? mainOf(file) : name, of);
    if (name === "default") add(name, of);
  }
  for (const { local, imported, from } of module.imports) {
    const isMain = imported === "default" || imported === "*";
    const target = isMain ? modules.resolve(file, from) : undefined;
    if (target !== undefined) add(local, mainOf(target));
    else if (!isMain) add(local, imported);
  }
  return found;
}

/** A name for a module itself or its default export, which no program uses. */
function mainOf(file: FileId): string {
  return `default ${file}`;
}

/** The aliases that a top-level statement introduces. Linear in the statement. */
export function otherNamesIn(statement: HirStatement): readonly OtherName[] {
  const outside: OtherName[] = [];
  visitInto(statement, (node) => {
    if (isFunction(node)) return false;
    outside.push(...renamedBy(node), ...heldBy(node), ...assignedBy(node));
    return true;
  });
  // Functions that are called under local aliases, and records of functions.
  const inside: OtherName[] = [];
  const records: OtherName[] = [];
  const called = new Set<string>();
  const declared = new Set<string>();
  visit(statement, (node) => {
    inside.push(...renamedBy(node));
    records.push(...heldBy(node), ...assignedBy(node));
    noteCalled(node, called);
    if (isFunction(node) && node.name !== undefined) declared.add(node.name);
    const bound = isLet(node) && node.value?.kind === "function" ? boundName(node.pattern) : undefined; // prettier-ignore
    if (bound !== undefined) declared.add(bound);
  });
  return [
    ...outside,
    ...inside.filter(({ name }) => called.has(name)),
    ...records.filter(({ of }) => declared.has(of)),
  ];
}

/** `const b = a`, `const b = all.a`, `const { a: b } = all`. */
function renamedBy(node: object): readonly OtherName[] {
  if (isLet(node)) return other(boundName(node.pattern), node.value);
  if (!isPattern(node)) return [];
  return node.entries.flatMap(({ key, pattern }) => {
    const name = boundName(pattern);
    return typeof key === "string" && name !== undefined && name !== key ? [{ name, of: key }] : [];
  });
}

/** `{ b: a }`. */
function heldBy(node: object): readonly OtherName[] {
  const isProperty = "kind" in node && node.kind === "property" && "key" in node && "value" in node;
  return isProperty && typeof node.key === "string"
    ? other(node.key, node.value as HirExpression) // entries hold expressions
    : [];
}

/** `all.b = a`, `all["b"] = a`. */
function assignedBy(node: object): readonly OtherName[] {
  if (!("kind" in node) || node.kind !== "assign" || !("target" in node)) return [];
  const { target, value } = node as Extract<HirExpression, { kind: "assign" }>; // of this kind
  const place = target.kind === "place" ? target.place : undefined;
  if (place?.kind === "member") return other(place.property, value);
  if (place?.kind !== "index" || place.index.kind !== "text") return [];
  return other(place.index.runs.map(({ text }) => text).join(""), value);
}

function other(name: string | undefined, value: HirExpression | undefined): readonly OtherName[] {
  if (name === undefined || value === undefined) return [];
  return calledFor(value).flatMap((of) => (of === name ? [] : [{ name, of }]));
}

/** The names of functions that a value may be: one of several, or a function derived from one. */
function calledFor(value: HirExpression): readonly string[] {
  switch (value.kind) {
    case "name":
      return [value.name];
    case "member":
      return [value.property];
    case "typed":
    case "await":
      return calledFor(value.operand);
    case "conditional":
      return [...calledFor(value.then), ...calledFor(value.otherwise)];
    case "binary":
      return LOGICAL.has(value.operator)
        ? [...calledFor(value.left), ...calledFor(value.right)]
        : [];
    case "call": {
      const { callee } = value;
      const isBound = callee.kind === "member" && callee.property === "bind";
      if (isBound) return calledFor(callee.object);
      return value.arguments.flatMap((each) =>
        each.value.kind === "name" ? [each.value.name] : [],
      );
    }
    default:
      return [];
  }
}

const LOGICAL: ReadonlySet<string> = new Set(["??", "||", "&&"]);

/** Methods that call their argument. */
const CALLING = /^(?:map|flatMap|forEach|filter|some|every|find|reduce|then|catch|finally|bind)$/u;

/** Collects names that are called or passed to a call. */
function noteCalled(node: object, called: Set<string>): void {
  if (!isCall(node)) return;
  const { callee, arguments: args } = node;
  if (callee.kind === "name") called.add(callee.name);
  if (callee.kind !== "member" || !CALLING.test(callee.property)) return;
  if (callee.object.kind === "name") called.add(callee.object.name);
  for (const { value } of args) if (value.kind === "name") called.add(value.name);
}

function boundName(pattern: HirPattern): string | undefined {
  const inner = pattern.kind === "default" ? pattern.pattern : pattern;
  return inner.kind === "bind" ? inner.name : undefined;
}

type Let = Extract<HirStatement, { kind: "let" }>;

function isLet(node: object): node is Let {
  return "kind" in node && node.kind === "let" && "pattern" in node;
}

function isPattern(node: object): node is Extract<HirPattern, { kind: "object" }> {
  if (!("kind" in node) || node.kind !== "object" || !("entries" in node)) return false;
  const { entries } = node;
  const first: unknown = Array.isArray(entries) ? entries[0] : undefined;
  return isNode(first) && "pattern" in first;
}

function isCall(node: object): node is Extract<HirExpression, { kind: "call" }> {
  return "kind" in node && node.kind === "call" && "callee" in node && "arguments" in node;
}
