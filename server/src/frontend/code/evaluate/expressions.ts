// Evaluates expressions of the code, in the order in which the language does.
import type { Expression } from "../../../program/expression";
import type { Span } from "../../sql/text/split";
import type { HirArgument, HirEntry, HirExpression } from "../hir";
import { databaseCall } from "../callGraph/callSites";
import {
  ABSENT,
  constant,
  constantScalar,
  constantText,
  type ObjectValue,
  oneOfSeveral,
  type Scope,
  type TextPart,
  UNDEFINED,
  unknown,
  unknownItem,
  type Value,
} from "../values";
import { literal } from "../../sql/expressions";
import { compare } from "../../sql/terms";
import { elementAt, next } from "./lists/arrays";
import { lookup } from "./bindings";
import { keep, keepsWhatItMakes, orSingleton, putThere, runsStatements } from "./lazySingletons";
import { givenOr } from "./transactions/optionalClients";
import { mustGoOn } from "./values/optionalChains";
import { isOfChain, nameOf } from "./values/chains";
import { meetType } from "./values/typeMeet";
import { cast } from "./values/absence";
import { conditionOf, expressionOf, readsOf, negate } from "./values/convert";
import { noteWaitedFor, siteOf } from "./calls/resultUse";
import { runPending, notePending } from "./errors/pendingPromises";
import { hasAnyKey } from "./values/fieldNames";
import { moduleAskedFor } from "./calls/dynamicImports";
import { callConstructor, calledMember, outerSelf, writtenIn } from "./calls/javaCalls";
import { fork } from "./fork";
import { merge } from "./merge";
import { operationsIn } from "./lists/operationLists";
import {
  itemOf,
  elementOf,
  memberOf,
  optionalMember,
  PROMISE_METHODS,
  isThere,
} from "./values/member";
import { methodValue, superclassOf } from "./values/methods";
import {
  failsBesideOthers,
  isLaterCall,
  isLaterChain,
  noteHandedOn,
  withLater,
} from "./errors/deferredPromises";
import { knowing } from "./values/presence";
import { binary, choose, lazy, unary, isNullish } from "./values/operators";
import { madeHere } from "./lists/conditionalAppend";
import { bornNow, emit, lose, newCell, sourceOf, write, type State } from "./state";
import { isPending, settle } from "./calls/awaits";
import { taggedValue } from "./calls/shapes";
import { hasProperty, instanceOf, typeName } from "./values/typeTests";
import { noteRead } from "./lists/lastReads";
import { itemsOf, listOf, spreadArguments } from "./lists/collections";
import { keyOf, place } from "./assignment";
import { changedData, movedDate } from "./builtins/dates";
import { IN_PLACE } from "./lists/permutation";
import { spread } from "./values/spread";
import { changedTo, foreignOf } from "./values/foreignValues";
import { nowOf } from "./values/inputParts";
import { writeWhole } from "./values/inputEffects";
import { concatenate, partsOf } from "./values/texts";
import { unknownPart } from "./values/subvalues";

/** How many steps pass until it is asked once more whether to stop. */
const STEPS_BETWEEN = 64;

/** The value of an expression; statements that it runs are added to the state. */
export function evaluateExpression(state: State, scope: Scope, hir: HirExpression): Value {
  state.budget -= 1;
  if (state.budget < 0) return unknown("the function is too large to be followed");
  if (state.budget % STEPS_BETWEEN === 0) state.workspace.pulse();
  const of = (inner: HirExpression): Value => evaluateExpression(state, scope, inner);
  switch (hir.kind) {
    case "literal":
      return hir.value === undefined ? UNDEFINED : constant(hir.value);
    case "text":
      return {
        kind: "text",
        parts: hir.runs.map((run) => ({ kind: "run", run, file: state.frame.file })),
      };
    case "name": {
      const value = lookup(scope, hir.name);
      return nowOf(state, value);
    }
    case "this":
      return selfOf(scope) ?? unknown("this is not known");
    case "super":
      return selfOf(scope) ?? unknown("super is not known");
    case "template":
      return template(state, scope, hir);
    case "member": {
      const outer =
        hir.property === "this" && hir.object.kind === "name"
          ? outerSelf(scope, hir.object.name)
          : undefined;
      if (outer) return outer;
      const object = of(hir.object);
      if (!hir.optional && !isOfChain(hir.object)) {
        return orSingleton(state, scope, hir, memberOf(state, object, hir.property, hir.span));
      }
      if (!hir.optional) mustGoOn(state, hir, object, of);
      return optionalMember(state, object, hir.property, hir.span);
    }
    case "index": {
      const object = of(hir.object);
      const run = (): Value =>
        orSingleton(state, scope, hir, indexAccess(state, object, of(hir.index), hir.span));
      if (!isOfChain(hir)) return run();
      return branches(state, isThere(state, object), run, () => UNDEFINED, hir.span);
    }
    case "call":
      noteReached(state, hir);
      noteHandedOn(state, scope, hir);
      if (!isLaterChain(state, hir)) return call(state, scope, hir);
      return { kind: "deferred", run: () => call(state, scope, hir) };
    case "new": {
      const callee: Value = hir.body ? { kind: "class", class: hir.body, scope } : of(hir.callee);
      const args = argumentsOf(state, scope, hir.arguments);
      return state.evaluator.call(state, callee, args, siteOf(state, hir, true));
    }
    case "binary":
      return binaryOf(state, scope, hir);
    case "unary": {
      const operand = of(hir.operand);
      if (hir.operator === "typeof") return typeOf(state, operand);
      if (hir.operator === "delete") {
        place(state, scope, { kind: "place", place: hir.operand, span: hir.span }, ABSENT);
        return constant(true);
      }
      return unary(state, hir.operator, operand);
    }
    case "conditional":
      return branches(
        state,
        conditionOf(state, of(hir.condition)),
        () => of(hir.then),
        () => of(hir.otherwise),
        hir.span,
      );
    case "object":
      return objectOf(state, scope, hir.entries);
    case "array":
      return arrayOf(state, scope, hir.items);
    case "function": {
      const self = hir.function.isArrow ? selfOf(scope) : undefined;
      return { kind: "function", function: hir.function, scope, ...(self && { self }) };
    }
    case "class":
      return { kind: "class", class: hir.class, scope };
    case "assign":
      return assign(state, scope, hir);
    case "increment": {
      const before = of(hir.target);
      const after = binary(state, hir.operator, before, constant(1));
      place(state, scope, { kind: "place", place: hir.target, span: hir.span }, after);
      return hir.isPrefix ? after : before;
    }
    case "await":
      noteWaitedFor(state, hir.operand);
      return settle(state, of(hir.operand));
    case "sequence":
      return hir.parts.map(of).at(-1) ?? UNDEFINED;
    case "choose":
      return chooseCase(state, scope, hir);
    case "typed": {
      const value = of(hir.operand);
      return value.kind === "input"
        ? cast(value, hir.type)
        : meetType(state, value, hir.type, scope);
    }
    case "unknown": {
      const parts = hir.parts.map(of);
      return unknown(
        `${hir.what} is not understood`,
        parts.flatMap((part) => readsOf(part)),
      );
    }
    default:
      return hir satisfies never;
  }
}

/** `this` of a scope. */
export function selfOf(scope: Scope): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) if (at.self) return at.self;
  return undefined;
}

/** Evaluates one of two expressions; statements in them stand in branches. */
export function branches(
  state: State,
  condition: Expression,
  then: () => Value,
  otherwise: () => Value,
  span: Span,
): Value {
  if (condition.kind === "literal") return condition.value === true ? then() : otherwise();
  let first: Value = UNDEFINED;
  let second: Value = UNDEFINED;
  const one = fork(state, () => {
    knowing(state, condition, true);
    first = then();
    return false;
  });
  const other = fork(state, () => {
    knowing(state, condition, false);
    second = otherwise();
    return false;
  });
  const source = sourceOf(state, span);
  merge(state, condition, one, other, source);
  if (one.commands.length + other.commands.length > 0) {
    emit(state, {
      kind: "if",
      condition,
      then: { kind: "sequence", commands: one.commands },
      ...(other.commands.length > 0 && {
        otherwise: { kind: "sequence", commands: other.commands },
      }),
      source,
    });
  }
  return choose(condition, first, second);
}

/** The arguments of a call; known lists are spread. */
export function argumentsOf(state: State, scope: Scope, args: readonly HirArgument[]): Value[] {
  return args.flatMap(({ value: hir, isSpread }) => {
    if (hir.kind === "call") notePending(state, hir);
    const value = evaluateExpression(state, scope, hir);
    return isSpread ? spreadArguments(value) : [value];
  });
}

function listPart(state: State, value: Value, known: readonly Value[] | undefined): Value {
  return known ? listOf(state, known) : value;
}

/** A list whose items are made when they are asked for, all of it or what loops added. */
function isMadeLater(value: Value): boolean {
  const added = value.kind === "list" ? value.grown.value : value;
  return added?.kind === "derived" || (value.kind === "list" && added?.kind === "joined");
}

/** `[a, ...b]`. What is made when it is asked for keeps its place. Of several other lists, where one is not known, an item is not told from the others. */
function arrayOf(state: State, scope: Scope, items: readonly HirArgument[]): Value {
  const values = items.map(({ value: hir, isSpread }) => ({
    value: evaluateExpression(state, scope, hir),
    isSpread,
  }));
  const known = values.map(({ value, isSpread }) =>
    isSpread ? (itemsOf(value) ?? operationsIn(value)) : [value],
  );
  const all = known.flatMap((each) => each ?? []);
  const [only] = values;
  const isSet = only?.value.kind === "list" && only.isSpread && only.value.isOnce === true;
  const ofSet = values.length === 1 && isSet && ({ isOnce: true } as const);
  if (only && values.length === 1 && !known[0]) {
    if (only.value.kind !== "list") return only.value;
    const copy = listOf(state, []);
    write(state, copy.grown, only.value.grown.value);
    return { ...copy, ...ofSet };
  }
  if (values.some(({ value }, at) => !known[at] && isMadeLater(value))) {
    return {
      kind: "joined",
      parts: values.map(({ value }, at) => listPart(state, value, known[at])),
    };
  }
  const list = madeHere(state, listOf(state, all));
  const others = values.flatMap(({ value }, at) => (known[at] ? [] : [value]));
  if (others.length > 0) {
    const reads = [...others, ...all].flatMap((each) => readsOf(each));
    write(state, list.grown, unknownItem("an item of several lists", reads));
  }
  return { ...list, ...ofSet };
}

function template(
  state: State,
  scope: Scope,
  hir: Extract<HirExpression, { kind: "template" }>,
): Value {
  const values = hir.values.map((value) => evaluateExpression(state, scope, value));
  const pieces = hir.texts.map((runs, at): readonly [Value, Value | undefined] => {
    const parts = runs.map((run): TextPart => ({ kind: "run", run, file: state.frame.file }));
    return [{ kind: "text", parts }, values[at]];
  });
  if (!hir.tag) {
    return pieces
      .flatMap((piece) => piece.filter((each) => each !== undefined))
      .reduce(concatenate, { kind: "text", parts: [] });
  }
  const parts = pieces.flatMap(([run, value]): readonly TextPart[] => {
    return value ? [...partsOf(run), { kind: "hole", value }] : partsOf(run);
  });
  const text: Value = { kind: "text", parts };
  const tag = evaluateExpression(state, scope, hir.tag);
  const source = sourceOf(state, hir.span);
  const own = taggedValue(state, tag, { text, values, source }, nameOf(hir.tag));
  // A call that nobody knows is told as what nothing leads to.
  if (own || tag.kind === "handle" || tag.kind === "function") noteReached(state, hir);
  if (own) return own;
  return unknown(
    "a tagged template is not understood",
    values.flatMap((value) => readsOf(value)),
  );
}

/** `object[index]`. */
export function indexAccess(state: State, of: Value, index: Value, span: Span): Value {
  const object = changedTo(of) ?? of;
  const text = constantText(index);
  if (text !== undefined) return memberOf(state, object, text, span);
  const number = constantScalar(index);
  if (typeof number === "number") {
    if (object.kind === "object" || object.kind === "handle") {
      return memberOf(state, object, String(number), span);
    }
    return itemOf(state, object, number);
  }
  const at = expressionOf(state, index);
  if (object.kind === "list") return elementAt(state, object, at, span);
  if (object.kind === "input") {
    return elementOf(object, next(at));
  }
  const entries = entriesOf(object);
  if (entries.length > 0 && entries.length <= MOST_KEYS) {
    // One of the record's fields, or of the list's items, by the key.
    const last = object.kind === "object" ? (object.rest ?? UNDEFINED) : UNDEFINED;
    return entries.reduceRight(
      (otherwise: Value, { key, value }) =>
        choose(compare("=", at, literal(key)), value, otherwise),
      last,
    );
  }
  if (entries.some(({ value }) => mayRun(state, value))) {
    lose(state, "which of many functions is meant is not known", sourceOf(state, span), "opaque");
  }
  return unknownPart(object, "an element by a computed key is not known", [at, ...readsOf(object)]);
}

/** The keys and values of a record, where all that were written are known. */
function entriesOf(value: Value): readonly { readonly key: string; readonly value: Value }[] {
  if (value.kind !== "object" || hasAnyKey(value)) return [];
  noteRead(value.fields);
  return [...value.fields].flatMap(([key, { value: field }]) =>
    field ? [{ key, value: field }] : [],
  );
}

/** True if a value is a function that may run a statement. */
function mayRun({ workspace }: State, value: Value): boolean {
  return value.kind === "function" && workspace.reach.mayReach(value.function);
}

const MOST_KEYS = 16;

/** Calls that no function reaches are told apart from those that some function does. */
function noteReached({ reached, frame }: State, hir: HirExpression): void {
  if (!reached.has(hir) && databaseCall(hir) !== undefined) reached.set(hir, frame.file);
}

function call(state: State, scope: Scope, hir: Extract<HirExpression, { kind: "call" }>): Value {
  const { callee } = hir;
  if (callee.kind === "member") {
    const object = evaluateExpression(state, scope, callee.object);
    const run = (self: Value): Value => {
      const method =
        callee.object.kind === "super"
          ? superMethod(state, scope, callee)
          : calledMember(state, self, callee.property, callee.span);
      const args = argumentsOf(state, scope, hir.arguments);
      const result = callNowOrLater(state, hir, method, args);
      if (IN_PLACE.has(callee.property) && isPlace(callee.object)) {
        // A list that only says how it is made does not change itself.
        const isMade = result.kind === "derived" && result.how === "order";
        if (isMade)
          place(state, scope, { kind: "place", place: callee.object, span: hir.span }, result);
      }
      const moved = movedDate(state, self, callee.property, args);
      const date = moved && foreignOf(self);
      if (date) write(state, date.now, moved);
      else if (moved && isPlace(callee.object)) {
        // A part of an argument that has a name of its own is still that part.
        if (self.kind === "input" && self.path.includes(".")) writeWhole(state, self, moved);
        place(state, scope, { kind: "place", place: callee.object, span: hir.span }, moved);
      }
      const data = moved ? undefined : changedData(self, callee.property, args);
      if (data) place(state, scope, { kind: "place", place: callee.object, span: hir.span }, data);
      keep(state, scope, hir, args[1] ?? UNDEFINED);
      return moved ?? orSingleton(state, scope, hir, result);
    };
    const isAsked = callee.optional || hir.optional;
    // Where there is nothing, there is nothing behind a promise of it.
    const isPromised = PROMISE_METHODS.has(callee.property) && isPending(object);
    if (!isAsked && (isPromised || !isOfChain(callee.object))) return run(object);
    return branches(
      state,
      isThere(state, object),
      () => run(object),
      () => UNDEFINED,
      hir.span,
    );
  }
  if (callee.kind === "super" || callee.kind === "this") {
    const given = argumentsOf(state, scope, hir.arguments);
    return callConstructor(state, selfOf(scope), callee.kind, given, siteOf(state, hir, false));
  }
  const asked = moduleAskedFor(state, scope, hir);
  if (asked) return asked;
  const value = evaluateExpression(state, scope, callee);
  const args = argumentsOf(state, scope, hir.arguments);
  return callNowOrLater(state, hir, value, args);
}

function isPlace({ kind }: HirExpression): boolean {
  return kind === "name" || kind === "member";
}

function callNowOrLater(
  state: State,
  hir: Extract<HirExpression, { kind: "call" }>,
  callee: Value,
  args: readonly Value[],
): Value {
  const run = (): Value =>
    state.evaluator.call(state, callee, withLater(state, hir, args), siteOf(state, hir, false));
  if (isLaterCall(state, hir, callee)) return { kind: "deferred", run };
  const isLeft = callee.kind === "handle" && state.callUses.leaving.has(hir);
  const isHeldHere = isLeft || failsBesideOthers(state, hir, callee);
  return isHeldHere ? runPending(state, sourceOf(state, hir.span), run, isLeft) : run();
}

function superMethod(
  state: State,
  scope: Scope,
  { property: name, span }: Extract<HirExpression, { kind: "member" }>,
): Value {
  const self = selfOf(scope);
  if (self?.kind !== "object" || !self.class) return unknown("super is not known");
  const parent = superclassOf(writtenIn(state, self.class, span));
  const inherited = parent && methodValue(state, self, name, parent);
  if (inherited) return inherited;
  return self.rest
    ? memberOf(state, self.rest, name, { start: 0, end: 0 })
    : unknown(`${name} of a class that is not known`);
}

function binaryOf(
  state: State,
  scope: Scope,
  hir: Extract<HirExpression, { kind: "binary" }>,
): Value {
  const { operator } = hir;
  const left = evaluateExpression(state, scope, hir.left);
  if (operator === "instanceof")
    return instanceOf(state, left, evaluateExpression(state, scope, hir.right));
  if (operator !== "&&" && operator !== "||" && operator !== "??") {
    const right = evaluateExpression(state, scope, hir.right);
    const name = operator === "in" ? keyOf(left) : undefined;
    const has = name === undefined ? undefined : hasProperty(state, right, name);
    return has ?? binary(state, operator, left, right);
  }
  const test = operator === "??" ? negate(isNullish(state, left)) : conditionOf(state, left);
  if (test.kind === "literal") {
    const isDecided = (test.value === true) === (operator !== "&&");
    return isDecided ? left : evaluateExpression(state, scope, hir.right);
  }
  let right: Value = UNDEFINED;
  const path = fork(state, () => {
    knowing(state, test, operator !== "||");
    right = evaluateExpression(state, scope, hir.right);
    return false;
  });
  const isMaking = operator !== "&&" && !runsStatements(path);
  if (isMaking && keepsWhatItMakes(state, scope, hir, left, right)) {
    return putThere(state, scope, hir.right, evaluateExpression(state, scope, hir.right));
  }
  if (path.commands.length === 0 && path.written.size === 0) {
    const given = operator === "&&" ? undefined : givenOr(state, left, right);
    return given ?? lazy(state, operator, left, right);
  }
  const goesOn = operator === "&&" ? test : negate(test);
  return branches(
    state,
    goesOn,
    () => evaluateExpression(state, scope, hir.right),
    () => left,
    hir.span,
  );
}

function typeOf(state: State, value: Value): Value {
  return typeName(state, value) ?? unknown("what typeof gives", readsOf(value));
}

function objectOf(state: State, scope: Scope, entries: readonly HirEntry[]): Value {
  let made: ObjectValue = { kind: "object", fields: new Map(), born: bornNow(state) };
  for (const entry of entries) {
    if (entry.kind === "spread") {
      made = spread(state, made, evaluateExpression(state, scope, entry.value));
      continue;
    }
    const { key } = entry;
    const name = typeof key === "string" ? key : keyOf(evaluateExpression(state, scope, key));
    const value = evaluateExpression(state, scope, entry.value);
    if (name === undefined)
      made = { ...made, rest: oneOfSeveral("a computed key", readsOf(value)) };
    else made.fields.set(name, newCell(state, value));
  }
  return made;
}

function assign(
  state: State,
  scope: Scope,
  hir: Extract<HirExpression, { kind: "assign" }>,
): Value {
  const { operator, target } = hir;
  if (operator === undefined) {
    const value = evaluateExpression(state, scope, hir.value);
    place(state, scope, target, value);
    return value;
  }
  const read: HirExpression | undefined =
    target.kind === "place"
      ? target.place
      : target.kind === "bind"
        ? { kind: "name", name: target.name, span: target.span }
        : undefined;
  if (read === undefined) return unknown("this assignment is not understood");
  const value = binaryOf(state, scope, {
    kind: "binary",
    operator,
    left: read,
    right: hir.value,
    span: hir.span,
  });
  place(state, scope, target, value);
  return value;
}

function chooseCase(
  state: State,
  scope: Scope,
  hir: Extract<HirExpression, { kind: "choose" }>,
): Value {
  const subject = evaluateExpression(state, scope, hir.subject);
  const from = (at: number): Value => {
    const each = hir.cases[at];
    if (!each) return UNDEFINED;
    const run = (): Value => {
      if (each.value) return evaluateExpression(state, scope, each.value);
      state.evaluator.block(state, scope, each.body);
      return UNDEFINED;
    };
    if (each.tests.length === 0) return run();
    const test = each.tests
      .map((value) => binary(state, "===", subject, evaluateExpression(state, scope, value)))
      .map((value) => conditionOf(state, value))
      .reduce((left, right) => ({ kind: "or", operands: [left, right] }));
    return branches(state, test, run, () => from(at + 1), hir.span);
  };
  return from(0);
}

/** Runs something where a value counts as true. */
export function when(state: State, test: Value, span: Span, run: () => void): void {
  const condition = conditionOf(state, test);
  const then = (): Value => {
    run();
    return UNDEFINED;
  };
  branches(state, condition, then, () => UNDEFINED, span);
}
