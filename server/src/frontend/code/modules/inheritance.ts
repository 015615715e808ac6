// Methods that a class inherits and that do something else in it than where they stand: what they call was written, or
// what they use was given, by the class that inherits them. Each is a function of the inheriting class, too.
import { superclassOf } from "../evaluate/values/methods";
import type { HirClass, HirExpression, HirFunction, HirMethod } from "../hir";
import type { Scope } from "../values";

/** A class with the scope that it stands in. */
export interface ClassInScope {
  readonly class: HirClass;
  readonly scope: Scope;
}

export interface InheritedMethod {
  readonly method: HirMethod;
  /** The class that has it. */
  readonly from: ClassInScope;
}

const MOST_ANCESTORS = 8;

/**
 * The methods, nearest class first. Empty for a class that leaves methods to others that extend it. `calls`: the names
 * that a function calls. Linear in the methods of the class and its ancestors, for each round that finds more of them.
 */
export function inheritedMethods(
  of: ClassInScope,
  calls: (hir: HirFunction) => ReadonlySet<string>,
): readonly InheritedMethod[] {
  const ancestors = ancestorsOf(of);
  if (ancestors.length === 0) return [];
  const names = methodNames(of.class);
  const isOwn = new Set(names);
  const inherited: InheritedMethod[] = [];
  let isFilled = givesConstants(of.class);
  for (const from of ancestors) {
    for (const method of from.class.methods) {
      if (names.has(method.name) || method.isStatic || method.kind !== "method") continue;
      if (method.isAbstract === true) return [];
      inherited.push({ method, from });
      if (isFilled) isOwn.add(method.name);
    }
    for (const name of methodNames(from.class)) names.add(name);
    isFilled ||= givesConstants(from.class);
  }
  const differs = ({ method }: InheritedMethod): boolean =>
    isOwn.has(method.name) || [...calls(method.function)].some((name) => isOwn.has(name));
  for (let before = -1; before !== isOwn.size;) {
    before = isOwn.size;
    for (const each of inherited) if (differs(each)) isOwn.add(each.method.name);
  }
  return inherited.filter(({ method }) => isOwn.has(method.name) && !method.isPrivate);
}

/** The classes that it extends, nearest first. */
function ancestorsOf(of: ClassInScope): readonly ClassInScope[] {
  const found: ClassInScope[] = [];
  for (let at = superclassOf(of); at && found.length < MOST_ANCESTORS; at = superclassOf(at)) {
    found.push(at);
  }
  return found;
}

/** The methods of its own that it says something of. */
function methodNames({ methods }: HirClass): Set<string> {
  const own = methods.filter(({ kind, isAbstract }) => kind === "method" && isAbstract !== true);
  return new Set(own.map(({ name }) => name));
}

/** True if a constructor gives what it extends more than what it was given itself: a text, an object that it makes. */
function givesConstants({ methods }: HirClass): boolean {
  const constructors = methods.filter(({ kind }) => kind === "constructor");
  return constructors.some((each) =>
    each.function.body.some((statement) => {
      if (statement.kind !== "expression" || statement.expression.kind !== "call") return false;
      const { callee, arguments: given } = statement.expression;
      return callee.kind === "super" && given.some(({ value }) => !isPassedOn(value));
    }),
  );
}

function isPassedOn(value: HirExpression): boolean {
  return value.kind === "name";
}
