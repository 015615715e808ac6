// Effects of functions on their parameters, as callers see them: `add(this.seen, key)`. A function is looked up by name, in the same file
// or by an import.
import { ofNode } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirClass, HirExpression, HirFunction, HirModule, HirPattern } from "../hir";
import { namedIn } from "../modules/references";
import { numberOf, originOf } from "../queries/origins";
import { addToList, addToSet } from "../multimap";
import { changesWithin, laterFunctions } from "./modRef";
import { createSummaries } from "./summaries";
import { ANY_CHANGE, fieldOfChange, INSIDE, THIS } from "./writeTargets";

/** A top-level name of a file. */
export interface Place {
  readonly file: FileId;
  readonly name: string;
}

interface Modules {
  readonly moduleOf: (file: FileId) => HirModule | undefined;
  /** The declarations of a name that a file imports. */
  readonly imported: (file: FileId, local: string) => readonly Place[];
}

/**
 * The fields of a top-level name's value that helpers change; for `Class.this`: those of an object of that class after its construction.
 */
export type ChangedByHelpers = (file: FileId, name: string) => ReadonlySet<string>;

/** A function and its file. */
type Found = readonly [file: FileId, function: HirFunction];

/** A parameter of a function. */
type Parameter = readonly [file: FileId, function: HirFunction, at: number];

/**
 * There are few fields, and each round but the last finds a new one for some function of a component. What rises longer is
 * taken to change everything.
 */
const MOST_ROUNDS = 50;

const NONE: ReadonlySet<string> = new Set();

/** Answers queries about a fixed set of modules; each name is computed once. */
export function createChangedByHelpers({ moduleOf, imported }: Modules): ChangedByHelpers {
  const answers = new Map<string, ReadonlySet<string>>();
  const byName = new Map<string, readonly Found[]>();

  function named(file: FileId, callee: string): readonly Found[] {
    const key = `${file}\0${callee}`;
    const known = byName.get(key) ?? findNamed(file, callee);
    byName.set(key, known);
    return known;
  }

  function findNamed(file: FileId, callee: string): readonly Found[] {
    const module = moduleOf(file);
    if (!module) return [];
    const [root = callee, method] = callee.split(".");
    const { functions, methods } = declaredIn(module);
    const own = (method === undefined ? functions.get(root) : methods.get(method)) ?? [];
    // A method's object may be of any class that is known there.
    const classes = module.imports.map(({ local }) => local).filter((each) => /^[A-Z]/u.test(each));
    const roots = method === undefined ? [root] : new Set([root, ...classes]);
    const places = [...roots].flatMap((each) => imported(file, each));
    const others = places.flatMap((place) => {
      const there = moduleOf(place.file);
      if (!there) return [];
      const declared = declaredIn(there);
      const found = method === undefined ? declared.functions.get(place.name) : declared.methods.get(method) ?? declared.functions.get(method); // prettier-ignore
      return (found ?? []).map((each) => [place.file, each] as const);
    });
    return [...own.map((each) => [file, each] as const), ...others];
  }

  /** The changes of a function to an argument. */
  const ofParameter = createSummaries<Parameter, ReadonlySet<string>>({
    keyOf: ([, hir, at]) => `${String(numberOf(hir))} ${String(at)}`,
    bottom: NONE,
    top: new Set([ANY_CHANGE]),
    mostRounds: MOST_ROUNDS,
    transfer: ([file, hir, at]) => {
      const { pattern } = hir.parameters[at] ?? {};
      return pattern ? ofPattern(pattern, changedIn(file, hir), hir) : NONE;
    },
    isSame: (left, right) => left.size === right.size,
  });

  /** All changes of a function by itself and by its helpers. */
  function changedIn(file: FileId, hir: HirFunction): ReadonlySet<string> {
    const { changed, handed } = namedIn(originOf(hir));
    return handed.size === 0 ? changed : new Set([...changed, ...byHelpers(file, handed)]);
  }

  function byHelpers(file: FileId, handed: Iterable<string>): readonly string[] {
    return [...handed].flatMap((each) => {
      const [callee = "", position = "", place = ""] = each.split(" ");
      const [at, key] = position.split(".");
      const all = named(file, callee).flatMap(([where, hir]) => [
        ...ofParameter([where, hir, Number(at)]),
      ]);
      const found =
        key === undefined
          ? all
          : all.flatMap((change) => {
              const { field } = fieldOfChange(change);
              return field === key || field === ANY_CHANGE ? [ANY_CHANGE] : [];
            });
      const isRoot = !place.includes(".");
      if (isRoot || found.length === 0) return found.map((field) => `${place}.${field}`);
      return [place.endsWith(ANY_CHANGE) ? place : place + INSIDE];
    });
  }

  function answer(file: FileId, name: string): ReadonlySet<string> {
    const module = moduleOf(file);
    if (!module) return NONE;
    const [root = name, isOfObject] = name.split(".");
    if (isOfObject === undefined) {
      const handed = handedIn(module).get(root);
      return new Set(handed && byHelpers(file, handed).map((each) => each.slice(root.length + 1)));
    }
    const found = new Set<string>();
    for (const of of declaredIn(module).classes.get(root) ?? []) {
      for (const hir of laterFunctions(of)) {
        const changes = new Set(byHelpers(file, namedIn(originOf(hir)).handed));
        for (const each of changesWithin(hir, THIS, changes)) found.add(each);
      }
    }
    return found;
  }

  return (file, name) => {
    const key = `${file}\0${name}`;
    const known = answers.get(key) ?? answer(file, name);
    answers.set(key, known);
    return known;
  };
}

function ofPattern(
  pattern: HirPattern,
  changed: ReadonlySet<string>,
  hir: HirFunction,
): ReadonlySet<string> {
  switch (pattern.kind) {
    case "bind":
      return changesWithin(hir, pattern.name, changed);
    case "default":
      return ofPattern(pattern.pattern, changed, hir);
    case "object":
      return new Set(
        pattern.entries.flatMap(({ key, pattern: inner }) => {
          if (ofPattern(inner, changed, hir).size === 0) return [];
          return [typeof key === "string" ? key + INSIDE : ANY_CHANGE];
        }),
      );
    default:
      return NONE;
  }
}

interface Declared {
  readonly functions: ReadonlyMap<string, readonly HirFunction[]>;
  /** The methods of top-level classes and objects. */
  readonly methods: ReadonlyMap<string, readonly HirFunction[]>;
  readonly classes: ReadonlyMap<string, readonly HirClass[]>;
}

const declaredIn = ofNode((module: HirModule): Declared => {
  const functions = new Map<string, HirFunction[]>();
  const methods = new Map<string, HirFunction[]>();
  const classes = new Map<string, HirClass[]>();
  const addClass = (of: HirClass): void => {
    if (of.name !== undefined) addToList(classes, of.name, of);
    for (const each of of.methods) addToList(methods, each.name, each.function);
    for (const { name, value } of of.fields) addHeld(methods, name, value);
  };
  const addHeld = (to: Map<string, HirFunction[]>, name: string, value?: HirExpression): void => {
    if (value?.kind === "typed") addHeld(to, name, value.operand);
    else if (value?.kind === "function") addToList(to, name, value.function);
    else if (value?.kind === "class") addClass(value.class);
    else if (value?.kind === "object") {
      for (const each of value.entries) {
        if (each.kind === "property" && typeof each.key === "string") {
          addHeld(methods, each.key, each.value);
        }
      }
    }
  };
  for (const statement of module.body) {
    if (statement.kind === "function")
      addToList(functions, statement.function.name, statement.function);
    else if (statement.kind === "class") addClass(statement.class);
    else if (statement.kind === "let" && statement.pattern.kind === "bind") {
      addHeld(functions, statement.pattern.name, statement.value);
    }
  }
  return { functions, methods, classes };
});

/** The values that a module passes on, by name. */
export const handedIn = ofNode((module: HirModule): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  for (const part of module.body) {
    for (const each of namedIn(originOf(part)).handed) {
      const [name = ""] = each.slice(each.lastIndexOf(" ") + 1).split(".", 1);
      addToSet(found, name, each);
    }
  }
  return found;
});
