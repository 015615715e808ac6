// Results of the languages' own functions: of numbers, texts, lists, promises. What is not listed is a function of its
// inputs whose value is not known.
import { literal } from "../../../sql/expressions";
import type { Expression } from "../../../../program/expression";
import { dictionary } from "../../../../protocol/dictionary";
import {
  type Cell,
  constant,
  constantScalar,
  constantText,
  oneOfSeveral,
  scalar,
  textOf,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import { isInput } from "../../roots/provenance";
import { conditionOf, expressionOf, readsOf } from "../values/convert";
import { reducedParts } from "../lists/fragments";
import { itemsOf, listOf, recordOf, spreadArguments } from "../lists/collections";
import { boundTo } from "../calls/callbacks";
import {
  chosenOnce,
  contains,
  findItem,
  foundAt,
  quantify,
  runForEach,
} from "../lists/listQuestions";
import { arrayFrom, CONTAINERS } from "../lists/containers";
import { fieldsAs } from "../values/absentFields";
import { searchedItem } from "../lists/rowSearch";
import { settle } from "../calls/awaits";
import { caughtBy, thenOr } from "../errors/rejections";
import { filledAt } from "../lists/accumulation";
import { isUndoneWhole } from "../errors/pendingPromises";
import { awaitAll, firstOf, roundsOf } from "../errors/promiseAll";
import { isPlain } from "../calls/outerEffects";
import { eachItem, rowsAsLoop } from "../lists/iteration";
import { newArray } from "../lists/arrays";
import { binary, condition, overChoice } from "../values/operators";
import { callWithItem, fillingOf } from "../lists/items";
import { allSettled, swallowing } from "../errors/allSettled";
import { mayFail } from "../errors/failures";
import { lengthOf, memberOf } from "../values/member";
import { fewItemsOf } from "../lists/longLists";
import { truthFromOutside, valueFromOutside } from "../values/outside";
import { writtenParts } from "../values/inputParts";
import { inputsOf } from "../values/callInputs";
import { asForeign, callOf, moduleOf } from "../values/foreignValues";
import { newCell, sourceOf, write, type CallSite, type State } from "../state";
import { emitThrow } from "../errors/exceptionFlow";
import { flatten, PERMUTATIONS } from "../lists/permutation";
import { assignAll } from "../values/spread";
import { concatenate } from "../values/texts";
import { JAVA_MAPS } from "../lists/javaMaps";
import { semanticsOf } from "../../semantics";
import { unknownPart } from "../values/subvalues";
import { DATES } from "./dates";
import { DATE_PACKAGES, movedMoment } from "./datePackages";
import { ASSERTIONS } from "./assertions";
import { documentOfText, textOfDocument } from "./documents";
import { EFFECT } from "./effect";
import { ERRORS_AS_VALUES } from "./errorsAsValues";
import { NUMBERS } from "./numbers";
import { trim } from "./trimming";
import { TAGGED_BUILTINS } from "./taggedBuiltins";
import { JAVA_BUILTINS } from "./javaBuiltins";
import { anywhere, lists, methods, aliases, type Builtin, type BuiltinCall } from "./builtin";
import { ASYNC_STORAGE, storageContent } from "./asyncStorage";

/** Makes the pair of an item's index and the item. */
const ENTRY = "isolens entry";

/** A function with its first arguments. */
const BOUND = "isolens bound";

const first: Builtin = ({ args }) => args[0] ?? UNDEFINED;
const itself: Builtin = ({ self }) => self;
const nothing: Builtin = () => UNDEFINED;

/** Characters from which on two random ids are taken to differ. */
const LONG_ID = 10;

/** Functions by name; methods by the kind of their receiver and their name. */
const BUILTINS = dictionary<Builtin>({
  ...aliases("BigInt structuredClone Object.freeze Promise.resolve hono.createRoute", first),
  ...NUMBERS,
  ...ASSERTIONS,
  ...aliases("Integer.valueOf Integer.parseInt Long.valueOf Long.parseLong Double.valueOf", first),
  ...aliases("Double.parseDouble BigDecimal.valueOf BigInteger.valueOf", first),
  // JavaScript's Prisma and Java are given a number or the text of one.
  BigDecimal: (call) => {
    const given = first(call);
    const text = given.kind === "text" ? (constantText(given) ?? "").trim() : "";
    return /^[+-]?\d+(?:\.\d+)?$/u.test(text) ? constant(Number(text)) : given;
  },
  ...aliases("Objects.requireNonNull Timestamp.valueOf Integer Long Double", first),
  String: ({ args }) => args[0] ?? textOf(""),
  Boolean: ({ state, args }) => condition(conditionOf(state, args[0] ?? UNDEFINED)),
  "Math.round": ({ state, args }) => pure(state, "round", args),
  "Math.floor": ({ state, args }) => pure(state, "floor", args),
  "Math.ceil": ({ state, args }) => pure(state, "ceil", args),
  "Math.trunc": ({ state, args }) => pure(state, "trunc", args),
  "Math.abs": ({ state, args }) => pure(state, "abs", args),
  ...aliases("Math.max Integer.max Long.max", ({ state, args }) => pure(state, "greatest", args)),
  ...aliases("Math.min Integer.min Long.min", ({ state, args }) => pure(state, "least", args)),
  ...aliases("Math.random Random.nextInt ThreadLocalRandom.current", ({ state }) =>
    fresh(state, "random"),
  ),
  // A maker of ids; short ones may meet.
  "nanoid.customAlphabet": ({ args: [, length] }) => {
    const size = length === undefined ? 21 : constantScalar(length);
    const isLong = typeof size === "number" && size >= LONG_ID;
    return { kind: "builtin", name: isLong ? "crypto.randomUUID" : "nanoid.short" };
  },
  "nanoid.short": ({ state }) => valueFromOutside(state, "randomId"),
  ...aliases("crypto.randomUUID UUID.randomUUID", ({ state }) => fresh(state, "uuid")),
  // Made to be filled with what is new each time: ids, salts, keys.
  ...aliases("Uint8Array Uint16Array Uint32Array Buffer.alloc Buffer.allocUnsafe", ({ state }) =>
    asForeign(state, valueFromOutside(state, "bytes")),
  ),
  ...aliases("crypto.randomBytes", ({ state, args: [length] }) => {
    const size = constantScalar(length);
    const isLong = typeof size === "number" && size >= LONG_ID;
    return isLong ? fresh(state, "uuid") : valueFromOutside(state, "crypto.randomBytes");
  }),
  // The rest of the function does not run, as behind an error.
  ...aliases("process.exit System.exit Runtime.exit", ({ state, site }) => thrown(state, site)),
  "Promise.all": ({ state, args, site }) => all(state, args[0] ?? UNDEFINED, site),
  ...aliases("Promise.race Promise.any", ({ state, args: [list = UNDEFINED], site }) =>
    firstOf(state, list, sourceOf(state, site.span)),
  ),
  "Promise.allSettled": ({ state, args: [list = UNDEFINED], site }) =>
    allSettled(state, list, site) ?? all(state, list, site, swallowing),
  Promise: promise,
  "Promise.reject": ({ state, site }) => thrown(state, site),
  "Object.assign": ({ state, args }) => assignAll(state, args),
  // The entries of a form or of parameters; what is not known of a list is not known of its record.
  "Object.fromEntries": ({ args: [from = UNDEFINED] }) =>
    from.kind === "input" ? from : unknown("a record of entries is not known", readsOf(from)),
  "Object.keys": ({ state, args }) => fieldsAs(state, args[0], "keys"),
  "Object.values": ({ state, args }) => fieldsAs(state, args[0], "values"),
  "Object.entries": ({ state, args }) => fieldsAs(state, args[0], "entries"),
  "Array.isArray": ({ state, args }) => isArray(state, args[0] ?? UNDEFINED),
  "Array.from": ({ state, args: [from = UNDEFINED, by], site }) => mapped(state, from, by, site),
  ...aliases("Arrays.asList List.of", ({ state, args }) => listOf(state, args)),
  ...aliases("Array ArrayList", ({ state, args, site }) => {
    const [type] = site.typeArguments;
    const [length] = args;
    if (site.name === "Array" && type !== undefined && length !== undefined) {
      return newArray(state, length, type);
    }
    return arrayFrom(state, args);
  }),
  ...aliases("isNaN", ({ state, args: [value = UNDEFINED] }) =>
    value.kind === "scalar" ? constant(false) : pure(state, "isNaN", [value]),
  ),
  ...aliases("setTimeout setInterval setImmediate queueMicrotask", ({ state, args, site }) =>
    runsLater(state, args, site),
  ),
  ...aliases(
    "Error TypeError RangeError RuntimeException IllegalStateException IllegalArgumentException Exception",
    ({ state, args }) => recordOf(state, { message: args[0] ?? textOf("") }),
  ),

  // Texts.
  "text.trim": trim,
  ...aliases("scalar.trim input.trim", ({ state, self }) => pure(state, "trim", [self])),
  ...aliases("text.toString text.valueOf text.intern", itself),
  ...DATES,
  "scalar.toString": written,
  ...aliases(
    "scalar.intValue scalar.longValue scalar.doubleValue scalar.toISOString scalar.toBigInt",
    itself,
  ),
  ...aliases(
    "scalar.orElse scalar.orElseThrow input.toString input.valueOf input.toNumber",
    itself,
  ),
  // Java's that hold one thing, and what holds one for each key.
  "scalar.get": (call) => (call.args.length === 0 ? call.self : ofReceiver(call)),
  ...aliases("input.intValue input.longValue input.doubleValue", itself),
  ...aliases("scalar.toFixed input.toFixed", ({ state, self, args }) =>
    pure(state, "round", [self, ...args]),
  ),
  ...aliases("text.concat", ({ self, args }) => args.reduce(concatenate, self)),
  ...aliases("text.toLowerCase scalar.toLowerCase input.toLowerCase", ({ state, self }) =>
    pure(state, "lower", [self]),
  ),
  ...aliases("text.toUpperCase scalar.toUpperCase input.toUpperCase", ({ state, self }) =>
    pure(state, "upper", [self]),
  ),
  ...methods("equals isEqual eq equalTo", ({ state, self, args }) =>
    binary(state, "===", self, args[0] ?? UNDEFINED),
  ),
  ...methods(
    "plus add",
    (call) => movedMoment(call, 1) ?? binary(call.state, "+", call.self, call.args[0] ?? UNDEFINED),
  ),
  ...methods(
    "minus subtract sub",
    (call) =>
      movedMoment(call, -1) ?? binary(call.state, "-", call.self, call.args[0] ?? UNDEFINED),
  ),
  ...methods("times multiply mul multipliedBy", ({ state, self, args }) =>
    binary(state, "*", self, args[0] ?? UNDEFINED),
  ),
  ...methods("div divide dividedBy", ({ state, self, args }) =>
    binary(state, "/", self, args[0] ?? UNDEFINED),
  ),
  ...methods("negate negated", ({ state, self }) => binary(state, "-", constant(0), self)),
  ...methods("lt lessThan isLessThan", ({ state, self, args }) =>
    binary(state, "<", self, args[0] ?? UNDEFINED),
  ),
  ...methods("lte lessThanOrEqualTo isLessThanOrEqualTo", ({ state, self, args }) =>
    binary(state, "<=", self, args[0] ?? UNDEFINED),
  ),
  ...methods("gt greaterThan isGreaterThan", ({ state, self, args }) =>
    binary(state, ">", self, args[0] ?? UNDEFINED),
  ),
  ...methods("gte greaterThanOrEqualTo isGreaterThanOrEqualTo", ({ state, self, args }) =>
    binary(state, ">=", self, args[0] ?? UNDEFINED),
  ),
  ...methods("compareTo cmp comparedTo", ({ state, self, args }) =>
    // Only its sign means anything.
    binary(state, "-", self, args[0] ?? UNDEFINED),
  ),
  ...methods("isZero", ({ state, self }) => binary(state, "===", self, constant(0))),
  ...methods("isNegative", ({ state, self }) => binary(state, "<", self, constant(0))),

  // Lists and rows.
  ...lists("at get", ({ state, self, args, site }) => {
    const name = self.kind === "input" ? constantText(args[0]) : undefined;
    // A form, headers, parameters of an address.
    if (name !== undefined) return memberOf(state, self, name, site.span);
    const known = args[0]?.kind === "scalar" ? args[0].expression : undefined;
    const filling = self.kind === "list" ? fillingOf(self) : undefined;
    if (known && filling?.kind === "derived")
      return filledAt(state, filling, known, sourceOf(state, site.span));
    const isLast = known?.kind === "literal" && known.value === -1;
    const last = isLast ? searchedItem(state, self, "last") : undefined;
    if (last) return last;
    if (known?.kind !== "literal" || typeof known.value !== "number" || known.value < 0) {
      return unknownPart(self, "an element by a computed index is not known", readsOf(self));
    }
    return memberOf(state, self, String(known.value), site.span);
  }),
  ...lists("size", ({ state, self }) => lengthOf(state, self)),
  ...lists("isEmpty", ({ state, self }) =>
    binary(state, "===", lengthOf(state, self), constant(0)),
  ),
  ...lists("map", ({ state, self, args, site }) => mapped(state, self, args[0], site)),
  ...lists("flatMap", ({ state, self, args, site }) =>
    flatten(state, mapped(state, self, args[0], site)),
  ),
  ...lists("filter", ({ state, self, args, site }) => filtered(state, self, args[0], site)),
  ...lists("forEach", ({ state, self, args, site }) => {
    const [callee] = args;
    if (callee)
      eachItem(
        state,
        self,
        site.span,
        (item, index) => void settle(state, callWithItem(state, callee, item, index, site)),
      );
    return UNDEFINED;
  }),
  ...lists("entries", ({ state, self, site }) => numbered(state, self, site)),
  [ENTRY]: ({ state, args }) => listOf(state, [args[1] ?? UNDEFINED, args[0] ?? UNDEFINED]),
  ...lists("reduce", ({ state, self, args, site }) => reduced(state, self, args, site)),
  ...lists("some", ({ state, self, args, site }) => quantify(state, self, args[0], site, true)),
  ...lists("every", ({ state, self, args, site }) => quantify(state, self, args[0], site, false)),
  ...lists("find", ({ state, self, args, site }) => findItem(state, self, args[0], site)),
  ...lists("findLast", ({ state, self, args, site }) =>
    findItem(state, self, args[0], site, "last"),
  ),
  ...lists("findIndex", ({ state, self, args, site }) => foundAt(state, self, args[0], site)),
  ...lists("findLastIndex", ({ state, self, args, site }) =>
    foundAt(state, self, args[0], site, "last"),
  ),
  ...lists("includes contains has", ({ state, self, args }) =>
    contains(state, self, args[0] ?? UNDEFINED),
  ),
  ...lists("stream toList collect toArray values", itself),
  ...PERMUTATIONS,
  ...methods(
    "startsWith endsWith indexOf lastIndexOf charAt charCodeAt codePointAt substring substr padStart padEnd " +
      "repeat match replace replaceAll split normalize trimStart trimEnd localeCompare search",
    ofReceiver,
  ),
  ...aliases("text.slice scalar.slice text.includes scalar.includes text.test", ofReceiver),
  ...aliases("object.hasOwnProperty", () => unknown("whether it has a property")),
  ...aliases("object.toString text.length", ({ state, self }) => pure(state, "text", [self])),

  // Promises.
  ...anywhere("then", ({ state, self, args: [next, handler], site }) => {
    if (next && handler) return thenOr(state, self, [next, handler], site);
    if (handler) return caughtBy(state, self, handler, site);
    const value = settle(state, self);
    return next ? settle(state, state.evaluator.call(state, next, [value], site)) : value;
  }),
  ...anywhere("catch", ({ state, self, args: [handler], site }) =>
    handler ? caughtBy(state, self, handler, site) : settle(state, self),
  ),
  ...anywhere("finally", ({ state, self, args, site }) => {
    const value = settle(state, self);
    if (args[0]) state.evaluator.call(state, args[0], [], site);
    return value;
  }),
  ...aliases("function.call", ({ state, self, args: [on, ...args], site }) =>
    state.evaluator.call(state, boundTo(self, on), args, site),
  ),
  ...CONTAINERS,
  ...TAGGED_BUILTINS,
  ...ERRORS_AS_VALUES,
  ...EFFECT,
  ...ASYNC_STORAGE,
  ...DATE_PACKAGES,
  ...aliases("function.bind", ({ state, self, args: [on, ...args] }) => {
    const bound = boundTo(self, on);
    return args.length === 0
      ? bound
      : { kind: "builtin", name: BOUND, self: listOf(state, [bound, ...args]) };
  }),
  [BOUND]: ({ state, self, args, site }) => {
    const [callee = UNDEFINED, ...given] = itemsOf(self) ?? [];
    return state.evaluator.call(state, callee, [...given, ...args], site);
  },
  ...aliases("function.apply", ({ state, self, args: [on, list = UNDEFINED], site }) =>
    state.evaluator.call(state, boundTo(self, on), spreadArguments(list), site),
  ),
});

/** Names under which nothing happens that a transaction could notice. */
const SILENT =
  /^(?:console|logger|log|JSON|Thread|System\.out|System\.err|process(?!\.(?:exit|env|argv)\b))\b/u;

/** Result of a call of a function of the language; undefined where it is none that is known. */
export function callBuiltin(
  state: State,
  callee: Extract<Value, { kind: "builtin" }>,
  args: readonly Value[],
  site: CallSite,
): Value | undefined {
  if (SILENT.test(callee.name)) {
    const isText = callee.name.startsWith("JSON.");
    if (callee.name === "JSON.parse") mayFail(state, callee.name, sourceOf(state, site.span));
    if (!isText && args.some(({ kind }) => kind === "function"))
      return runsLater(state, args, site);
    const [given = UNDEFINED] = args;
    if (callee.name === "JSON.parse") return documentOfText(state, given);
    return isText ? textOfDocument(given) : nothing({ state, self: UNDEFINED, args, site });
  }
  const isJava = semanticsOf(state.frame.file).family === "java";
  const builtin =
    (isJava ? (JAVA_MAPS[callee.name] ?? JAVA_BUILTINS[callee.name]) : undefined) ??
    BUILTINS[callee.name];
  const self = callee.self ?? UNDEFINED;
  return builtin
    ? builtin({ state, self, args, site })
    : storageContent(callee.name, { state, self, site });
}

function fresh(state: State, why: "uuid" | "random"): Value {
  const type = why === "uuid" ? "text" : "decimal";
  return scalar({ kind: "fresh", id: state.ids.fresh("f"), type, why }, type);
}

/** A function of its arguments that has no effect. */
export function pure(state: State, name: string, args: readonly Value[]): Value {
  const inputs = args.map((arg) => expressionOf(state, arg));
  return scalar({ kind: "call", name, arguments: inputs, deterministic: true });
}

/** Names of functions that give something new with each call, however long it is asked to be. */
const MAKES_NEW =
  /random|uuid|nano_?id|cuid|ulid|unique|generat|token|secret|salt|nonce|otp$|Id$|\bid$/iu;

/** Functions that make the same thing of the same each time, also of nothing. */
const MAKES_ALIKE =
  /(?:^|\.)create(?:Hash|Hmac)$|^(?:URL|URLSearchParams|Headers|FormData|TextEncoder|TextDecoder)$/u;

/** Result of an unknown function without effects: a function of what it was given, and of what it is a method of. */
export function externalResult(
  state: State,
  name: string,
  callee: Value,
  given: readonly Value[],
  of?: Value,
): Value {
  const checked = checkedInput(state, name, given);
  if (checked) return checked;
  const args = of ? [of, ...given] : given;
  const reads = args.flatMap((arg) =>
    [arg, ...writtenParts(state, arg)].flatMap((each) => readsOf(each)),
  );
  if (!reads.every(isInput)) return unknown(`${name} is not known`, reads);
  // Each call may give another value.
  if (reads.length === 0 && !MAKES_ALIKE.test(name)) return valueFromOutside(state, name);
  if (MAKES_NEW.test(name) && reads.every(({ kind }) => kind === "literal")) {
    return valueFromOutside(state, name);
  }
  const inputs = given.flatMap((arg) => {
    const own = inputsOf(state, arg);
    return own.length > 0 || arg.kind !== "external" ? own : [literal(arg.name)];
  });
  const all = of ? [...inputsOf(state, of), ...inputs] : inputs;
  return scalar(callOf(name, all, moduleOf(state, callee)));
}

/**
 * The result of a validator (zod, yup, valibot and their like): the same with fewer fields, as far as
 * anything is asked of it. `safeParse` says whether it is valid.
 */
function checkedInput(state: State, name: string, args: readonly Value[]): Value | undefined {
  const method = /^(?:(.*)\.)?(?:(parse|parseAsync|validateSync|cast)|safeParse(?:Async)?)$/u.exec(
    name,
  );
  if (!method) return undefined;
  const [, of, plain] = method;
  const [first, second] = args;
  // A function is given the schema first, and one that is given nothing else reads a text.
  const isSchema = first !== undefined && !HOLDS_DATA.has(first.kind);
  const isChecked = (value: Value | undefined) =>
    value?.kind === "input" || value?.kind === "object";
  const given = of !== undefined && isChecked(first) ? first : isSchema ? second : undefined;
  if (given?.kind !== "input" && given?.kind !== "object") return undefined;
  if (args.length > 2 || READS_TEXTS.test(of ?? "")) return undefined;
  if (plain !== undefined) return given;
  // The check of one record says nothing of another, nor does one schema of what others do.
  const path = given.kind === "input" ? `${given.path}.valid` : "valid";
  const reads = readsOf(given);
  const success = reads.every(isInput)
    ? scalar(truthFromOutside(state, path), "bool")
    : unknown("whether a validator takes it is not known", reads);
  return recordOf(state, { success, data: given, output: given, error: unknown("what is wrong") });
}

const HOLDS_DATA: ReadonlySet<Value["kind"]> = new Set(["input", "scalar", "text", "row", "list"]);

/** Validators whose `parse` makes something else of a text. */
const READS_TEXTS =
  /^(?:qs|querystring|queryString|url|URL|path|cookies?|csv|Papa|papaparse|ya?ml|YAML|toml|TOML|ini|xml\w*|Date|semver|dotenv|ms|bytes|JSON5|superjson|SuperJSON|devalue|chrono|moment|dayjs|marked|acorn|parser)$/u;

/** A function of a text or number and of what it is given, the same for the same. */
function ofReceiver({ state, self, args, site }: BuiltinCall): Value {
  const name = site.name.slice(site.name.lastIndexOf(".") + 1);
  const all = [self, ...args];
  const reads = all.flatMap((each) => readsOf(each));
  const isKnown = all.every(({ kind }) => kind === "scalar" || kind === "text" || kind === "input");
  if (!isKnown || !reads.every(isInput)) return unknown(`${name} is not known`, reads);
  const inputs = all.map((each) => expressionOf(state, each));
  const result: Expression = { kind: "call", name: `code:${name}`, arguments: inputs, deterministic: true }; // prettier-ignore
  return TELLS.test(name) ? condition(result) : scalar(result);
}

/** A text of something; where it is made in one of several ways, what was made by a function of the code is of the way, too. */
function written(call: BuiltinCall): Value {
  const { self, args } = call;
  const isMade = self.kind === "scalar" && self.expression.kind === "call";
  return isMade && args.length > 0 ? ofReceiver(call) : self;
}

/** Functions whose result is true or false. */
const TELLS = /^(?:startsWith|endsWith|includes|test)$/u;

/** True if a value is a list. What comes from outside may be one. */
function isArray(state: State, value: Value): Value {
  switch (value.kind) {
    case "list":
    case "rows":
    case "derived":
      return constant(true);
    case "choice":
      return overChoice(value, (part) => isArray(state, part));
    case "undefined":
    case "text":
    case "object":
    case "row":
      return constant(false);
    case "input":
      return condition({
        kind: "call",
        name: "isArray",
        arguments: [expressionOf(state, value)],
        deterministic: true,
      });
    default:
      return unknown("whether this is a list is not known", readsOf(value));
  }
}

/** Awaits all items: what is made when it is asked for, as operations that wait to be awaited, runs now. */
function all(state: State, value: Value, site: CallSite, each: typeof settle = settle): Value {
  const items = itemsOf(value);
  if (items) return listOf(state, awaitAll(state, items, sourceOf(state, site.span)));
  const isJoined = value.kind === "list" && value.grown.value?.kind === "joined";
  if (value.kind === "choice") {
    const way = (of: Value) => (): Value => all(state, of, site, each);
    const { condition, then, otherwise } = value;
    return state.evaluator.branches(state, condition, way(then), way(otherwise), site.span);
  }
  if (value.kind !== "derived" && value.kind !== "joined" && !isJoined) return settle(state, value);
  const isQuiet = rowsAsLoop(state, value, site.span, (item) => {
    each(state, item);
  });
  return isQuiet ? value : oneOfSeveral("what a loop gives is not kept", readsOf(value));
}

/** `new Promise((resolve) => ...)`: the function runs at once; what it resolves to is not followed. */
function promise({ state, args: [callee], site }: BuiltinCall): Value {
  const settlers = ["resolve", "reject"].map((name): Value => ({ kind: "external", name }));
  if (callee)
    settle(state, state.evaluator.call(state, callee, settlers, { ...site, isNew: false }));
  return oneOfSeveral("what a promise resolves to is not followed", callee ? readsOf(callee) : []);
}

/** Functions that are given to something that runs them at another time, in no transaction of this one. */
function runsLater(state: State, args: readonly Value[], site: CallSite): Value {
  for (const callee of args) {
    if (callee.kind === "function") state.handlers.push({ name: site.name, callee });
  }
  return unknown("what runs later is not followed");
}

function thrown(state: State, site: CallSite): Value {
  emitThrow(state, undefined, { why: "an error", source: sourceOf(state, site.span) });
  return UNDEFINED;
}

/** Runs the function for every item; where it runs no statement, only when its items are asked for. */
function mapped(state: State, self: Value, by: Value | undefined, site: CallSite): Value {
  if (!by) return self;
  const items = fewItemsOf(self);
  const { isHeld, ...awaited } = site;
  const own: CallSite = isHeld === true && !isUndoneWhole(state) ? site : awaited;
  if (items) {
    const made = items.map((item, at) => callWithItem(state, by, item, constant(at), own));
    return listOf(state, made);
  }
  const rounds = own.isHeld === true ? roundsOf(state, sourceOf(state, site.span)) : undefined;
  const start = state.commands.length;
  const isQuiet =
    (!rounds && isPlain(state, by)) ||
    rowsAsLoop(state, self, site.span, (item, index) => {
      const made = callWithItem(state, by, item, index, own);
      rounds?.add(made);
    });
  if (isQuiet) {
    const assigned = new Map<string, Cell>();
    return { kind: "derived", from: self, how: "map", by: putAside(state, by), assigned };
  }
  const value = oneOfSeveral("what a loop gives is not kept", readsOf(self));
  return rounds?.end(start, value) ?? value;
}

/** `items.entries()`: pairs of index and item; of what may be a map the first of a pair is not known. */
function numbered(state: State, self: Value, site: CallSite): Value {
  if (self.kind === "input" && !isArrayType(self.type)) {
    return unknown("the entries of this are not known", readsOf(self));
  }
  return mapped(state, self, { kind: "builtin", name: ENTRY }, site);
}

function isArrayType(type: string | undefined): boolean {
  return type !== undefined && /\[\]$|^(?:Readonly)?Array</u.test(type.trim());
}

function filtered(state: State, self: Value, by: Value | undefined, site: CallSite): Value {
  if (!by) return self;
  const kept = chosenOnce(state, self, by, site);
  if (kept) return kept;
  runForEach(state, self, by, site);
  return { kind: "derived", from: self, how: "filter", by: putAside(state, by) };
}

/** A function that runs when its results are asked for, which may be when those that made it have ended. */
function putAside(state: State, by: Value): Value {
  return by.kind === "function" ? { ...by, within: state.calls } : by;
}

/** `reduce` as a loop whose variable is the sum so far; without a start the first item is one. */
function reduced(state: State, self: Value, args: readonly Value[], site: CallSite): Value {
  const [by, start] = args;
  if (!by) return unknown("a reduction without a function is not understood", readsOf(self));
  const parts = start ? undefined : reducedParts(state, self, by, site);
  if (parts) return parts;
  const sum = newCell(state, start ?? oneOfSeveral("the first item of a reduction", readsOf(self)));
  eachItem(state, self, site.span, (item, index) => {
    const next = state.evaluator.call(state, by, [sum.value ?? UNDEFINED, item, index], site);
    write(state, sum, next);
  });
  return sum.value ?? UNDEFINED;
}
