// Packages that calculate with moments: date-fns, dayjs, moment, luxon, and Java's own time. What they make is a moment as
// the language's dates are; what is not listed is a function of its inputs.
import type { ValueType } from "../../../../program/expression";
import { compare } from "../../../sql/terms";
import { literal } from "../../../sql/expressions";
import { scalar, UNDEFINED, type Foreign, type Value } from "../../values";
import { write, type State } from "../state";
import { expressionOf } from "../values/convert";
import { asForeign, foreignOf } from "../values/foreignValues";
import { binary, condition } from "../values/operators";
import { lengthOf } from "../../../../program/moments";
import { aliases, type Builtin, type BuiltinCall } from "./builtin";
import { calendar, isMoment, later, millisOf, momentOf, now, unitOf } from "./moments";

/** The package whose moments are changed by their methods. */
const MOMENT = "moment";

/** The builtin behind an export of such a package; undefined for others. Constant time. */
export function dateExport(from: string, name: string): Value | undefined {
  const isWhole = name === "default" || name === "*";
  const own = WHOLE.get(from);
  if (own !== undefined) return isWhole ? { kind: "builtin", name: own } : undefined;
  if (from === "luxon")
    return name === "DateTime" ? { kind: "builtin", name: "luxon.DateTime" } : undefined;
  if (!/^date-fns(?:\/|$)/u.test(from)) return undefined;
  const [, inPath = "*"] = /^date-fns\/(?:esm\/)?(\w+)$/u.exec(from) ?? [];
  if (isWhole && inPath === "*") return { kind: "builtin", name: "dateFns" };
  const key = `dateFns.${isWhole ? inPath : name}`;
  return Object.hasOwn(DATE_PACKAGES, key) ? { kind: "builtin", name: key } : undefined;
}

/** Packages that are one function. */
const WHOLE: ReadonlyMap<string, string> = new Map([
  ["dayjs", "dayjs"],
  ["moment", MOMENT],
  ["moment-timezone", MOMENT],
]);

type Comparison = "<" | ">" | "=";

const SPANS = "Milliseconds Seconds Minutes Hours Days Weeks Months Quarters Years".split(" ");

/** Calls of these packages, and methods of the moments that they make. */
export const DATE_PACKAGES: Readonly<Record<string, Builtin>> = {
  ...aliases("dayjs dayjs.utc dayjs.tz", ({ state, args: [given] }) =>
    given === undefined ? now(state) : momentOf(state, given),
  ),
  ...aliases("moment moment.utc moment.tz", ({ state, args: [given] }) =>
    changing(state, given === undefined ? now(state) : momentOf(state, given)),
  ),
  ...aliases("luxon.DateTime.now luxon.DateTime.utc luxon.DateTime.local", (call) =>
    call.args.length === 0 ? now(call.state) : unlisted("luxon", call),
  ),
  ...aliases(
    "luxon.DateTime.fromJSDate luxon.DateTime.fromMillis luxon.DateTime.fromISO Instant.ofEpochMilli",
    ({ state, args: [given = UNDEFINED] }) => momentOf(state, given),
  ),
  ...aliases("dateFns.parseISO dateFns.toDate", ({ args: [given = UNDEFINED] }) => given),
  ...aliases("dateFns.getTime", ({ state, args: [given = UNDEFINED] }) => millisOf(state, given)),
  ...ofUnits("add", 1),
  ...ofUnits("sub", -1),
  ...aliases("dateFns.add", (call) => ofRecord(call, call.args[0], call.args[1], 1)),
  ...aliases("dateFns.sub", (call) => ofRecord(call, call.args[0], call.args[1], -1)),
  ...bounds(),
  ...differences(),
  ...aliases("dateFns.isBefore", ({ state, args: [a, b] }) => ordered(state, "<", a, b)),
  ...aliases("dateFns.isAfter", ({ state, args: [a, b] }) => ordered(state, ">", a, b)),
  ...aliases("dateFns.isEqual", ({ state, args: [a, b] }) => ordered(state, "=", a, b)),
  ...aliases("dateFns.isPast", ({ state, args: [a] }) => ordered(state, "<", a, now(state))),
  ...aliases("dateFns.isFuture", ({ state, args: [a] }) => ordered(state, ">", a, now(state))),
  ...ofMoments("isBefore", (call) => orderedBy(call, "<")),
  ...ofMoments("isAfter", (call) => orderedBy(call, ">")),
  ...ofMoments("isSame", (call) => orderedBy(call, "=")),
  ...ofMoments("toDate toJSDate", ({ state, self }) => scalar(expressionOf(state, self), "time")),
  ...ofMoments("clone", ({ state, self }) =>
    isChanging(self) ? changing(state, self) : scalar(expressionOf(state, self), "time"),
  ),
  ...ofMoments("toMillis", ({ state, self }) => millisOf(state, self)),
  ...ofMoments("toEpochMilli", ({ state, self }) => millisOf(state, self)),
  ...ofMoments("unix", ({ state, self }) => whole(state, self, 1000)),
  ...ofMoments("startOf", (call) => moved(call, bound(call, "startOf"))),
  ...ofMoments("endOf", (call) => moved(call, bound(call, "endOf"))),
  ...ofMoments("set", (call) => moved(call, ofSelf("set", call))),
  ...ofMoments("diff", (call) => {
    const [other, unit, isFraction] = call.args;
    const span = unit === undefined ? "millisecond" : unitOf(unit);
    // Fractions of a unit are another number than whole ones.
    if (span === undefined || isFraction !== undefined) return ofSelf("diff", call, "decimal");
    return difference(call, call.self, other, span);
  }),
  ...javaSteps(),
};

/** `add` and `plus` of moments, which texts and numbers have as well; undefined where it is no step in time. */
export function movedMoment(call: BuiltinCall, sign: 1 | -1): Value | undefined {
  const { state, self, args } = call;
  if (!isMoment(self)) return undefined;
  const [by = UNDEFINED, unit] = args;
  if (by.kind === "object") return moved(call, ofRecord(call, self, by, sign));
  if (unit === undefined) return isChanging(self) ? moved(call, ofSelf("add", call)) : undefined;
  const name = unitOf(unit);
  const found = name === undefined ? undefined : later(state, self, by, name, sign);
  return moved(call, found ?? ofSelf("add", call));
}

/** A moment of a package whose methods change it. */
function changing(state: State, value: Value): Value {
  const made = asForeign(state, scalar(expressionOf(state, value), "time"));
  return made.kind === "scalar" && made.foreign
    ? { ...made, foreign: { ...made.foreign, path: MOMENT } }
    : made;
}

/** True for a method that is known to change such a moment. */
export function movesMoment({ path }: Foreign, method: string): boolean {
  return path === MOMENT && /^(?:add|subtract|set|startOf|endOf)$/u.test(method);
}

/** True if methods change a moment, which they give as well. */
function isChanging(value: Value): boolean {
  return foreignOf(value)?.path === MOMENT;
}

/** Result of a method of a moment, which becomes that where methods change it. */
function moved({ state, self }: BuiltinCall, value: Value): Value {
  const foreign = foreignOf(self);
  if (!foreign || !isChanging(self) || value.kind !== "scalar") return value;
  write(state, foreign.now, value);
  return { ...value, foreign };
}

/** Results that are functions of a moment and of its method's arguments. */
function ofSelf(name: string, call: BuiltinCall, type: ValueType = "time"): Value {
  return unlisted(name, { ...call, args: [call.self, ...call.args] }, type);
}

/** A function of what it is made of, a moment where no other type is given. */
function unlisted(name: string, { state, args }: BuiltinCall, type: ValueType = "time"): Value {
  const operands = args.map((each) => expressionOf(state, each));
  return scalar({ kind: "call", name: `code:${name}`, arguments: operands, deterministic: true }, type); // prettier-ignore
}

function ofUnits(how: "add" | "sub", sign: 1 | -1): Record<string, Builtin> {
  return Object.fromEntries(
    SPANS.map((span): [string, Builtin] => [
      `dateFns.${how}${span}`,
      (call) => {
        const [moment = UNDEFINED, count = UNDEFINED] = call.args;
        const unit = unitOf(span);
        const moved = unit === undefined ? undefined : later(call.state, moment, count, unit, sign);
        return moved ?? unlisted(`${how}${span}`, call);
      },
    ]),
  );
}

function javaSteps(): Record<string, Builtin> {
  const steps = SPANS.filter((span) => span !== "Quarters").flatMap((span) =>
    ([1, -1] as const).map((sign): [string, Builtin] => [
      `scalar.${sign === 1 ? "plus" : "minus"}${span.replace("Milliseconds", "Millis")}`,
      ({ state, self, args: [count = UNDEFINED] }) =>
        later(state, self, count, unitOf(span) ?? "", sign) ?? self,
    ]),
  );
  return Object.fromEntries(steps);
}

/** A moment moved by each unit that a record names. */
function ofRecord(
  call: BuiltinCall,
  moment: Value = UNDEFINED,
  record: Value = UNDEFINED,
  sign: 1 | -1,
): Value {
  const lost = unlisted(sign === 1 ? "add" : "sub", { ...call, args: [moment, record] });
  if (record.kind !== "object" || record.rest) return lost;
  return [...record.fields].reduce<Value>((at, [name, { value = UNDEFINED }]) => {
    const unit = unitOf(name);
    return (unit === undefined ? undefined : later(call.state, at, value, unit, sign)) ?? lost;
  }, moment);
}

function bounds(): Record<string, Builtin> {
  const units = ["Second", "Minute", "Hour", "Day", "Month", "Year"];
  return Object.fromEntries(
    units.flatMap((unit) =>
      (["startOf", "endOf"] as const).map((how): [string, Builtin] => [
        `dateFns.${how}${unit}`,
        ({ state, args: [moment = UNDEFINED] }) => calendar(state, `${how}${unit}`, [moment]),
      ]),
    ),
  );
}

function bound(call: BuiltinCall, how: "startOf" | "endOf"): Value {
  const unit = unitOf(call.args[0]);
  if (unit === undefined) return ofSelf(how, call);
  const part = `${unit.slice(0, 1).toUpperCase()}${unit.slice(1)}`;
  return calendar(call.state, `${how}${part}`, [call.self]);
}

function differences(): Record<string, Builtin> {
  return Object.fromEntries(
    SPANS.map((span): [string, Builtin] => [
      `dateFns.differenceIn${span}`,
      (call) => difference(call, call.args[0], call.args[1], unitOf(span)),
    ]),
  );
}

/** How many whole units lie between two moments. */
function difference(
  call: BuiltinCall,
  end: Value = UNDEFINED,
  start: Value = now(call.state),
  unit: string | undefined,
): Value {
  const length = lengthOf(unit);
  const { state } = call;
  const [a, b] = [millisOf(state, end), millisOf(state, start)];
  if (length === undefined) {
    const operands = [expressionOf(state, a), expressionOf(state, b)];
    return scalar({ kind: "call", name: `code:difference ${unit ?? ""}`, arguments: operands, deterministic: true }, "int"); // prettier-ignore
  }
  return divided(state, binary(state, "-", a, b), length);
}

function whole(state: State, moment: Value, length: number): Value {
  return divided(state, millisOf(state, moment), length);
}

function divided(state: State, millis: Value, length: number): Value {
  if (length === 1) return millis;
  const dividend = expressionOf(state, millis);
  return scalar({ kind: "arithmetic", operator: "/", left: dividend, right: literal(length) }, "int"); // prettier-ignore
}

function ordered(
  state: State,
  operator: Comparison,
  left: Value = UNDEFINED,
  right: Value = now(state),
): Value {
  return condition(compare(operator, expressionOf(state, left), expressionOf(state, right)));
}

/** How two moments lie, or the units of a calendar that they are in. */
function orderedBy(call: BuiltinCall, operator: Comparison): Value {
  const { state, self, args } = call;
  const [other = now(state), unit] = args;
  if (unit === undefined) return ordered(state, operator, self, other);
  if (unitOf(unit) === undefined || args.length > 2)
    return condition(expressionOf(state, ofSelf(OF_ORDER[operator], call, "bool")));
  const start = (of: Value): Value => bound({ ...call, self: of, args: [unit] }, "startOf");
  return ordered(state, operator, start(self), start(other));
}

const OF_ORDER = { "<": "isBefore", ">": "isAfter", "=": "isSame" } as const;

/** Methods of moments; on what is none they are functions of it. */
function ofMoments(names: string, builtin: Builtin): Record<string, Builtin> {
  return Object.fromEntries(
    names.split(" ").flatMap((name) => {
      const own: Builtin = (call) =>
        mayBeMoment(call.self) ? builtin(call) : ofSelf(name, call, "other");
      return Object.entries(aliases(`scalar.${name} input.${name}`, own));
    }),
  );
}

/** False for numbers, texts and truth values, by their types. */
function mayBeMoment(value: Value): boolean {
  if (value.kind === "scalar") return ["time", "other", undefined].includes(value.type);
  return value.kind === "input" && !/^(?:number|string|boolean|bigint|int|long|String)$/u.test(value.type?.trim() ?? ""); // prettier-ignore
}
