// Reachability of a database from code by names: follows every name to its declaration, across imports and exports, transitively. Code can
// do nothing that no name leads to, except by what a caller passes in.
import { attribute, ofNode } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirFunction, HirModule, HirStatement } from "../hir";
import { boundNames } from "../modules/boundNames";
import { changesOthers } from "../effects/sideEffects";
import { exportsOf, type CodeModules } from "../modules/modules";
import {
  CALL_REFERENCE,
  namedIn,
  namesInType,
  type References,
  type Use as ValueUse,
  type ModuleCall,
  type WrittenCall,
} from "../modules/references";
import { originOf } from "../queries/origins";
import { semanticsIn } from "../semantics";
import { addToList } from "../multimap";
import { isPublicPackage, mayLeadOutside } from "./moduleReachability";
import { ANY_METHOD, type Reach, type NameReachability, type Extent } from "./reachability";

/** Counting stops here. */
const MOST_PARTS = 2000;

/** A top-level statement of a module. */
interface Node {
  readonly file: FileId;
  readonly module: HirModule;
  readonly statement: HirStatement;
}

interface Targets {
  /** One of its names leads to a database outside of the workspace. */
  readonly isDirect: boolean;
  readonly nodes: readonly Node[];
}

/** Answers queries about a fixed set of modules; all queries together are linear in the number of names. */
export function createNameReachability(
  modules: CodeModules,
  {
    isReachedBy,
    isAsked,
    described = new Set(),
  }: Pick<Reach, "isReachedBy"> & {
    /** True if a call may be a library's, judging by its syntax. */
    readonly isAsked: (call: ModuleCall) => boolean;
    /** Modules that the workspace describes, wherever they are. */
    readonly described?: ReadonlySet<string>;
  },
): NameReachability {
  const leading = new Map<HirStatement, boolean>();
  const targets = new Map<HirStatement, Targets>();
  const extents = new Map<HirFunction, Extent>();
  const types = new Map<string, boolean>();
  const resolver = createNames(modules, isAsked, described);

  function targetsOf(node: Node): Targets {
    const origin = originOf(node.statement);
    const known = targets.get(origin);
    if (known) return known;
    const own = resolver.resolved(node, namedIn(origin));
    const isOpen =
      node.statement.kind === "class" &&
      node.statement.class.isInterface &&
      isReachedBy(node.statement.class.name ?? "", ANY_METHOD);
    const made = isOpen ? { ...own, isDirect: true } : own;
    targets.set(origin, made);
    return made;
  }

  function leads(first: Node): boolean {
    const start = originOf(first.statement);
    const known = leading.get(start);
    if (known !== undefined) return known;
    // The predecessor of each visited statement: all on the path to a database lead there, too.
    const from = new Map<HirStatement, HirStatement | undefined>([[start, undefined]]);
    const open = [first];
    for (let node = open.pop(); node; node = open.pop()) {
      const origin = originOf(node.statement);
      const own = leading.get(origin);
      if (own === false) continue;
      const { isDirect, nodes } = own === true ? DIRECT : targetsOf(node);
      if (isDirect) {
        for (let at: HirStatement | undefined = origin; at; at = from.get(at))
          leading.set(at, true);
        return true;
      }
      for (const each of nodes) {
        const next = originOf(each.statement);
        if (from.has(next)) continue;
        from.set(next, origin);
        open.push(each);
      }
    }
    for (const each of from.keys()) leading.set(each, false);
    return false;
  }

  function extentOf(file: FileId, moved: HirFunction): Extent {
    const hir = originOf(moved);
    const known = extents.get(hir);
    if (known !== undefined) return known;
    const module = modules.moduleOf(file);
    const around = module && statementAround(module, moved);
    let { size: parts, throws, makesNew } = namedIn(hir);
    let changes = changesOthers(hir);
    let isLeading = !semanticsIn(module?.language).namesByImport || !around;
    const count = (part: object): void => {
      const { size, throws: own, makesNew: isNew } = namedIn(part);
      parts += size;
      makesNew ||= isNew;
      throws ||= own;
      changes ||= changesOthers(part);
    };
    if (module && around) {
      const node = { file, module, statement: around };
      const methods = methodsNamed(around, namedIn(hir));
      const seen = new Set([originOf(around)]);
      const open: Node[] = [];
      const add = (nodes: readonly Node[]): void => {
        for (const each of nodes) {
          const origin = originOf(each.statement);
          if (seen.has(origin)) continue;
          seen.add(origin);
          open.push(each);
        }
      };
      for (const each of methods) count(each);
      isLeading ||= !isOfMethods(around, [hir, ...methods]) && leads(node);
      for (const each of [hir, ...methods]) {
        const { isDirect, nodes } = resolver.resolved(node, namedIn(each));
        isLeading ||= isDirect || nodes.some(leads);
        add(nodes);
      }
      for (let each = open.pop(); each && parts < MOST_PARTS; each = open.pop()) {
        if (runs(each.statement)) count(originOf(each.statement));
        else {
          changes ||= changesOthers(originOf(each.statement));
          // Functions of records, and factories that are built from others.
          makesNew ||= namedIn(originOf(each.statement)).makesNew;
        }
        add(targetsOf(each).nodes);
      }
    }
    const extent = { parts, throws, changes, makesNew, leads: isLeading };
    extents.set(hir, extent);
    return extent;
  }

  return {
    mayLead: (file, hir) => {
      const module = modules.moduleOf(file);
      if (!module || !semanticsIn(module.language).namesByImport) return true;
      const statement = statementAround(module, hir);
      return statement === undefined || leads({ file, module, statement });
    },
    mayHold: (file, type) => {
      const key = `${file}\0${type}`;
      const known = types.get(key);
      if (known !== undefined) return known;
      const module = modules.moduleOf(file);
      const { isDirect, nodes } = module
        ? resolver.ofTypes(file, module, namesInType(type))
        : DIRECT;
      const own = isDirect || nodes.some(leads);
      types.set(key, own);
      return own;
    },
    extentOf,
  };
}

const DIRECT: Targets = { isDirect: true, nodes: [] };

const holders = attribute<HirFunction, HirStatement>();
const byOrigin = ofNode(
  ({ body }: HirModule) => new Map(body.map((each) => [originOf(each), each])),
);

/** The top-level statement that contains a function, wherever both were moved; undefined if there is none any more. */
function statementAround(module: HirModule, hir: HirFunction): HirStatement | undefined {
  const origin = originOf(hir);
  const { start, end } = hir.span;
  const known = holders.get(origin);
  if (known) return byOrigin(module).get(known);
  const found = module.body.find(({ span }) => span.start <= start && end <= span.end);
  if (found) holders.set(origin, originOf(found));
  return found;
}

/** True if a statement is code that runs when it is called, as opposed to a value. */
function runs(statement: HirStatement): boolean {
  if (statement.kind === "function" || statement.kind === "class") return true;
  return statement.kind === "let" && statement.value?.kind === "function";
}

/** The methods of a class that a part of it names, transitively. */
function methodsNamed(statement: HirStatement, first: References): readonly HirFunction[] {
  if (statement.kind !== "class") return [];
  const { methods } = statement.class;
  const found = new Set<HirFunction>();
  // Grows during iteration.
  const names = new Set(first.own);
  for (const name of names) {
    for (const each of methods) {
      if (each.name !== name) continue;
      const hir = originOf(each.function);
      found.add(hir);
      for (const inner of namedIn(hir).own) names.add(inner);
    }
  }
  return [...found];
}

/** True if functions use `this` only for methods of the class. */
function isOfMethods(statement: HirStatement, functions: readonly HirFunction[]): boolean {
  const names = functions.flatMap((each) => [...namedIn(each).own]);
  if (names.length === 0) return true;
  if (statement.kind !== "class") return false;
  const methods = new Set(statement.class.methods.map(({ name }) => name));
  return names.every((name) => methods.has(name));
}

/** How a name is used. */
type Use = ValueUse | "type";

interface Names {
  readonly resolved: (node: Node, named: References) => Targets;
  readonly ofTypes: (file: FileId, module: HirModule, names: Iterable<string>) => Targets;
}

interface Collected {
  isDirect: boolean;
  readonly nodes: Node[];
}

/** Resolves names of modules to the statements that declare or assign them. */
function createNames(
  modules: CodeModules,
  isAsked: (call: ModuleCall) => boolean,
  described: ReadonlySet<string>,
): Names {
  function declared(
    file: FileId,
    module: HirModule,
    name: string,
    use: Use,
    into: Collected,
  ): void {
    for (const statement of statementsOf(module).get(name) ?? []) {
      into.nodes.push({ file, module, statement });
    }
    for (const { imported, from } of importsOf(module).get(name) ?? []) {
      const target = modules.resolve(file, from);
      if (target === undefined) outside(from, imported, use, into);
      else exported(target, imported, use, into, new Set());
    }
  }

  /** Follows the value that a module exports under a name; returns whether there is any. */
  function exported(
    file: FileId,
    name: string,
    use: Use,
    into: Collected,
    seen: Set<string>,
  ): boolean {
    const key = `${file}\0${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const module = modules.moduleOf(file);
    if (!module) {
      into.isDirect = true;
      return true;
    }
    if (name === "*") {
      for (const statement of module.body) into.nodes.push({ file, module, statement });
      for (const { name: inner } of module.exports) {
        if (inner !== "*") exported(file, inner, use, into, seen);
      }
    }
    const own = name === "*" ? undefined : exportsOf(module).get(name);
    if (own) {
      const { from, local = name } = own;
      if (from === undefined) declared(file, module, local, use, into);
      else elsewhere(file, from, local, use, into, seen);
      return true;
    }
    let isFound = false;
    const missing: string[] = [];
    for (const { name: all, local, from } of module.exports) {
      if (all !== "*" || (isFound && name !== "*")) continue;
      if (from !== undefined) {
        const target = modules.resolve(file, from);
        if (target === undefined) missing.push(from);
        else isFound = exported(target, name, use, into, seen) || isFound;
      } else if (local !== undefined) {
        declared(file, module, local, use, into);
        isFound = true;
      }
    }
    // A name that no file of the workspace exports comes from one of the missing modules.
    if (!isFound || name === "*") for (const from of missing) outside(from, name, use, into);
    return isFound || missing.length > 0;
  }

  function elsewhere(
    file: FileId,
    from: string,
    name: string,
    use: Use,
    into: Collected,
    seen: Set<string>,
  ): void {
    const target = described.has(from) ? undefined : modules.resolve(file, from);
    if (target === undefined) outside(from, name, use, into);
    else exported(target, name, use, into, seen);
  }

  function outside(from: string, name: string, use: Use, into: Collected): void {
    const mayLead = described.has(from) || mayLeadOutside(from, modules) || GENERATED.test(from);
    if (into.isDirect || !mayLead) return;
    // Enumerations and data types are no clients.
    into.isDirect =
      use === CALL_REFERENCE || OF_CLIENTS.test(name) || (use !== "type" && !/^[A-Z]/u.test(name));
  }

  function ofTypes(file: FileId, module: HirModule, names: Iterable<string>): Targets {
    const into: Collected = { isDirect: false, nodes: [] };
    for (const name of names) declared(file, module, name, "type", into);
    return into;
  }

  return {
    ofTypes,
    resolved: ({ file, module }, named) => {
      const ask = (call: WrittenCall): boolean =>
        isAsked({ ...call, isOfPackage: isOfPackage(modules, module, named, call) });
      if (named.isDirect || named.calls.some(ask)) return DIRECT;
      const into: Collected = { isDirect: false, nodes: [] };
      for (const [name, use] of named.values) declared(file, module, name, use, into);
      for (const name of named.types) declared(file, module, name, "type", into);
      for (const from of named.modules) elsewhere(file, from, "*", CALL_REFERENCE, into, new Set());
      return into;
    },
  };
}

/** True if a call is on a name that its module imports from a public package. */
function isOfPackage(
  modules: CodeModules,
  module: HirModule,
  { assigned }: References,
  { object, isOfMember }: WrittenCall,
): boolean {
  if (isOfMember || assigned.has(object)) return false;
  const imports = importsOf(module).get(object) ?? [];
  return imports.length > 0 && imports.every(({ from }) => isPublicPackage(from, modules));
}

/** Generated clients. */
const GENERATED = /^(?:[.#~]|@\/).*(?:generated|client)/iu;

/** Types of clients and of their providers. */
const OF_CLIENTS =
  /Client|Pool|Connection|Transaction|DataSource|EntityManager|QueryRunner|Repository|Knex|Kysely|Drizzle|Database|Sequelize|Sql$|^Db|D[Bb]$|Model(?:Static|Ctor)?$|^BaseEntity$|Executor|Queryable/u;

/** The statements of a module by the names that they declare, or that they assign if another statement declares them. */
const statementsOf = ofNode((module: HirModule): ReadonlyMap<string, readonly HirStatement[]> => {
  const own = new Map<string, HirStatement[]>();
  for (const statement of module.body) {
    for (const name of boundNames(statement)) addToList(own, name, statement);
  }
  for (const statement of module.body) {
    for (const name of namedIn(originOf(statement)).assigned) {
      if (own.get(name)?.includes(statement) === false) addToList(own, name, statement);
    }
  }
  return own;
});

const importsOf = ofNode((module: HirModule): ReadonlyMap<string, HirModule["imports"]> => {
  const own = new Map<string, HirModule["imports"][number][]>();
  for (const each of module.imports) addToList(own, each.local, each);
  return own;
});
