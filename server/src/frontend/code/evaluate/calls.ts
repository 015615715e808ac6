// Calls: functions of the workspace are followed, functions of libraries mean what their library says, and of all
// others nothing is known but what they were given.
import type { Command } from "../../../program/statement";
import type { HirClass, HirFunction, HirParameter } from "../hir";
import {
  constantText,
  UNDEFINED,
  unknown,
  type ObjectValue,
  type Scope,
  type Value,
} from "../values";
import { functionKey } from "../origins";
import { withoutReturns } from "../../sql/routine/withoutReturns";
import { bind, innerScope } from "./bindings";
import { boundaryOf, isEntry } from "./boundaries";
import { throughCall } from "./callChains";
import { callBuiltin, externalResult } from "./builtins";
import { bringsWork, CACHES, HANDLES, isAtTop, perhaps, RUNS_ONCE } from "./callbacks";
import { isInput, readsOf } from "./convert";
import { enumerationOf } from "./enumerations";
import { escape } from "./escape";
import { itemsOf, listOf } from "./collections";
import { handedOn, runForItems } from "./itemwise";
import { changed } from "./iteration";
import { settle } from "./settle";
import { callDataAccess, dataAccess } from "./dataAccess";
import {
  addItself,
  constructorFor,
  implementing,
  isOfJava,
  isOpen,
  isOwnCall,
  overloaded,
  standsAlone,
} from "./javaCalls";
import { tried } from "./join";
import { setAnyMember, superclassOf } from "./member";
import { ofWhatWasRead, resultFromOutside, tellStored } from "./outside";
import {
  collected,
  emit,
  lose,
  newCell,
  sourceOf,
  type CallSite,
  type Frame,
  type State,
} from "./state";
import { returned } from "./returns";
import { inUnknownTransaction, opensByName } from "./unknownTransactions";

/** Deeper calls of functions that get no connection are not followed: three are enough for almost all code. */
const DEEPEST = 3;
/** Parts of HIR of a function that runs no statement and is followed all the same. */
const LARGEST_IDLE = 250;
/** How often a function that is given work is followed within itself. */
const MOST_INSIDE = 2;
/** Callbacks and functions with a connection, too, end somewhere. */
const DEEPEST_OF_ALL = 24;

/** What a call gives; its statements are added to the state. */
export function callValue(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite,
): Value {
  switch (callee.kind) {
    case "function":
      return callFunction(state, callee, args, site);
    case "handle": {
      const tools = state.evaluator.tools(state, callee.library);
      const { isNew, typeArguments } = site;
      const source = sourceOf(state, site.span);
      state.here = source;
      const call = { arguments: args, isNew, typeArguments, source };
      const combined = combinedCall(state, callee, args, site);
      if (combined) return combined;
      const result = callee.library.call(callee, call, tools);
      if (result !== undefined) return result;
      if (dataAccess(callee.path.replace(/\..*$/u, "")))
        return callDataAccess(state, callee.path, args, site);
      const message = `${callee.library.name}: ${callee.path}() is not known`;
      lose(state, message, source);
      return callUnknown(state, callee, args, site);
    }
    case "builtin":
      return (
        callOfRow(state, callee, args, site) ??
        callBuiltin(state, callee, args, site) ??
        ofWhatWasRead(callee, shaped(state, callee, args, site), site)
      );
    case "class":
      return site.isNew ? instance(state, callee, args, site) : unknown("a class is called");
    case "choice":
      return state.evaluator.branches(
        state,
        callee.condition,
        () => callIfThere(state, callee.then, args, site),
        () => callIfThere(state, callee.otherwise, args, site),
        site.span,
      );
    case "external":
      return callee.isDataAccess === true
        ? callDataAccess(state, callee.name, args, site)
        : shaped(state, callee, args, site);
    case "input": {
      // A model may have a method that lists have, too.
      const handle = handleOfShape(state, callee, args, site);
      if (handle) return callValue(state, handle, args, site);
      const own = methodOfInput(callee);
      const builtin = own && callBuiltin(state, own, args, site);
      return builtin ?? callUnknown(state, callee, args, site);
    }
    default:
      // Rows that became records of Java have accessors by their columns' names.
      if (callee.kind === "scalar" && state.frame.file.endsWith(".java")) return callee;
      return shaped(state, callee, args, site);
  }
}

/** A branch in which there is nothing to call is an error of the code, or is not taken. */
function callIfThere(state: State, callee: Value, args: readonly Value[], site: CallSite): Value {
  return callee.kind === "undefined" ? UNDEFINED : callValue(state, callee, args, site);
}

/** `pool.query.bind(pool)`, `.call(pool, ...)` and `.apply(pool, [...])`. */
function combinedCall(
  state: State,
  callee: Extract<Value, { kind: "handle" }>,
  args: readonly Value[],
  site: CallSite,
): Value | undefined {
  const [, path, method] = /^(.+\..+)\.(bind|call|apply)$/u.exec(callee.path) ?? [];
  if (path === undefined || method === undefined) return undefined;
  const self = { ...callee, path };
  return callBuiltin(state, { kind: "builtin", name: `function.${method}`, self }, args, site);
}

/** `row.save()`: what a library gave to rows and objects. */
function callOfRow(
  state: State,
  { self, name }: Extract<Value, { kind: "builtin" }>,
  args: readonly Value[],
  { span, isNew, typeArguments: types }: CallSite,
): Value | undefined {
  if (self?.kind !== "row" && self?.kind !== "rows" && self?.kind !== "object") return undefined;
  const method = name.split(".").at(-1) ?? name;
  const source = sourceOf(state, span);
  const call = { arguments: args, isNew, typeArguments: types, source };
  for (const library of state.workspace.libraries) {
    const tools = state.evaluator.tools(state, library);
    const result = library.rowCall?.(self, method, call, tools);
    if (result) return result;
  }
  return undefined;
}

/** `items.map` of an argument is a method of a list as any other. */
function methodOfInput(
  callee: Extract<Value, { kind: "input" }>,
): Extract<Value, { kind: "builtin" }> | undefined {
  const dot = callee.path.lastIndexOf(".");
  if (dot <= 0) return undefined;
  const { element } = callee;
  const field = element?.field.split(".").slice(0, -1).join(".") ?? "";
  const self: Value = {
    ...callee,
    path: callee.path.slice(0, dot),
    ...(element && { element: { ...element, field } }),
  };
  return { kind: "builtin", name: `input.${callee.path.slice(dot + 1)}`, self };
}

/** What the shape of a call tells where the receiver does not: `x.query("SELECT ...")`. */
function shaped(state: State, callee: Value, args: readonly Value[], site: CallSite): Value {
  const handle = handleOfShape(state, callee, args, site);
  return handle ? callValue(state, handle, args, site) : callUnknown(state, callee, args, site);
}

function handleOfShape(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite,
): Value | undefined {
  const dot = site.name.lastIndexOf(".");
  if (dot <= 0 || site.isNew) return undefined;
  const shape = {
    receiver: callee.kind === "builtin" && callee.self ? callee.self : callee,
    method: site.name.slice(dot + 1),
    arguments: args,
    used: state.workspace.used,
    name: site.name.slice(0, dot),
  };
  for (const library of state.workspace.libraries) {
    const handle = library.shaped?.(shape, state.evaluator.tools(state, library));
    if (handle) return handle;
  }
  return undefined;
}

/** Of what an unknown function does, only what it was given is known: functions may be run, rows leave. */
function callUnknown(state: State, callee: Value, given: readonly Value[], site: CallSite): Value {
  const { name } = site;
  const source = sourceOf(state, site.span);
  tellStored(state, name, source);
  // Whoever is given a promise awaits it.
  const args = given.map((arg) => settle(state, arg));
  const isOnce = RUNS_ONCE.test(name) || opensByName(name);
  const enumeration = enumerationOf(state, name, args);
  if (enumeration) return enumeration;
  const forItems = isOnce ? undefined : runForItems(state, callee, args, site);
  if (forItems) return forItems;
  for (const arg of args) {
    escape(state, arg);
    // What is given away empty is given to be filled.
    if (arg.kind === "list" && itemsOf(arg)?.length === 0) changed(state, arg, UNKNOWN_ITEM);
    if (arg.kind === "object" && !arg.class && arg.fields.size === 0 && !arg.rest) {
      setAnyMember(state, arg, UNKNOWN_ITEM);
    }
    if (arg.kind === "handle" && arg.connection) {
      const message = `${name}() is given a connection, and what it does is not known`;
      lose(state, message, source, "opaque");
    }
  }
  const isTop = isAtTop(state);
  // At the top of a module such functions are wrapped, and run when they are called for: each is a root.
  const callbacks = args
    .filter((arg) => arg.kind === "function")
    .filter((arg) => !isTop || arg.function.isAsync !== true);
  // What a cache gives is asked as the function that it keeps the results of.
  const [first] = args;
  if (isTop && first?.kind === "function" && CACHES.test(name)) return first;
  const verb = HANDLES.exec(name)?.[1];
  if (verb !== undefined && callbacks.length > 0) {
    // Each runs by itself, when a request or message comes.
    const path = args.map(constantText).find((text) => text !== undefined);
    const label = path === undefined ? verb : `${verb.toUpperCase()} ${path}`;
    for (const callee of callbacks) state.handlers.push({ name: label, callee });
    return unknown(`${name} is not known`);
  }
  const inputFor = handedOn(callee, args, (parameter) => inputOf(state, parameter));
  let result: Value | undefined;
  for (const callback of callbacks) {
    const before = state.emitted;
    const inputs = callback.function.parameters.map((each) => inputFor(each, name));
    const path = tried(state, () => {
      result = inUnknownTransaction(state, name, source, () =>
        settle(state, callValue(state, callback, inputs, { ...site, isNew: false })),
      );
      return false;
    });
    const hasStatements = state.emitted > before;
    if (hasStatements && !isOnce) {
      lose(state, `${name}() is taken to run the function that it is given once`, source);
    }
    perhaps(state, path, { isSure: hasStatements || isOnce, name, source });
  }
  // What a method of something unknown gives may be all that this came from.
  if (!isOnce && isOfUnknown(callee)) {
    return unknown(
      `${name} is not known`,
      [callee, ...args].flatMap((each) => readsOf(each)),
    );
  }
  // A chain goes on with something of the unknown's own: `match(x).with(1, () => {}).otherwise(f)`.
  if (result && callbacks.length === 1 && (isOnce || result.kind !== "undefined")) return result;
  return externalResult(state, name, args);
}

function isOfUnknown(callee: Value): boolean {
  if (callee.kind === "undefined") return true;
  return callee.kind === "unknown" && !callee.dependsOn.every(isInput);
}

const UNKNOWN_ITEM = unknown("what an unknown function does to it");

/** What a parameter of a function is that is called by something unknown. */
export function inputOf(state: State, parameter: HirParameter, prefix = ""): Value {
  const { pattern, type } = parameter;
  const inner = pattern.kind === "default" ? pattern.pattern : pattern;
  const typed = type === undefined ? undefined : typedValue(state, type);
  if (typed && !isRecord(typed)) return given(typed);
  const name = inner.kind === "bind" ? inner.name : "";
  const path = prefix === "" ? name : name === "" ? prefix : `${prefix}.${name}`;
  const { isRest } = parameter;
  const more = { ...(type !== undefined && { type }), ...(isRest && { isRest }) };
  return { kind: "input", path, origin: "argument", ...more };
}

/** An object of a class of TypeScript with nothing but fields: its caller gives what is in them. */
function isRecord(value: Value): boolean {
  if (value.kind !== "object" || !value.class || hasConnection(value)) return false;
  const { class: of, scope } = value.class;
  const isJava = scope.module.file.endsWith(".java");
  return !isJava && of.methods.every(({ kind }) => kind === "constructor");
}

/** What a caller gives. */
function given(value: Value): Value {
  if (value.kind !== "handle" || !value.connection || value.connection.isPool) return value;
  return { ...value, connection: { ...value.connection, isGiven: true } };
}

/** What the declared type of something says: a part of a library, an object of a class of the workspace. */
export function typedValue(state: State, type: string, scope?: Scope): Value | undefined {
  const name = type
    .replace(/^typeof /u, "")
    .replace(/<.*$/su, "")
    .replace(/\s*\|.*$/su, "")
    .trim();
  const module = scope?.module ?? state.workspace.moduleScope(state.frame.file);
  const [first = name, ...rest] = name.split(".");
  const declared = module?.lookup(first);
  // What another name of a type is, an object or a client already.
  if (isOfType(declared) && rest.length === 0) return declared;
  if (declared?.kind === "handle") {
    const path = [declared.path, ...rest].join(".");
    const of = typeArguments(type).map((each) => module?.lookup(each) ?? UNDEFINED);
    return declared.library.typed?.(path, state.evaluator.tools(state, declared.library), of);
  }
  if (declared?.kind === "class") return objectOf(state, declared) ?? dataAccess(name);
  const isJava = module?.file.endsWith(".java") === true;
  for (const library of state.workspace.libraries) {
    if (isJava !== isOfJava(library)) continue;
    const value = library.typed?.(name, state.evaluator.tools(state, library));
    if (value) return value;
  }
  return dataAccess(name);
}

function isOfType(value: Value | undefined): value is Value {
  if (value?.kind === "handle") return value.connection !== undefined;
  return value?.kind === "object" && value.class !== undefined;
}

/** The names in `<A, B>` that stand there by themselves. */
function typeArguments(type: string): readonly string[] {
  const inner = /<([^<>]*)>/su.exec(type)?.[1];
  return inner === undefined ? [] : inner.split(",").map((each) => each.trim());
}

/** An object of a class that something is declared with. */
function objectOf(state: State, declared: Extract<Value, { kind: "class" }>): Value | undefined {
  const behind = isOpen(declared.class) ? implementing(state, declared.class) : undefined;
  if (behind) return instanceOf(state, behind, undefined);
  if (!declared.class.isInterface) return instanceOf(state, declared, undefined);
  for (const library of state.workspace.libraries) {
    const value = library.implemented?.(declared, state.evaluator.tools(state, library));
    if (value) return value;
  }
  for (const name of declared.class.interfaces) {
    for (const library of state.workspace.libraries) {
      const value = library.extended?.(name, state.evaluator.tools(state, library));
      if (value) return value;
    }
  }
  return undefined;
}

/** Follows a function of the workspace. */
function callFunction(
  state: State,
  named: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  site: CallSite,
): Value {
  const isJava = named.scope.module.file.endsWith(".java");
  const callee = isJava ? overloaded(named, args.length) : named;
  const { function: hir, scope, self } = callee;
  const { file } = scope.module;
  const ofText = functionKey(file, hir);
  const key = callee.made ?? ofText;
  const more = (callee.within ?? []).filter((each) => !state.calls.includes(each));
  const isWork = args.some((arg) => bringsWork(state, arg));
  // What is done around a function is not deeper than what is done in it.
  const depth = state.frame.depth + (hir.isArrow || isWork || args.some(hasConnection) ? 0 : 1);
  // What runs what it is given may be given itself: a transaction that joins the one around it.
  const again = state.calls.filter((each) => each === key).length;
  const isRecursive = again > (isWork ? MOST_INSIDE : 0) || more.includes(key);
  const { reach } = state.workspace;
  // Long and without a statement: what it gives is a function of its inputs, which is all that is asked of it.
  const isIdle =
    reach.size(hir) > LARGEST_IDLE && !args.some(hasConnection) && !reach.mayReach(hir);
  if (!state.standsAlone && standsAlone(state, callee)) {
    return externalResult(state, callee.name ?? site.name, args);
  }
  const isTooDeep = depth > DEEPEST || state.calls.length > DEEPEST_OF_ALL;
  if (isRecursive || isTooDeep || isIdle || hir.isGenerator) {
    return notFollowed(state, callee, args, site, isRecursive);
  }
  if (!isEntry(state, callee, isOwnCall(site))) state.inlined.add(key).add(ofText);
  if (state.open.length + state.stores.size > 0) state.ranInside.add(key);
  state.files.add(file);
  const frame: Frame = {
    file,
    key,
    depth,
    isRoot: false,
    isLazy: hir.isAsync !== true,
    which: state.ids.fresh("return"),
    value: state.ids.fresh("returned"),
    returns: [],
    span: hir.span,
    through: throughCall(state, file, hir.span, callee.name ?? hir.name ?? site.name, site),
    caller: state.frame,
    ...(hir.throws && { declares: hir.throws }),
  };
  const outer = { frame: state.frame, calls: state.calls, loops: state.loops };
  state.frame = frame;
  state.calls = [...outer.calls, ...more, key];
  const inner = innerScope(scope, hir.isArrow ? undefined : self);
  const source = sourceOf({ ...state, frame: outer.frame }, site.span);
  const followed = (commands: readonly Command[]): readonly Command[] => {
    const options = { done: state.ids.fresh("done"), value: frame.value, source };
    const body = withoutReturns({ kind: "sequence", commands }, options);
    return body.kind === "sequence" ? body.commands : [body];
  };
  let left = false;
  let behind: readonly Command[] = [];
  const added = collected(state, () => {
    bindParameters(state, inner, hir, args);
    const run = (): void => {
      left = state.evaluator.block(state, inner, hir.body);
    };
    const boundary = boundaryOf(state, callee, isOwnCall(site));
    if (boundary) {
      behind = boundary(run, followed);
      return;
    }
    for (const command of followed(collected(state, run))) emit(state, command);
  });
  state.frame = outer.frame;
  state.calls = outer.calls;
  state.loops = outer.loops;
  for (const command of [...added, ...behind]) emit(state, command);
  const result = returned(frame, left);
  const isCalculated = added.every(({ kind }) => kind === "assign");
  const called = callee.name ?? hir.name ?? site.name;
  return isCalculated ? resultFromOutside(state, result, called) : result;
}

function hasConnection(value: Value): boolean {
  if (value.kind === "handle") return value.connection !== undefined;
  if (value.kind !== "object") return false;
  return [...value.fields.values()].some(
    (cell) => cell.value !== undefined && hasConnection(cell.value),
  );
}

function notFollowed(
  state: State,
  callee: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  site: CallSite,
  isRecursive: boolean,
): Value {
  const name = callee.name ?? callee.function.name ?? site.name;
  if (args.some((arg) => hasConnection(arg) || bringsWork(state, arg))) {
    const why = isRecursive ? "calls itself" : "lies too deep";
    lose(state, `${name}() ${why} and is not followed`, sourceOf(state, site.span), "opaque");
  } else if (state.workspace.reach.mayReach(callee.function)) {
    const why = isRecursive
      ? "calls itself"
      : callee.function.isGenerator
        ? "is a generator"
        : "lies too deep";
    const reason = `${name}() ${why} and is not followed`;
    const key = callee.made ?? functionKey(callee.scope.module.file, callee.function);
    state.unfollowed.set(key, { effect: "opaque", reason, source: sourceOf(state, site.span) });
  }
  for (const arg of args) escape(state, arg);
  return externalResult(state, name, args);
}

/** Binds the arguments to the parameters. */
export function bindParameters(
  state: State,
  scope: Scope,
  hir: HirFunction,
  args: readonly Value[],
): void {
  const rest = args.findIndex(isRest);
  hir.parameters.forEach((parameter, at) => {
    const value = parameter.isRest
      ? restOf(state, scope, args.slice(at))
      : rest !== -1 && at >= rest
        ? inputOf(state, parameter)
        : (args[at] ?? UNDEFINED);
    bind(state, scope, parameter.pattern, value, true);
  });
}

/** The arguments from a rest parameter on; in Java an array that is given alone is all of them. */
function restOf(state: State, { module }: Scope, args: readonly Value[]): Value {
  const [only] = args;
  if (only && isRest(only)) return only;
  const isAll = args.length === 1 && only?.kind === "list" && module.file.endsWith(".java");
  return isAll ? only : listOf(state, args);
}

function isRest(value: Value): boolean {
  return value.kind === "input" && value.isRest === true;
}

/** `new C(...)`. */
function instance(
  state: State,
  callee: Extract<Value, { kind: "class" }>,
  args: readonly Value[],
  site: CallSite,
): Value {
  return instanceOf(state, callee, args, site);
}

/**
 * An object of a class. Without arguments it is one that somebody else made: its constructor's parameters are what
 * their types say.
 */
export function instanceOf(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
  args: readonly Value[] | undefined,
  site?: CallSite,
): Value {
  const library = libraryObject(state, of);
  const isJava = of.scope.module.file.endsWith(".java");
  const isPlain = of.class.methods.every(({ kind }) => kind === "constructor");
  if (library && !isJava && isPlain) return library;
  const key = `${of.scope.module.file}#${String(of.class.span.start)}`;
  if (state.calls.includes(key)) return unknown("an object that holds one of its own class");
  const outer = { calls: state.calls, frame: state.frame };
  state.calls = [...outer.calls, key];
  state.frame = { ...outer.frame, file: of.scope.module.file, isRoot: false, returns: [] };
  const parent = superclassOf(of);
  const inherited = parent && instanceOf(state, parent, args, site);
  // What a class inherits from a library's is asked of the library.
  const rest = library ?? (inherited?.kind === "object" ? inherited.rest : undefined);
  const fields = new Map(inherited?.kind === "object" ? inherited.fields : []);
  const self: ObjectValue = { kind: "object", fields, class: of, ...(rest && { rest }) };
  const scope = innerScope(of.scope, self);
  for (const field of of.class.fields) {
    if (field.isStatic) continue;
    const value = field.value
      ? state.evaluator.expression(state, scope, field.value)
      : field.type === undefined
        ? undefined
        : typedValue(state, field.type, of.scope);
    if (value) self.fields.set(field.name, newCell(state, value));
  }
  const constructor = constructorFor(of.class, args?.length);
  if (constructor) {
    const hir = constructor.function;
    const inputs =
      args ??
      hir.parameters.map((parameter) => {
        const typed = parameter.type && typedValue(state, parameter.type, of.scope);
        return typed || inputOf(state, parameter, of.class.name ?? "");
      });
    bindParameters(state, scope, hir, inputs);
    hir.parameters.forEach((parameter, at) => {
      // TypeScript's `constructor(private x: X)`.
      const isField =
        parameter.pattern.kind === "bind" &&
        of.class.fields.some(
          ({ name }) => parameter.pattern.kind === "bind" && name === parameter.pattern.name,
        );
      const value = inputs[at];
      if (isField && parameter.pattern.kind === "bind" && value) {
        const { name } = parameter.pattern;
        // What was given says more than its declared type, if anything is known of it.
        if (!self.fields.has(name) || (args && isKnown(value)))
          self.fields.set(name, newCell(state, value));
      }
    });
    const before = state.emitted;
    const commands = collected(state, () => state.evaluator.block(state, scope, hir.body));
    if (args && state.emitted > before) for (const each of commands) emit(state, each);
  }
  state.calls = outer.calls;
  state.frame = outer.frame;
  addItself(state, self);
  return self;
}

function isKnown({ kind }: Value): boolean {
  return kind !== "unknown" && kind !== "external" && kind !== "input" && kind !== "undefined";
}

/** An object of a class that extends a class of a library (`class Db extends PrismaClient`). */
function libraryObject(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
): Value | undefined {
  const { superclass } = of.class;
  if (superclass === undefined) return undefined;
  for (const library of state.workspace.libraries) {
    const value = library.extended?.(superclass, state.evaluator.tools(state, library));
    if (value) return value;
  }
  return undefined;
}
