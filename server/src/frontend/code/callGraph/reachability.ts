// Which functions can come to use a database at all, told by the names that they call: a cheap look over the code that
// errs on the side of yes, so that all others need no evaluation.
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
import { mayOpen } from "./transactionOpeners";
import { createCallGraph, type CallGraph, type StatementParts } from "./callGraph";
import { otherNamesIn, type OtherNames } from "./aliases";

/** The calls of a part of the code. */
interface Calls {
  /** It calls something as databases are called. */
  isDirect: boolean;
  /** The same without what its annotations say. */
  isDirectInside: boolean;
  /** It calls anything at all, or what it does is not known. */
  isCalling: boolean;
  readonly names: Set<string>;
  /** How many parts it has. */
  size: number;
}

export interface Reach {
  /** True if a function may run a statement, itself or by what it calls. */
  readonly mayReach: (hir: HirFunction) => boolean;
  /** The names that a function calls, or gives to something that may call them. */
  readonly calls: (hir: HirFunction) => ReadonlySet<string>;
  /** True if any function calls something of that name. */
  readonly isCalled: (name: string) => boolean;
  /** True if a function may open a transaction around what it is given. */
  readonly mayOpen: (hir: HirFunction) => boolean;
  /** How many parts of HIR a function has. */
  readonly size: (hir: HirFunction) => number;
  /** True if a class that implements the interface has a method of that name that may run a statement. */
  readonly isReachedBy: (interfaceName: string, method: string) => boolean;
  /** True if a function or method of that name may run a statement. */
  readonly isReaching: (name: string) => boolean;
  /** The names that lead to a database; another set only where these are others. */
  readonly reaching: ReadonlySet<string>;
}

/** Names of methods by which libraries are asked for something, or parts of such names. */
const METHODS =
  /quer|exec|sql|transact|select|insert|update|delet|destroy|find|fetch|create|upsert|save|persist|merge|count|aggregat|group|where|raw|prepare|batch|unsafe|commit|rollback|begin|increment|decrement|remove|reload|connect|first|exists|paginate|load|^(?:one|none|many|any|all|run|tx|del|add|get|put)/iu;

/** Methods of lists, where they are given a function. */
const OF_LISTS = new Set(
  "find findLast findIndex findLastIndex filter some every map flatMap forEach reduce".split(" "),
);

/** Variables that are called as a table is asked for: `db("accounts")`. */
const CALLED = /^(?:knex|k|db|tx|trx|conn|connection|client|pool|sql|database)$/iu;

/** Calls that give an AsyncLocalStorage something to hold (`storage.run(store, f)`). */
export const STORAGE_RUN = "run(store)";
/** The same while something unknown goes on: the next handler of a request, all that follows. */
export const HANDED_ON = "run(store, next)";

const known = new WeakMap<HirFunction, Calls>();
const namesByStatement = new WeakMap<HirStatement, ReadonlySet<string>>();
const byStatement = new WeakMap<HirStatement, ReadonlyMap<string, readonly HirFunction[]>>();

/** Looks over modules again and again: the parts that are new, each once, in time linear in their sizes. */
export function createReaches(): MakeReach {
  let known: readonly CallGraph[] = [];
  return (modules, others = NO_OTHERS) => {
    // Several databases are read in turn, each with code of its own.
    const own = known.find((each) => each.hasMost(modules)) ?? createCallGraph(partsOf);
    known = [own, ...known.filter((each) => each !== own)].slice(0, MOST_GRAPHS);
    own.update(modules, others);
    return reachIn(own);
  };
}

/** Who may reach what, among modules that have other names for what they give each other. */
export type MakeReach = (modules: readonly HirModule[], others?: OtherNames) => Reach;

const NO_OTHERS: OtherNames = new Map();

const MOST_GRAPHS = 8;

/** The same for modules that are looked at once. */
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
    size: (hir) => callsOf(hir).size,
    isReachedBy: (interfaceName, method) => reaching.has(implementedBy(interfaceName, method)),
    isReaching: (name) => reaching.has(name),
    reaching,
  };
}

/** Stands for each method of an interface. */
export const ANY_METHOD = "*";

/** The name under which the methods are known that implement an interface's: none of any program. */
function implementedBy(interfaceName: string, method: string): string {
  return `${interfaceName} ${method}`;
}

const partsByStatement = new WeakMap<HirStatement, StatementParts>();

/** The names of a statement at the top of a module, and the names that it calls. */
function partsOf(statement: HirStatement): StatementParts {
  const own = partsByStatement.get(statement);
  if (own) return own;
  const functions = [...namedFunctions(statement)].flatMap(([name, all]) =>
    all.map((hir) => ({ name, function: hir, calls: () => callsOf(hir) })),
  );
  const made = madeIn(statement);
  const others = otherNamesIn(statement).map(({ name, of }) => {
    const calls: Calls = { ...noCalls(), names: new Set([of]) };
    return { name, calls: () => calls };
  });
  const parts = {
    named: [
      ...functions,
      ...(made ? [{ name: made.name, calls: () => made.calls }] : []),
      ...constructedAs(statement),
      ...others,
    ],
    calls: () => namesIn(statement),
  };
  partsByStatement.set(statement, parts);
  return parts;
}

/** Whoever makes an object of a class runs the constructor of the one above as well. */
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
  const hir = originOf(moved);
  const own = known.get(hir);
  if (own) return own;
  const calls: Calls = noCalls();
  known.set(hir, calls);
  const bound: Bound = { names: namesBoundIn(hir), given: new Set() };
  collect(hir.body, calls, bound);
  collect(hir.parameters, calls, bound);
  collect(hir.annotations, calls);
  // An argument goes no further where nothing is called.
  if (calls.isCalling) for (const name of bound.given) calls.names.add(name);
  calls.isDirectInside = calls.isDirect;
  calls.isDirect ||= hir.annotations.some(({ name }) => isOfDatabase(hir, name));
  return calls;
}

/** True if an annotation says that a function uses a database, or what runs where it is called, as it has no body. */
function isOfDatabase({ body }: HirFunction, annotation: string): boolean {
  return TRANSACTIONAL.test(annotation) || (body.length === 0 && STATEMENTS.test(annotation));
}

const TRANSACTIONAL = /^(?:[\w.]+\.)?Transactional$/u;
const STATEMENTS =
  /^(?:[\w.]+\.)?(?:Query|NativeQuery|Modifying|Procedure|(?:Select|Insert|Update|Delete)(?:Provider)?|SqlQuery|SqlUpdate|SqlBatch)$/u;

/** The arguments of a call that a name at the top of a module stands for: `const save = atomic(saveAll)`. */
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

/** The calls of a statement at the top of a module, functions in it included. */
function namesIn(moved: HirStatement): ReadonlySet<string> {
  const statement = originOf(moved);
  const own = namesByStatement.get(statement);
  if (own) return own;
  const calls: Calls = noCalls();
  collect(statement, calls);
  namesByStatement.set(statement, calls.names);
  return calls.names;
}

/** The names that a function may be called by for what it stands in, the innermost first. */
interface Names {
  readonly name: string;
  readonly above: Names | undefined;
}

/** Functions of a statement at the top of a module by the names under which they may be called. */
function namedFunctions(statement: HirStatement): ReadonlyMap<string, readonly HirFunction[]> {
  const own = byStatement.get(statement);
  if (own) return own;
  const found = new Map<string, HirFunction[]>();
  const add = (name: string | undefined, hir: HirFunction): void => {
    if (name === undefined) return;
    const list = found.get(name);
    if (list) list.push(hir);
    else found.set(name, [hir]);
  };
  /** Gives the value in a node that has a name, with the name. */
  const look = (node: object, names: Names | undefined): Named | undefined => {
    if (isImplementing(node)) {
      for (const { name, function: hir, kind } of node.methods) {
        // `new Thing()` runs the constructor of it.
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
  byStatement.set(statement, found);
  return found;
}

interface Named {
  readonly name: string | undefined;
  readonly value: unknown;
}

/** The names that a function binds itself, not those of functions in it. */
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

/** Names that a function binds itself, and those of them that it mentions otherwise than to ask them for something. */
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
      // An iterator runs code of its own.
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
        // It may be given to something that calls it.
        if ("name" in node && typeof node.name === "string") {
          (bound?.names.has(node.name) === true ? bound.given : calls.names).add(node.name);
        }
        break;
      default:
    }
    return true;
  });
}

/** A callee of a function calls who holds it; each is looked over once. */
function addInner(hir: HirFunction, calls: Calls): void {
  const { names, size, isDirectInside, isCalling } = callsOf(hir);
  calls.isCalling ||= isCalling;
  for (const name of names) calls.names.add(name);
  // Its header is a part, too.
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

/** The rest of a request's handlers is called. */
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

/** The last name of what is assigned to. */
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

export interface Leads {
  /** True if the statement at the top of its module that holds a function may come to a database. */
  readonly mayLead: (file: FileId, hir: HirFunction) => boolean;
  /** True if something of a type, as a file writes it, may be or hold a client of one. */
  readonly mayHold: (file: FileId, type: string) => boolean;
  /** How much there is to follow in a function. */
  readonly extentOf: (file: FileId, hir: HirFunction) => Extent;
}

/** A function with all that it names. */
export interface Extent {
  /** Parts of HIR, counted up to about `MOST_PARTS`. */
  readonly parts: number;
  /** True if something in it may refuse what it is given, as far as it was counted. */
  readonly throws: boolean;
  /** True if something in it may change what it did not make, as far as it was counted. */
  readonly changes: boolean;
  /** True if something in it is new with each call, as far as it was counted. */
  readonly makesNew: boolean;
  /** True if a name in it leads to a database: those around it, and what its caller hands in, aside. */
  readonly leads: boolean;
}
