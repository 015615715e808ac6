// Calls: functions of the workspace are followed, functions of libraries mean what their library says, and of all
// others nothing is known but what they were given.
import type { Command } from "../../../../program/statement";
import { oneOfSeveral, UNDEFINED, unknown, type Value } from "../../values";
import { functionKey } from "../../queries/origins";
import { withoutReturns } from "../../../sql/routine/withoutReturns";
import { innerScope } from "../bindings";
import { boundaryOf, isEntry } from "../transactions/boundaries";
import {
  bindParameters,
  hasConnection,
  holdsTransaction,
  inputOf,
  instanceOf,
} from "../transactions/instances";
import { callBuiltin, externalResult } from "../builtins/builtins";
import type { HirFunction } from "../../hir";
import { isInput } from "../../roots/provenance";
import { readsOf } from "../values/convert";
import { mayRefuseReads } from "../builtins/assertions";
import { enumerationOf } from "../builtins/enumerations";
import { escape } from "../values/escape";
import { unknownOfType } from "../values/subvalues";
import { isGlobalSlot, isKept } from "../values/weakReferences";
import { runPending, swallow } from "../errors/pendingPromises";
import { runFloating } from "../errors/floatingPromises";
import { handedOn, runForItems } from "../lists/elementwise";
import { mayFail } from "../errors/failures";
import { isRetrying, noteEffect, repeating } from "../errors/repetition";
import {
  callDataAccess,
  dataAccess,
  isUnreadCall,
  noteUnknownRow,
} from "../transactions/dataAccess";
import { fork, type Path, within } from "../fork";
import { beginJumps, endTarget } from "../jumps";
import { beginTarget, takeJumps } from "../jumpTargets";
import { handlerName, routesIn } from "../../roots/routes";
import { runsSql } from "../../callGraph/callSites";
import { changedByCall, ownerOf } from "../values/foreignObjects";
import { asForeign } from "../values/foreignValues";
import { setByCall } from "../values/inputEffects";
import { dependentOnReads, resultFromOutside, noteStorageRead } from "../values/outside";
import {
  collectCommands,
  emit,
  lose,
  sourceOf,
  type CallSite,
  type Frame,
  type State,
  STEPS,
} from "../state";
import { inUnknownTransaction, noteUnknownQuery } from "../transactions/unknownTransactions";
import { semanticsOf } from "../../semantics";
import { opensByName } from "../../callGraph/transactionOpeners";
import { libraryOf } from "../../libraries/library";
import { mergeReturns, ofReturnType } from "./returns";
import { isOwnCall, overloadOf, standsAlone } from "./javaCalls";
import { isPending, settle } from "./awaits";
import { throughLimiter } from "./limiters";
import { givenBack } from "./callbackResults";
import { handleOfShape } from "./shapes";
import { callbackArguments } from "./callbackTypes";
import { changedByFunction } from "./argumentEffects";
import { giveAway } from "./escapingArguments";
import { handsOnPromise } from "./promiseForwarding";
import {
  bringsWork,
  broughtBy,
  CACHES,
  HANDLES,
  MADE_TO_HANDLE,
  isAtTop,
  perhaps,
  RUNS_ONCE,
  tellRun,
} from "./callbacks";
import { isQuietLog } from "./logs";
import { heldFunctions } from "./nestedCallbacks";
import { changedByListener } from "./listeners";
import { throughCall } from "./callChains";
import { outsideAnswer } from "./outsideAnswers";
import { idleCall } from "./pureCalls";
import { unfollowedResult } from "./opaqueResults";
import { asksWhetherItFails, startOf } from "./refusals";

/** Deeper calls of functions that get no connection and run no statement are not followed: three are enough for almost all code. */
const DEEPEST = 3;
/** Services that call one another lie deeper: theirs are followed as far as this, until a function has taken so many steps. */
const DEEPEST_AT_DATABASE = 6;
const MOST_STEPS_WHERE_DEEP = 2_000;
/** Parts of HIR of a function of Java that runs no statement and is followed all the same. */
const LARGEST_IDLE = 250;
/** Parts of HIR of a function that runs no statement and is followed as deep, as parts of keys are made. */
const LARGEST_DEEP = 24;
/** How often a function that is given work is followed within itself; one that may run a statement once. */
const MOST_INSIDE = 2;
const NOTHING: Command = { kind: "sequence", commands: [] };
/** Callbacks and functions with a connection, too, end somewhere. */
const DEEPEST_OF_ALL = 24;

/** Result of a call; its statements are added to the state. */
export function callValue(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite,
): Value {
  noteEffect(state, callee, args, site);
  switch (callee.kind) {
    case "function": {
      const { isLater, ...now } = callee;
      const isHeld = site.isHeld === true && !isAtTop(state) && givesPromise(state, callee);
      if (isHeld) {
        const source = sourceOf(state, site.span);
        const run = (): Value => callFunction(state, now, args, directly(site));
        const started =
          site.isUnused === true ? () => runFloating(state, source, run, callee.function) : run;
        return runPending(state, source, started, site.isLeaving);
      }
      if (isLater !== true) return callFunction(state, callee, args, site);
      return { kind: "deferred", run: () => callFunction(state, now, args, site) };
    }
    case "handle": {
      const tools = state.evaluator.tools(state, libraryOf(callee));
      const { isNew, typeArguments } = site;
      const source = sourceOf(state, site.span);
      state.here = source;
      const call = { arguments: args, isNew, typeArguments, source };
      const combined = combinedCall(state, callee, args, site);
      if (combined) return combined;
      const result = libraryOf(callee).call(callee, call, tools);
      if (result !== undefined) return result;
      if (dataAccess(callee.path.replace(/\..*$/u, "")))
        return callDataAccess(state, callee.path, args, site);
      const message = `${callee.library.name}: ${callee.path}() is not known`;
      if (!isUnreadCall(state, callee, site)) lose(state, message, source);
      else if (args.every(({ kind }) => kind !== "function")) return unknown(message);
      return callUnknown(state, callee, args, site);
    }
    case "builtin": {
      const own = ofBuiltin(callee, site);
      const result =
        callOfRow(state, callee, args, own) ??
        callBuiltin(state, callee, args, own) ??
        dependentOnReads(callee, shaped(state, callee, args, own), own);
      changedByCall(state, callee, args, site);
      return result;
    }
    case "class":
      return site.isNew ? instance(state, callee, args, site) : unknown("a class is called");
    case "choice":
      tellOther(state, callee, site);
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
      const handle = site.isNew ? undefined : handleOfShape(state, callee, args, site.name);
      if (handle) return callValue(state, handle, args, site);
      // `app.delete(path, handler)` takes nothing out of a set.
      const isHandler = HANDLES.test(site.name) && args.some(({ kind }) => kind === "function");
      const own = isHandler ? undefined : methodOfInput(callee);
      const builtin = own && callBuiltin(state, own, args, ofBuiltin(own, site));
      const result = builtin ?? callUnknown(state, callee, args, site);
      if (own?.self?.kind === "input" && !callee.foreign) setByCall(state, own.self, args, site);
      changedByCall(state, callee, args, site);
      return result;
    }
    default:
      // Rows that became records have accessors by their columns' names.
      if (callee.kind === "scalar" && semanticsOf(state.frame.file).hasAccessors) return callee;
      return shaped(state, callee, args, site);
  }
}

/** Functions that the language's own are given run for their results; forEach gives nothing, map a list, and an effect its promise. */
function ofBuiltin({ name }: Extract<Value, { kind: "builtin" }>, site: CallSite): CallSite {
  if (site.isHeld !== true || /\.(?:forEach|map)$|^Effect\.runPromise/u.test(name)) return site;
  return directly(site);
}

/** True if what fails in a function fails in a promise that it gives: it is async, or hands on the promise of another. */
function givesPromise(
  { workspace }: State,
  { function: hir, scope }: Extract<Value, { kind: "function" }>,
): boolean {
  if (hir.isAsync === true) return true;
  const { hasPromises } = semanticsOf(scope.module.file);
  return hasPromises && workspace.reach.mayReach(hir) && handsOnPromise(hir);
}

/** The same call as one that is awaited. */
function directly({ isHeld: _held, isLeaving: _left, ...site }: CallSite): CallSite {
  return site;
}

/** Says that what is called may be something that nobody knows, where the other thing that it may be runs statements. */
function tellOther(
  state: State,
  { then, otherwise }: Extract<Value, { kind: "choice" }>,
  { name, span }: CallSite,
): void {
  const isOther = ({ kind }: Value): boolean => /^(?:input|external)$/u.test(kind);
  const isOne = (value: Value): boolean => value.kind === "function" && mayRun(state, value);
  if ((isOther(then) && isOne(otherwise)) || (isOther(otherwise) && isOne(then))) {
    lose(state, `${name}() may be something else, which is not known`, sourceOf(state, span));
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
  const [, path, method] =
    /^(.[^\n\r.\u2028\u2029]*\..+)\.(bind|call|apply)$/u.exec(callee.path) ?? [];
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
  // `of.part.save` is asked of a part of which nothing is known.
  const method = name.slice(name.indexOf(".") + 1);
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

/** The shape of a call where the receiver tells nothing: `x.query("SELECT ...")`. */
function shaped(state: State, callee: Value, args: readonly Value[], site: CallSite): Value {
  const handle = site.isNew ? undefined : handleOfShape(state, callee, args, site.name);
  return handle ? callValue(state, handle, args, site) : callUnknown(state, callee, args, site);
}

/** An unknown function does nothing that is known but with what it was given: functions may be run, rows leave. */
function callUnknown(state: State, callee: Value, all: readonly Value[], site: CallSite): Value {
  const { name } = site;
  const source = sourceOf(state, site.span);
  noteStorageRead(state, name, source);
  noteUnknownQuery(state, name, source);
  noteUnknownRow(state, callee, site);
  const kept = oneOfOwn(state, callee, all, site);
  if (kept) return kept;
  notReached(state, site);
  // Whoever is given a promise awaits it, and what it throws is thrown where that is awaited.
  const args = all.map((arg) =>
    site.isHeld === true && swallow(arg) ? unknown("a promise") : settle(state, arg),
  );
  const isOnce = RUNS_ONCE.test(name) || opensByName(name);
  const enumeration = enumerationOf(state, name, args);
  if (enumeration) return enumeration;
  const forItems = runForItems(state, callee, args, { ...site, isOnce });
  if (forItems) return forItems;
  const limited = throughLimiter(state, callee, args, site);
  if (limited) return limited;
  for (const arg of args) {
    escape(state, arg);
    giveAway(state, arg, name);
    if (arg.kind === "handle" ? arg.connection : holdsTransaction(arg)) {
      const message = `${name}() is given a connection, and what it does is not known`;
      lose(state, message, source, "opaque");
    }
  }
  changedByFunction(state, args, site);
  const isTop = isAtTop(state);
  // At the top of a module such functions are wrapped, and run when they are called for: each is a root.
  const callbacks = args
    .filter((arg) => arg.kind === "function")
    .filter((arg) => !isTop || arg.function.isAsync !== true);
  // The result of a cache is asked as the function whose results it keeps.
  const [first] = args;
  if (isTop && first?.kind === "function" && CACHES.test(name)) return first;
  if (!isTop) for (const each of heldFunctions(args)) listen(state, each, args, site);
  const verb = (site.isNew ? MADE_TO_HANDLE : HANDLES).exec(name)?.[1];
  if (verb !== undefined && callbacks.length > 0) {
    // Each runs by itself, when a request or message comes.
    const label = handlerName(verb, args);
    for (const callee of callbacks) {
      state.handlers.push({ name: label, callee });
      if (!isTop) listen(state, callee, args, site);
    }
    return unknown(`${name} is not known`);
  }
  state.handlers.push(...routesIn(name, args));
  if (callbacks.length === 0 && !isTop && !mayRefuseReads(state, args, site)) {
    mayFail(state, name, source);
  }
  const inputFor = handedOn(callee, args, (parameter) => inputOf(state, parameter));
  let result: Value | undefined;
  for (const callback of callbacks) {
    const before = state.emitted;
    const said = callbackArguments(callee, all.indexOf(callback));
    const inputs = callback.function.parameters.map((each, at) => said(each, at) ?? inputFor(each, name)); // prettier-ignore
    // It may keep errors, or try again.
    const run = (): Path =>
      fork(state, () => {
        result = inUnknownTransaction(state, name, source, () =>
          settle(state, callValue(state, callback, inputs, { ...site, isNew: false })),
        );
        return false;
      });
    const path = within(state, { catching: state.catching + 1 }, () =>
      isRetrying(name) ? repeating(state, source, run) : run(),
    );
    const hasStatements = state.emitted > before;
    if (hasStatements) tellRun(state, name, args, source);
    perhaps(state, path, { isSure: hasStatements || isOnce, name, source });
  }
  // The result of a method of something unknown may be all that this came from.
  if (!isOnce && isOfUnknown(callee)) {
    return unknown(
      `${name} is not known`,
      [callee, ...args].flatMap((each) => readsOf(each)),
    );
  }
  // A chain goes on with something of the unknown's own: `match(x).with(1, () => {}).otherwise(f)`.
  if (result && callbacks.length === 1 && (isOnce || result.kind !== "undefined")) {
    return givenBack(result, name);
  }
  if (isTop) return externalResult(state, name, callee, args);
  return asForeign(state, externalResult(state, name, callee, args, ownerOf(callee, args, site)));
}

/** A value that a listener changes is not what it was behind where it is given. */
function listen(
  state: State,
  callee: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  { isHeld: _held, ...site }: CallSite,
): void {
  const inputFor = handedOn(callee, args, (parameter) => inputOf(state, parameter));
  const inputs = (): readonly Value[] =>
    callee.function.parameters.map((each) => inputFor(each, site.name));
  changedByListener(state, callee, site.name, () => {
    settle(state, callValue(state, callee, inputs(), { ...site, isNew: false }));
  });
}

/** An object that the code keeps among others, and that is not told from them, may be any function or object of its own. */
function oneOfOwn(
  state: State,
  callee: Value,
  args: readonly Value[],
  { name, span }: CallSite,
): Value | undefined {
  const isSlot = isGlobalSlot(callee);
  const method = /\.([^.]*)$/u.exec(name)?.[1];
  if (isKept(callee) && method !== undefined && TAKING.has(method)) {
    const reads = [callee, ...args].flatMap(readsOf);
    if (callee.among === "collections") return unknownOfType(callee.items, callee.why, reads);
    return oneOfSeveral(callee.why, reads, callee.among);
  }
  if (!isSlot && !isKept(callee)) return undefined;
  // Methods of collections are the language's.
  if (isKept(callee) && callee.among === "collections") return undefined;
  if (method !== undefined && !state.workspace.reach.isReaching(method)) return undefined;
  const why = isSlot ? "what the global object holds there" : "which of several it is";
  lose(state, `${name}() may use the database: ${why} is not known`, sourceOf(state, span), "opaque"); // prettier-ignore
  return undefined;
}

/** Methods that give what a collection holds. */
const TAKING: ReadonlySet<string> = new Set(["get", "at", "pop", "shift"]);

/** Code that runs SQL in a way that nobody knows is told as what nothing leads to. */
function notReached({ reached }: State, { span }: CallSite): void {
  for (const hir of reached.keys()) if (hir.span === span && runsSql(hir)) reached.delete(hir);
}

function isOfUnknown(callee: Value): boolean {
  // Data is called only where an unknown function made something else of it.
  if (["undefined", "object", "row", "rows", "list", "scalar"].includes(callee.kind)) return true;
  return callee.kind === "unknown" && !callee.dependsOn.every(isInput);
}

/** Follows a function of the workspace. */
function callFunction(
  state: State,
  named: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  site: CallSite,
): Value {
  const semantics = semanticsOf(named.scope.module.file);
  const callee = semantics.hasOverloads ? overloadOf(named, args.length) : named;
  const { function: hir, scope, self } = callee;
  const { file } = scope.module;
  const ofText = functionKey(file, hir);
  const key = callee.made ?? ofText;
  const more = (callee.within ?? []).filter((each) => !state.calls.includes(each));
  const isWork = args.some((arg) => bringsWork(state, arg));
  // The wrapper of a function is not deeper than the function.
  const depth = state.frame.depth + (hir.isArrow || isWork || args.some(hasConnection) ? 0 : 1);
  // A function that runs its argument may be given itself: a transaction that joins the one around it.
  const again = state.calls.filter((each) => each === key).length;
  const { reach } = state.workspace;
  const isFollowedOnce = reach.mayReach(hir) && !isLong(state);
  const most = isWork ? MOST_INSIDE : isFollowedOnce ? 1 : 0;
  const isRecursive = again > most || more.includes(key);
  // Long and without a statement: what it gives is a function of its inputs, which is all that is asked of it.
  const isIdle =
    !semantics.changesArguments &&
    reach.size(hir) > LARGEST_IDLE &&
    !args.some(hasConnection) &&
    !reach.mayReach(hir);
  if (!isWork && !args.some(hasConnection) && isQuietLog(state, callee, site)) return UNDEFINED;
  if (!state.standsAlone && standsAlone(state, callee)) {
    return unfollowedResult(state, callee, callee.name ?? site.name, args);
  }
  const isTooDeep = liesTooDeep(state, hir, depth) || state.calls.length > DEEPEST_OF_ALL;
  if (isRecursive || isTooDeep || isIdle || hir.isGenerator) {
    return notFollowed(state, callee, args, site, isRecursive);
  }
  const idle = isWork ? undefined : idleCall(state, callee, args, site);
  if (idle) return idle;
  if (!isEntry(state, callee, isOwnCall(site))) state.inlined.add(key).add(ofText);
  if (state.open.length + state.stores.size > 0) state.ranInside.add(key);
  state.files.add(file);
  const which = state.ids.fresh("return");
  const target = beginTarget(state, which, which);
  const frame: Frame = {
    file,
    key,
    depth,
    isRoot: false,
    isLazy: hir.isAsync !== true,
    isHeld: hir.isAsync !== true && site.isHeld === true,
    isLeaving: hir.isAsync !== true && site.isLeaving === true,
    which,
    value: state.ids.fresh("returned"),
    returns: [],
    target,
    span: hir.span,
    through: throughCall(state, file, hir.span, callee.name ?? hir.name ?? site.name, site),
    caller: state.frame,
    ...(hir.throws && { declares: hir.throws }),
  };
  const inner = innerScope(scope, hir.isArrow ? undefined : self);
  const source = sourceOf(state, site.span);
  const followed = (commands: readonly Command[]): readonly Command[] => {
    const options = { done: state.ids.fresh("done"), value: frame.value, source };
    const body = withoutReturns({ kind: "sequence", commands }, options);
    return body.kind === "sequence" ? body.commands : [body];
  };
  let left = false;
  const start = startOf(state);
  let behind: readonly Command[] = [];
  const inside = { frame, calls: [...state.calls, ...more, key], loops: state.loops };
  const added = within(state, inside, () =>
    collectCommands(state, () => {
      bindParameters(state, inner, hir, args);
      const run = (): boolean => {
        left = state.evaluator.block(state, inner, hir.body);
        return left;
      };
      const boundary = boundaryOf(state, callee, isOwnCall(site));
      if (boundary) {
        behind = boundary(run, followed);
        return;
      }
      for (const each of followed(collectCommands(state, () => void run()))) emit(state, each);
    }),
  );
  const called = callee.name ?? hir.name ?? site.name;
  const call = { site, callee: hir, name: called, jumps: target.key };
  const mayGoOn = (!left || frame.returns.length > 0) && behind.length === 0;
  if (mayGoOn && asksWhetherItFails(state, added, start, call)) {
    takeJumps(state, target.key);
    return UNDEFINED;
  }
  if (mayGoOn) {
    const answer = outsideAnswer(state, added, start, mergeReturns(frame, left), call);
    if (answer) return answer;
  }
  if (!left) beginJumps(state, target, source);
  for (const command of [...added, ...behind]) emit(state, command);
  endTarget(state, target, left, source);
  const returned = ofReturnType(state, mergeReturns(frame, left), callee);
  const result = hir.isAsync === true && isPending(returned) ? settle(state, returned) : returned;
  const isCalculated = added.every(({ kind }) => kind === "assign");
  return isCalculated ? resultFromOutside(state, result, called) : result;
}

/** True if a call of this depth is not followed: a large function that does nothing, or one of a function that is long already. */
function liesTooDeep(state: State, hir: HirFunction, depth: number): boolean {
  const { reach } = state.workspace;
  if (depth <= DEEPEST) return false;
  if (depth > DEEPEST_AT_DATABASE) return true;
  if (!reach.mayReach(hir)) return reach.size(hir) > LARGEST_DEEP;
  return isLong(state);
}

/** True for a function that has taken so many steps that it is followed no deeper than it has to be. */
function isLong({ budget }: State): boolean {
  return budget < STEPS - MOST_STEPS_WHERE_DEEP;
}

function notFollowed(
  state: State,
  callee: Extract<Value, { kind: "function" }>,
  args: readonly Value[],
  site: CallSite,
  isRecursive: boolean,
): Value {
  const name = callee.name ?? callee.function.name ?? site.name;
  const source = sourceOf(state, site.span);
  // The wrapper of a function runs that.
  const running = [callee, ...broughtBy(state, callee)].filter((each) => mayRun(state, each));
  if (isRecursive && running.length > 0) {
    const over = { kind: "recursion", of: name } as const;
    emit(state, { kind: "loop", id: state.ids.fresh("deeper"), over, body: NOTHING, source });
    return unfollowedResult(state, callee, name, args);
  }
  const why = isRecursive ? "calls itself" : "lies too deep";
  if (args.some((arg) => hasConnection(arg) || bringsWork(state, arg))) {
    lose(state, `${name}() ${why} and is not followed`, source, "opaque");
  } else {
    const kind = !isRecursive && callee.function.isGenerator ? "is a generator" : why;
    const reason = `${name}() ${kind} and is not followed`;
    for (const each of running) {
      const key = each.made ?? functionKey(each.scope.module.file, each.function);
      state.unfollowed.set(key, { effect: "opaque", reason, source });
    }
  }
  for (const arg of args) escape(state, arg);
  return unfollowedResult(state, callee, name, args);
}

/** True if a function may run a statement, itself or by what it was made with. */
function mayRun(
  state: State,
  { function: hir, scope }: Extract<Value, { kind: "function" }>,
): boolean {
  const { reach, leads } = state.workspace;
  if (!reach.mayReach(hir)) return false;
  return scope.parent !== undefined || leads.mayLead(scope.module.file, hir);
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
