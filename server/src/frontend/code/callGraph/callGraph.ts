// A call graph by names, updated incrementally: only added and removed statements are visited again.
import type { HirFunction, HirModule, HirStatement } from "../hir";
import { originOf } from "../queries/origins";
import { addToSet } from "../multimap";
import type { OtherNames } from "./aliases";

/** A named value: a function, or the result of a call with functions. */
interface NamedPart {
  readonly name: string;
  readonly function?: HirFunction;
  readonly calls: () => Calls;
}

interface Calls {
  /** It contains a call that looks like a database call. */
  readonly isDirect: boolean;
  readonly names: ReadonlySet<string>;
}

export interface StatementParts {
  readonly named: readonly NamedPart[];
  /** All names that it calls, nested functions included. */
  readonly calls: () => ReadonlySet<string>;
}

export interface CallGraph {
  /** True if it already contains most of these modules. */
  readonly hasMost: (modules: readonly HirModule[]) => boolean;
  /** Sets the modules and their aliases. Linear in their number and in the changes. */
  readonly update: (modules: readonly HirModule[], others: OtherNames) => void;
  /** The names that reach a database; the same set object as long as the names are the same. */
  readonly reaching: ReadonlySet<string>;
  readonly functions: (name: string) => readonly HirFunction[];
  readonly isCalled: (name: string) => boolean;
}

/** An empty graph. `partsOf` must be deterministic for a statement. */
export function createCallGraph(partsOf: (origin: HirStatement) => StatementParts): CallGraph {
  let modules: ReadonlySet<HirModule> = new Set();
  let reaching: ReadonlySet<string> = new Set();
  let others: OtherNames = new Map();
  let originals: Map<string, Set<string>> | undefined;
  let called: Map<string, number> | undefined;
  const named = new Map<string, Set<NamedPart>>();
  const direct = new Set<string>();
  const callees = new Map<string, ReadonlySet<string>>();
  const callers = new Map<string, Set<string>>();

  function countCalls(statement: HirStatement, by: number): void {
    if (called === undefined) return;
    for (const name of partsOf(statement).calls()) {
      const count = (called.get(name) ?? 0) + by;
      if (count === 0) called.delete(name);
      else called.set(name, count);
    }
  }

  /** Updates the node of a name. */
  function look(name: string): void {
    const parts = named.get(name);
    const calls = new Set<string>();
    let isDirect = false;
    for (const part of parts ?? []) {
      const own = part.calls();
      isDirect ||= own.isDirect;
      for (const each of own.names) calls.add(each);
    }
    if (parts?.size === 0) named.delete(name);
    if (isDirect) direct.add(name);
    else direct.delete(name);
    for (const each of callees.get(name) ?? [])
      if (!calls.has(each)) callers.get(each)?.delete(name);
    for (const each of calls) addToSet(callers, each, name);
    if (calls.size === 0) callees.delete(name);
    else callees.set(name, calls);
  }

  function allReaching(): ReadonlySet<string> {
    // Grows during iteration: a caller of a reaching function reaches a database, too.
    const found = new Set(direct);
    for (const name of found) {
      for (const caller of callers.get(name) ?? []) found.add(caller);
      for (const other of others.get(name) ?? []) found.add(other);
    }
    const isSame = found.size === reaching.size && [...found].every((name) => reaching.has(name));
    return isSame ? reaching : found;
  }

  /** A name and the names that it is an alias of. */
  function namesFor(name: string): ReadonlySet<string> {
    if (originals === undefined) {
      originals = new Map();
      for (const [of, names] of others) for (const each of names) addToSet(originals, each, of);
    }
    const found = new Set([name]);
    for (const each of found) for (const of of originals.get(each) ?? []) found.add(of);
    return found;
  }

  return {
    hasMost: (now) => now.filter((each) => modules.has(each)).length * 2 > now.length,
    update: (given, otherNames) => {
      const isOther = !isSame(others, otherNames);
      others = otherNames;
      if (isOther) originals = undefined;
      const now = new Set(given);
      const gone = originsIn(modules, now);
      const come = originsIn(now, modules);
      modules = now;
      const changed = new Set<string>();
      for (const statement of gone) {
        if (come.has(statement)) continue;
        countCalls(statement, -1);
        for (const part of partsOf(statement).named) {
          named.get(part.name)?.delete(part);
          changed.add(part.name);
        }
      }
      for (const statement of come) {
        if (gone.has(statement)) continue;
        countCalls(statement, 1);
        for (const part of partsOf(statement).named) {
          addToSet(named, part.name, part);
          changed.add(part.name);
        }
      }
      for (const name of changed) look(name);
      if (changed.size > 0 || isOther) reaching = allReaching();
    },
    get reaching() {
      return reaching;
    },
    functions: (name) =>
      [...namesFor(name)].flatMap((each) =>
        [...(named.get(each) ?? [])].flatMap((part) => part.function ?? []),
      ),
    isCalled: (name) => {
      if (called === undefined) {
        called = new Map();
        for (const statement of originsIn(modules, new Set())) countCalls(statement, 1);
      }
      return called.has(name);
    },
  };
}

/** The original statements of modules that are not among others. */
function originsIn(
  modules: ReadonlySet<HirModule>,
  others: ReadonlySet<HirModule>,
): ReadonlySet<HirStatement> {
  const found = new Set<HirStatement>();
  for (const module of modules) {
    if (others.has(module)) continue;
    for (const statement of module.body) found.add(originOf(statement));
  }
  return found;
}

function isSame(one: OtherNames, other: OtherNames): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([of, names]) => {
    const these = other.get(of);
    return these?.size === names.size && [...names].every((name) => these.has(name));
  });
}
