// Packages that calculate with moments: date-fns, dayjs, moment, luxon, and Java's own time. What they make is a moment as
// the language's dates are; what is not listed is a function of its inputs.
import { compare } from "../../../sql/terms";
import { literal } from "../../../sql/expressions";
import { scalar, UNDEFINED, type Value } from "../../values";
import type { State } from "../state";
import { expressionOf } from "../values/convert";
import { binary, condition } from "../values/operators";
import { named, type Builtin, type BuiltinCall } from "./builtin";
import { calendar, isMoment, later, lengthOf, millisOf, momentOf, now, unitOf } from "./moments";

/** The builtin behind an export of such a package; undefined for others. Constant time. */
export function dateExport(from: string, name: string): Value | undefined {
  const isWhole = name === "default" || name === "*";
  if (from === "dayjs" || from === "moment" || from === "moment-timezone")
    return isWhole ? { kind: "builtin", name: "dayjs" } : undefined;
  if (from === "luxon")
    return name === "DateTime" ? { kind: "builtin", name: "luxon.DateTime" } : undefined;
  if (!/^date-fns(?:\/|$)/u.test(from)) return undefined;
  const [, inPath = "*"] = /^date-fns\/(?:esm\/)?(\w+)$/u.exec(from) ?? [];
  if (isWhole && inPath === "*") return { kind: "builtin", name: "dateFns" };
  const key = `dateFns.${isWhole ? inPath : name}`;
  return Object.hasOwn(DATE_PACKAGES, key) ? { kind: "builtin", name: key } : undefined;
}

type Comparison = "<" | ">" | "=";

const SPANS = "Milliseconds Seconds Minutes Hours Days Weeks Months Quarters Years".split(" ");

/** Calls of these packages, and methods of the moments that they make. */
export const DATE_PACKAGES: Readonly<Record<string, Builtin>> = {
  ...named("dayjs dayjs.utc dayjs.tz", ({ state, args: [given] }) =>
    given === undefined ? now(state) : momentOf(state, given),
  ),
  ...named("luxon.DateTime.now luxon.DateTime.utc luxon.DateTime.local", (call) =>
    call.args.length === 0 ? now(call.state) : unlisted("luxon", call),
  ),
  ...named(
    "luxon.DateTime.fromJSDate luxon.DateTime.fromMillis luxon.DateTime.fromISO Instant.ofEpochMilli",
    ({ state, args: [given = UNDEFINED] }) => momentOf(state, given),
  ),
  ...named("dateFns.parseISO dateFns.toDate", ({ args: [given = UNDEFINED] }) => given),
  ...named("dateFns.getTime", ({ state, args: [given = UNDEFINED] }) => millisOf(state, given)),
  ...ofUnits("add", 1),
  ...ofUnits("sub", -1),
  ...named("dateFns.add", (call) => ofRecord(call, call.args[0], call.args[1], 1)),
  ...named("dateFns.sub", (call) => ofRecord(call, call.args[0], call.args[1], -1)),
  ...bounds(),
  ...differences(),
  ...named("dateFns.isBefore", ({ state, args: [a, b] }) => ordered(state, "<", a, b)),
  ...named("dateFns.isAfter", ({ state, args: [a, b] }) => ordered(state, ">", a, b)),
  ...named("dateFns.isEqual", ({ state, args: [a, b] }) => ordered(state, "=", a, b)),
  ...named("dateFns.isPast", ({ state, args: [a] }) => ordered(state, "<", a, now(state))),
  ...named("dateFns.isFuture", ({ state, args: [a] }) => ordered(state, ">", a, now(state))),
  ...ofMoments("isBefore", ({ state, self, args: [b] }) => ordered(state, "<", self, b)),
  ...ofMoments("isAfter", ({ state, self, args: [b] }) => ordered(state, ">", self, b)),
  ...ofMoments("toDate", ({ self }) => self),
  ...ofMoments("toJSDate", ({ self }) => self),
  ...ofMoments("toMillis", ({ state, self }) => millisOf(state, self)),
  ...ofMoments("toEpochMilli", ({ state, self }) => millisOf(state, self)),
  ...ofMoments("unix", ({ state, self }) => whole(state, self, 1000)),
  ...ofMoments("startOf", (call) => bound(call, "startOf")),
  ...ofMoments("endOf", (call) => bound(call, "endOf")),
  ...ofMoments("diff", (call) => {
    const [other, unit] = call.args;
    const span = unit === undefined ? "millisecond" : unitOf(unit);
    return difference(call, call.self, other, span);
  }),
  ...javaSteps(),
};

/** `add` and `plus` of moments, which texts and numbers have as well; undefined where it is no step in time. */
export function movedMoment(call: BuiltinCall, sign: 1 | -1): Value | undefined {
  const { state, self, args } = call;
  if (!isMoment(self)) return undefined;
  const [by = UNDEFINED, unit] = args;
  if (by.kind === "object") return ofRecord(call, self, by, sign);
  if (unit === undefined) return undefined;
  const name = unitOf(unit);
  const moved = name === undefined ? undefined : later(state, self, by, name, sign);
  return moved ?? unlisted("add", { ...call, args: [self, ...args] });
}

/** A moment that is a function of what it is made of. */
function unlisted(name: string, { state, args }: BuiltinCall): Value {
  const operands = args.map((each) => expressionOf(state, each));
  return scalar({ kind: "call", name: `code:${name}`, arguments: operands, deterministic: true }, "time"); // prettier-ignore
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
  if (unit === undefined) return unlisted(how, { ...call, args: [call.self, ...call.args] });
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

/** A method of moments; on other scalars it is an unknown function. */
function ofMoments(name: string, builtin: Builtin): Record<string, Builtin> {
  return named(`scalar.${name} input.${name}`, builtin);
}
