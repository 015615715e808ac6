// Functions that may reach a database, by the names that they call: a cheap overapproximation, so that no other function needs to be
// evaluated.
import { ofNode } from "../../../query/nodes";
import type {
  HirClass,
  HirExpression,
  HirField,
  HirFunction,
  HirModule,
  HirStatement,
} from "../hir";
import { childrenOf, isFunction, isNode, visit, visitInto } from "../nodes";
import { originOf } from "../queries/origins";
import type { FileId } from "../../../protocol/source";
import { addToList } from "../multimap";
import { mayOpen } from "./transactionOpeners";
import { createCallGraph, type CallGraph, type StatementParts } from "./callGraph";
import { otherNamesIn, type OtherNames } from "./aliases";

/** The calls of a part of the code. */
interface Calls {
  /** It contains a call that looks like a database call. */
  isDirect: boolean;
  /** The same without its annotations. */
  isDirectInside: boolean;
  /** It contains any call, or its behavior is not known. */
  isCalling: boolean;
  readonly names: Set<string>;
  /** Its number of HIR nodes. */
  size: number;
}

export interface Reach {
  /** True if a function may run a statement, directly or by its callees. */
  readonly mayReach: (hir: HirFunction) => boolean;
  /** The names that a function calls or passes to a possible caller. */
  readonly calls: (hir: HirFunction) => ReadonlySet<string>;
  /** True if any function calls that name. */
  readonly isCalled: (name: string) => boolean;
  /** True if a function may open a transaction around its argument. */
  readonly mayOpen: (hir: HirFunction) => boolean;
  /** The number of HIR nodes of a function, without functions that it returns: these run where its result is called. */
  readonly size: (hir: HirFunction) => number;
  /** True if a function returns one that stands in it. */
  readonly returnsFunction: (hir: HirFunction) => boolean;
  /** True if an implementation of the interface has a method of that name that may run a statement. */
  readonly isReachedBy: (interfaceName: string, method: string) => boolean;
  /** True if a function or method of that name may run a statement. */
  readonly isReaching: (name: string) => boolean;
  /** The names that reach a database; another set object only if the names differ. */
  readonly reaching: ReadonlySet<string>;
}

/** Names of library methods that access a database, or parts of such names. */
const METHODS =
  /quer|exec|sql|transact|select|insert|update|delet|destroy|find|fetch|create|upsert|save|persist|merge|count|aggregat|group|where|raw|prepare|batch|unsafe|commit|rollback|begin|increment|decrement|remove|reload|connect|first|exists|paginate|load|^(?:one|none|many|any|all|run|tx|del|add|get|put)/iu;

/** Methods of lists when they are passed a function. */
const OF_LISTS = new Set(
  "find findLast findIndex findLastIndex filter some every map flatMap forEach reduce".split(" "),
);

/** Variables that are called with a table: `db("accounts")`. */
const CALLED = /^(?:knex|k|db|tx|trx|conn|connection|client|pool|sql|database)$/iu;

/** Calls that store a value in an AsyncLocalStorage (`storage.run(store, f)`). */
export const STORAGE_RUN = "run(store)";
/** The same around an unknown continuation: the next handler of a request. */
export const HANDED_ON = "run(store, next)";

/** Analyzes modules incrementally: each new part once, in linear time. */
export function createReaches(): MakeReach {
  let known: readonly CallGraph[] = [];
  return (modules, others = NO_OTHERS) => {
    // Several databases are read in turn, each with its own code.
    const own = known.find((each) => each.hasMost(modules)) ?? createCallGraph(partsOf);
    known = [own, ...known.filter((each) => each !== own)].slice(0, MOST_GRAPHS);
    own.update(modules, others);
    return reachIn(own);
  };
}

/** Computes reachability for modules and the aliases of their exports. */
export type MakeReach = (modules: readonly HirModule[], others?: OtherNames) => Reach;

const NO_OTHERS: OtherNames = new Map();

const MOST_GRAPHS = 8;

/** Computes reachability for modules once. */
export function reachOf(modules: readonly HirModule[], others?: OtherNames): Reach {
  return createReaches()(modules, others);
}

function reachIn(graph: CallGraph): Reach {
  const { reaching } = graph;
  const opening = new Map<HirFunction, boolean>();
  return {
    isCalled: graph.isCalled,
    mayOpen: (moved) => {
      const hir = originOf(moved);
      const own = opening.get(hir) ?? mayOpen(hir, graph.functions);
      opening.set(hir, own);
      return own;
    },
    mayReach: (hir) => {
      const { isDirect, names } = callsOf(hir);
      if (isDirect) return true;
      for (const name of names) if (reaching.has(name)) return true;
      return false;
    },
    calls: (hir) => callsOf(hir).names,
    size: (hir) => callsOf(hir).size - sizeOfReturned(hir),
    returnsFunction: (hir) => sizeOfReturned(hir) > 0,
    isReachedBy: (interfaceName, method) => reaching.has(implementedBy(interfaceName, method)),
    isReaching: (name) => reaching.has(name),
    reaching,
  };
}

/** Stands for any method of an interface. */
export const ANY_METHOD = "*";

/** A name for the implementations of an interface's method, which no program uses. */
function implementedBy(interfaceName: string, method: string): string {
  return `${interfaceName} ${method}`;
}

/** The names of a top-level statement and the names that it calls. */
const partsOf = ofNode((statement: HirStatement): StatementParts => {
  const functions = [...namedFunctions(statement)].flatMap(([name, all]) =>
    all.map((hir) => ({ name, function: hir, calls: () => callsOf(hir) })),
  );
  const made = madeIn(statement);
  const others = otherNamesIn(statement).map(({ name, of }) => {
    const calls: Calls = { ...noCalls(), names: new Set([of]) };
    return { name, calls: () => calls };
  });
  return {
    named: [
      ...functions,
      ...(made ? [{ name: made.name, calls: () => made.calls }] : []),
      ...constructedAs(statement),
      ...others,
    ],
    calls: () => namesIn(originOf(statement)),
  };
});

/** Creating an object also runs the superclass's constructor. */
function constructedAs(statement: HirStatement): StatementParts["named"] {
  if (statement.kind !== "class") return [];
  const { name, superclass } = statement.class;
  if (name === undefined || superclass === undefined) return [];
  const calls: Calls = { ...noCalls(), names: new Set([superclass]) };
  return [{ name, calls: () => calls }];
}

function noCalls(): Calls {
  return { isDirect: false, isDirectInside: false, isCalling: false, names: new Set(), size: 0 };
}

function callsOf(moved: HirFunction): Calls {
  return callsIn(originOf(moved));
}

const callsIn = ofNode((hir: HirFunction): Calls => {
  const calls: Calls = noCalls();
  const bound: Bound = { names: namesBoundIn(hir), given: new Set() };
  collect(hir.body, calls, bound);
  collect(hir.parameters, calls, bound);
  collect(hir.annotations, calls);
  // An argument goes nowhere if nothing is called.
  if (calls.isCalling) for (const name of bound.given) calls.names.add(name);
  calls.isDirectInside = calls.isDirect;
  calls.isDirect ||= hir.annotations.some(({ name }) => isOfDatabase(hir, name));
  return calls;
});

/** True if an annotation says that a function, or the code that a bodiless one stands for, uses a database. */
function isOfDatabase({ body }: HirFunction, annotation: string): boolean {
  return TRANSACTIONAL.test(annotation) || (body.length === 0 && STATEMENTS.test(annotation));
}

const TRANSACTIONAL = /^(?:[\w.]+\.)?Transactional$/u;
const STATEMENTS =
  /^(?:[\w.]+\.)?(?:Query|NativeQuery|Modifying|Procedure|(?:Select|Insert|Update|Delete)(?:Provider)?|SqlQuery|SqlUpdate|SqlBatch)$/u;

/** The arguments of the call that initializes a top-level name: `const save = atomic(saveAll)`. */
function madeIn(
  statement: HirStatement,
): { readonly name: string; readonly calls: Calls } | undefined {
  if (statement.kind !== "let" || statement.value?.kind !== "call") return undefined;
  if (statement.pattern.kind !== "bind") return undefined;
  const calls: Calls = noCalls();
  for (const { value } of statement.value.arguments) {
    if (value.kind === "name") calls.names.add(value.name);
  }
  return calls.names.size === 0 ? undefined : { name: statement.pattern.name, calls };
}

/** The names that a top-level statement calls, nested functions included. */
const namesIn = ofNode((statement: HirStatement): ReadonlySet<string> => {
  const calls: Calls = noCalls();
  collect(statement, calls);
  return calls.names;
});

/** The names of the enclosing declarations by which a function may be called, innermost first. */
interface Names {
  readonly name: string;
  readonly above: Names | undefined;
}

/** Functions of a top-level statement by the names under which they may be called. */
function namedFunctions(statement: HirStatement): ReadonlyMap<string, readonly HirFunction[]> {
  const found = new Map<string, HirFunction[]>();
  const add = (name: string | undefined, hir: HirFunction): void => {
    if (name === undefined) return;
    addToList(found, name, hir);
  };
  /** Visits the value of a named node with its name. */
  const look = (node: object, names: Names | undefined): Named | undefined => {
    if (isImplementing(node)) {
      for (const { name, function: hir, kind } of node.methods) {
        // `new Thing()` runs its constructor.
        if (kind === "constructor") add(node.name, hir);
        for (const each of node.interfaces) {
          add(implementedBy(each, name), hir);
          add(implementedBy(each, ANY_METHOD), hir);
        }
      }
    }
    if (isField(node)) return { name: node.name, value: node.value };
    if (!("kind" in node)) return undefined;
    if (node.kind === "function" && "function" in node && isFunction(node.function)) {
      add(node.function.name, node.function);
      for (let each = names; each; each = each.above) add(each.name, node.function);
    } else if (node.kind === "let" && "pattern" in node && "value" in node) {
      return { name: boundName(node.pattern), value: node.value };
    } else if (node.kind === "property" && "key" in node && "value" in node) {
      return { name: typeof node.key === "string" ? node.key : undefined, value: node.value };
    } else if (node.kind === "assign" && "target" in node && "value" in node) {
      return { name: assignedName(node.target), value: node.value };
    } else if (isMethod(node)) {
      add(node.name, node.function);
    }
    return undefined;
  };
  const open: { readonly part: unknown; readonly names: Names | undefined }[] = [
    { part: statement, names: undefined },
  ];
  for (let each = open.pop(); each; each = open.pop()) {
    const { names } = each;
    visitInto(each.part, (node) => {
      const inner = look(node, names);
      if (inner?.name === undefined) return true;
      open.push({ part: inner.value, names: { name: inner.name, above: names } });
      for (const child of childrenOf(node)) {
        if (child !== inner.value) open.push({ part: child, names });
      }
      return false;
    });
  }
  return found;
}

interface Named {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The local names of a function, without those of nested functions. */
function namesBoundIn(hir: HirFunction): ReadonlySet<string> {
  const found = new Set<string>();
  visitInto([hir.parameters, hir.body], (node) => {
    if (isNamed(node, "bind") && "name" in node && typeof node.name === "string") {
      found.add(node.name);
    }
    return !isFunction(node);
  });
  return found;
}

/** The local names of a function, and those of them that it uses other than as a receiver. */
interface Bound {
  readonly names: ReadonlySet<string>;
  readonly given: Set<string>;
}

function collect(part: unknown, calls: Calls, bound?: Bound): void {
  visitInto(part, (node) => {
    calls.size += 1;
    if (isFunction(node)) {
      addInner(node, calls);
      return false;
    }
    if ("isSpread" in node && node.isSpread === true) calls.isCalling = true;
    if (!("kind" in node)) return true;
    switch (node.kind) {
      case "member":
        if (bound && "object" in node && isNamed(node.object, "name") && "name" in node.object) {
          const { name } = node.object;
          if (typeof name !== "string" || !bound.names.has(name)) break;
          calls.size += 1;
          return false;
        }
        break;
      // Iterating runs the iterator's code.
      case "forEach":
      case "await":
      case "unknown":
      case "class":
        calls.isCalling = true;
        break;
      case "call":
      case "new":
        calls.isCalling = true;
        if ("callee" in node && "arguments" in node && isExpression(node.callee)) {
          addCall(node.callee, node.arguments, calls);
        }
        break;
      case "template":
        if ("tag" in node && node.tag !== undefined) {
          calls.isDirect = true;
          calls.isCalling = true;
        }
        break;
      case "name":
        // It may be passed to a caller.
        if ("name" in node && typeof node.name === "string") {
          (bound?.names.has(node.name) === true ? bound.given : calls.names).add(node.name);
        }
        break;
      default:
    }
    return true;
  });
}

function sizeOfReturned(moved: HirFunction): number {
  return returnedSize(originOf(moved));
}

/** The number of HIR nodes of the functions that a function returns as they stand. */
const returnedSize = ofNode((hir: HirFunction): number => {
  let size = 0;
  const add = (value: HirExpression | undefined): void => {
    if (value?.kind === "function") size += callsOf(value.function).size;
    if (value?.kind === "typed") add(value.operand);
    if (value?.kind !== "conditional") return;
    add(value.then);
    add(value.otherwise);
  };
  visitInto(hir.body, (node) => {
    if (isFunction(node)) return false;
    if ("kind" in node && node.kind === "return") {
      add((node as Extract<HirStatement, { kind: "return" }>).value); // of this kind
    }
    return true;
  });
  return size;
});

/** Attributes a nested function's calls to the enclosing function; visits each once. */
function addInner(hir: HirFunction, calls: Calls): void {
  const { names, size, isDirectInside, isCalling } = callsOf(hir);
  calls.isCalling ||= isCalling;
  for (const name of names) calls.names.add(name);
  // The function itself counts as a node.
  calls.size += size + 1;
  calls.isDirect ||= isDirectInside;
}

function addCall(callee: HirExpression, args: unknown, calls: Calls): void {
  if (callee.kind === "name") {
    calls.names.add(callee.name);
    if (CALLED.test(callee.name)) calls.isDirect = true;
    return;
  }
  if (callee.kind !== "member") return;
  const { property } = callee;
  calls.names.add(property);
  if (property === "enterWith") calls.names.add(STORAGE_RUN).add(HANDED_ON);
  if (property === "run" && Array.isArray(args) && args.length > 1) {
    calls.names.add(STORAGE_RUN);
    if (mentions(args.slice(1), NEXT)) calls.names.add(HANDED_ON);
  }
  const isOfList = OF_LISTS.has(property) && takesFunction(args);
  if (!isOfList && METHODS.test(property)) calls.isDirect = true;
}

/** Callbacks that call the remaining handlers of a request. */
const NEXT = /^(?:next|done)$/u;

function mentions(part: unknown, name: RegExp): boolean {
  let found = false;
  visit(part, (node) => {
    if (isNamed(node, "name") && "name" in node && typeof node.name === "string") {
      found ||= name.test(node.name);
    }
  });
  return found;
}

function takesFunction(args: unknown): boolean {
  if (!Array.isArray(args)) return false;
  const first: unknown = args.at(0);
  return isNode(first) && "value" in first && isNamed(first.value, "function");
}

function isNamed(value: unknown, kind: string): value is object {
  return isNode(value) && "kind" in value && value.kind === kind;
}

function isExpression(value: unknown): value is HirExpression {
  return isNode(value) && "kind" in value;
}

function isMethod(
  node: object,
): node is { readonly kind: string; readonly name: string; readonly function: HirFunction } {
  return "kind" in node && "isStatic" in node && "function" in node && isFunction(node.function);
}

function isField(node: object): node is Pick<HirField, "name" | "value"> {
  return "isStatic" in node && "isFinal" in node && "name" in node;
}

function isImplementing(node: object): node is Pick<HirClass, "name" | "interfaces" | "methods"> {
  return "interfaces" in node && "methods" in node;
}

/** The last name of an assignment target. */
function assignedName(target: unknown): string | undefined {
  if (!isNamed(target, "place") || !("place" in target)) return boundName(target);
  const { place } = target;
  if (!isNamed(place, "member") || !("property" in place)) return undefined;
  return typeof place.property === "string" ? place.property : undefined;
}

function boundName(pattern: unknown): string | undefined {
  if (!isNamed(pattern, "bind") || !("name" in pattern)) return undefined;
  return typeof pattern.name === "string" ? pattern.name : undefined;
}

export interface NameReachability {
  /** True if the top-level statement that contains a function may reach a database. */
  readonly mayLead: (file: FileId, hir: HirFunction) => boolean;
  /** True if a value of a type, as written in a file, may be or contain a client. */
  readonly mayHold: (file: FileId, type: string) => boolean;
  /** The amount of code reachable from a function. */
  readonly extentOf: (file: FileId, hir: HirFunction) => Extent;
}

/** The code reachable from a function by names. */
export interface Extent {
  /** Number of HIR nodes, counted up to about `MOST_PARTS`. */
  readonly parts: number;
  /** True if some of the counted code may reject its arguments. */
  readonly throws: boolean;
  /** True if some of the counted code may change objects that it did not create. */
  readonly changes: boolean;
  /** True if some of the counted code creates a new value with each call. */
  readonly makesNew: boolean;
  /** True if one of its names leads to a database, disregarding enclosing names and arguments. */
  readonly leads: boolean;
}
