// Results of Java's own library: texts that are put together, maps, optional values.
import { isThere, whereAbsent } from "../values/absentFields";
import type { Expression } from "../../../../program/expression";
import { dictionary } from "../../../../protocol/dictionary";
import {
  ABSENT,
  constant,
  constantScalar,
  constantText,
  textOf,
  type TextPart,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import { conditionOf, negate, readsOf } from "../values/convert";
import { noteRead } from "../lists/lastReads";
import { recordOf } from "../lists/collections";
import { ANY_KEY, hasAnyKey } from "../values/fieldNames";
import { itemOf, requireHolds, setAnyMember, setMember } from "../values/member";
import { binary, choose, condition, isNullish } from "../values/operators";
import { sourceOf, type State } from "../state";
import { thrownByMaker } from "../errors/exceptionFlow";
import { concatenate, partsOf } from "../values/texts";
import { unknownPart } from "../values/subvalues";
import { trim } from "./trimming";
import { anywhere, lists, methods, aliases, type Builtin, type BuiltinCall } from "./builtin";

/** The text that a StringBuilder has come to. */
const BUILT = "#text";
/** Content of an Optional, or null. */
const OPTIONAL = "#optional";

/** Functions by name; methods by the kind of their receiver and their name. */
export const JAVA_BUILTINS = dictionary<Builtin>({
  "String.format": ({ args: [format, ...values] }) => formatted(format, values),
  "text.formatted": ({ self, args }) => formatted(self, args),
  ...aliases("String.valueOf String.copyValueOf", ({ args }) => args[0] ?? UNDEFINED),
  "String.join": ({ args: [separator, ...parts] }) =>
    parts.reduce((made, part, at) =>
      at === 0 ? part : concatenate(concatenate(made, separator ?? textOf("")), part),
    ),
  "text.strip": trim,
  // An enum's constant.
  ...aliases("text.name text.toString", ({ self }) => self),
  ...aliases("text.stripIndent text.stripLeading text.stripTrailing", ({ self }) => self),
  ...aliases("text.isEmpty text.isBlank", ({ self }) => {
    const text = constantText(self);
    return text === undefined ? unknown("whether a text is empty") : constant(text.trim() === "");
  }),
  // A choice of constants, which comparisons decide.
  ...methods("signum", ({ state, self }) =>
    choose(
      conditionOf(state, binary(state, ">", self, constant(0))),
      constant(1),
      choose(conditionOf(state, binary(state, "<", self, constant(0))), constant(-1), constant(0)),
    ),
  ),
  "Objects.equals": ({ state, args: [left = UNDEFINED, right = UNDEFINED] }) =>
    binary(state, "===", left, right),
  ...methods("equalsIgnoreCase", ({ self, args }) =>
    unknown("texts are compared without case", [...readsOf(self), ...args.flatMap(readsOf)]),
  ),

  // Builders of texts.
  ...aliases("StringBuilder StringBuffer", ({ state, args: [start] }) =>
    recordOf(state, { [BUILT]: start?.kind === "text" ? start : textOf("") }),
  ),
  "object.append": (call) => appended(call),
  "object.toString": ({ self }) => fieldOf(self, BUILT) ?? unknown("an object as a text"),

  // Maps.
  "object.put": ({ state, self, args: [key, value] }) => putEntry(state, self, key, value),
  "object.get": (call) =>
    call.args.length === 0 ? present(call) : mapValue(call.self, call.args[0], UNDEFINED),
  "object.getOrDefault": ({ self, args: [key, otherwise] }) => mapValue(self, key, otherwise),
  "object.containsKey": ({ self, args: [key] }) => hasKey(self, key),

  // Optional values.
  ...aliases("Optional.of Optional.ofNullable", ({ state, args: [value] }) =>
    optional(state, value),
  ),
  "Optional.empty": ({ state }) => optional(state, constant(null)),
  ...lists("findFirst findAny", ({ state, self }) => optional(state, itemOf(state, self, 0))),
  "object.isPresent": ({ state, self }) => condition(thereOf(state, self)),
  "object.isEmpty": ({ state, self }) => condition(negate(thereOf(state, self))),
  ...aliases("object.orElseThrow object.getAsInt object.getAsLong", (call) => present(call)),
  "object.orElse": ({ state, self, args: [otherwise = UNDEFINED] }) =>
    choose(thereOf(state, self), valueOf(self), otherwise),
  "object.orElseGet": ({ state, self, args: [make], site }) =>
    state.evaluator.branches(
      state,
      thereOf(state, self),
      () => valueOf(self),
      () => (make ? state.evaluator.call(state, make, [], site) : UNDEFINED),
      site.span,
    ),
  "object.ifPresent": ({ state, self, args: [run], site }) => {
    state.evaluator.when(state, condition(thereOf(state, self)), site.span, () => {
      if (run) state.evaluator.call(state, run, [valueOf(self)], site);
    });
    return UNDEFINED;
  },
  "object.ifPresentOrElse": ({ state, self, args: [run, otherwise], site }) => {
    const { branches, call } = state.evaluator;
    const then = (): Value => (run ? call(state, run, [valueOf(self)], site) : UNDEFINED);
    const empty = (): Value => (otherwise ? call(state, otherwise, [], site) : UNDEFINED);
    branches(state, thereOf(state, self), then, empty, site.span);
    return UNDEFINED;
  },
  "object.filter": ({ state, self, args: [by], site }) => {
    const value = valueOf(self);
    const there = thereOf(state, self);
    const { branches, call } = state.evaluator;
    const kept = (): Value => (by ? call(state, by, [value], site) : constant(true));
    const isKept = branches(state, there, kept, () => constant(false), site.span);
    return optional(state, choose(conditionOf(state, isKept), value, constant(null)));
  },
  "object.or": ({ state, self, args: [make], site }) =>
    state.evaluator.branches(
      state,
      thereOf(state, self),
      () => self,
      () => (make ? state.evaluator.call(state, make, [], site) : UNDEFINED),
      site.span,
    ),
  "object.flatMap": ({ state, self, args: [by], site }) =>
    state.evaluator.branches(
      state,
      thereOf(state, self),
      () => (by ? state.evaluator.call(state, by, [valueOf(self)], site) : UNDEFINED),
      () => self,
      site.span,
    ),
  "object.map": ({ state, self, args: [by], site }) =>
    by === undefined
      ? self
      : optional(
          state,
          state.evaluator.branches(
            state,
            thereOf(state, self),
            () => state.evaluator.call(state, by, [valueOf(self)], site),
            () => constant(null),
            site.span,
          ),
        ),
  ...anywhere("getClass", () => unknown("a class is asked for")),
});

/** `%s`, `%d` and `%n` in their order, or as `%1$s` says; other conversions change how a value is written. */
function formatted(format: Value | undefined, values: readonly Value[]): Value {
  if (format?.kind !== "text") return unknown("a text whose form is not known");
  let next = 0;
  const parts = format.parts.flatMap((part): readonly TextPart[] => {
    if (part.kind !== "run") return [part];
    const { text, start, length } = part.run;
    const isExact = start >= 0 && length === undefined;
    let from = 0;
    const made: TextPart[] = [];
    const upTo = (end: number): void => {
      if (end === from) return;
      const run = { text: text.slice(from, end), start: isExact ? start + from : -1 };
      made.push({ ...part, run });
    };
    for (const match of text.matchAll(
      /%(?:(\d+)\$)?([-#+ 0,(]*(?:[1-9]\d*)?(?:\.\d+)?)([a-zA-Z%])/gu,
    )) {
      const [all, position, flags, kind = ""] = match;
      upTo(match.index);
      from = match.index + all.length;
      if (kind === "%" || kind === "n") {
        const run = { text: kind === "n" ? "\n" : "%", start: -1 };
        made.push({ ...part, run });
        continue;
      }
      const value = values[position === undefined ? next++ : Number(position) - 1];
      const isPlain = /^[sd]$/u.test(kind) && flags === "";
      made.push(
        ...partsOf(
          isPlain && value ? value : unknown("a value that is written in a form of its own"),
        ),
      );
    }
    upTo(text.length);
    return made;
  });
  return { kind: "text", parts };
}

function fieldOf(value: Value, name: string): Value | undefined {
  return value.kind === "object" ? value.fields.get(name)?.value : undefined;
}

function appended({ state, self, args: [more = UNDEFINED] }: BuiltinCall): Value {
  const text = fieldOf(self, BUILT);
  if (text) setMember(state, self, BUILT, concatenate(text, more));
  return text ? self : unknown("what is appended to is not known", readsOf(self));
}

/** Sets the value of a map under a key. */
export function putEntry(
  state: State,
  map: Value,
  key: Value | undefined,
  value = UNDEFINED,
): Value {
  const known = constantScalar(key);
  if (typeof known === "string" || typeof known === "number") {
    setMember(state, map, String(known), value);
    return UNDEFINED;
  }
  setAnyMember(state, map, value);
  return UNDEFINED;
}

/** True if a map has a key. */
export function hasKey(map: Value, key: Value | undefined): Value {
  if (map.kind === "object") noteRead(map.fields);
  const name = keyName(key);
  return map.kind !== "object" || name === undefined || map.rest || hasAnyKey(map)
    ? unknown("whether a map has a key is not known", readsOf(map))
    : isThere(map.fields.get(name)?.value ?? ABSENT);
}

function keyName(key: Value | undefined): string | undefined {
  const known = constantScalar(key);
  return known === undefined || known === null ? undefined : String(known);
}

/** Content of a map under a key. */
export function mapValue(map: Value, key: Value | undefined, otherwise: Value = UNDEFINED): Value {
  const name = constantScalar(key);
  if (map.kind === "object") noteRead(map.fields);
  if (map.kind !== "object" || name === undefined || name === null || map.rest) {
    return unknownPart(
      map,
      "a map is asked for a key that is only known when it runs",
      readsOf(map),
    );
  }
  const other = fieldOf(map, ANY_KEY) ?? otherwise;
  return whereAbsent(fieldOf(map, String(name)) ?? other, other);
}

function optional(state: State, value: Value = UNDEFINED): Value {
  return recordOf(state, { [OPTIONAL]: value });
}

function valueOf(self: Value): Value {
  return fieldOf(self, OPTIONAL) ?? unknown("what is inside of this is not known", readsOf(self));
}

function thereOf(state: State, self: Value): Expression {
  return negate(isNullish(state, valueOf(self)));
}

/** The value where it is there; nothing is an error. */
function present({ state, self, site, args: [maker] }: BuiltinCall): Value {
  const source = sourceOf(state, site.span);
  const thrown = maker?.kind === "function" ? thrownByMaker(state, maker) : undefined;
  const why = "an empty Optional is asked for its value";
  requireHolds(state, thereOf(state, self), why, source, thrown);
  return valueOf(self);
}
