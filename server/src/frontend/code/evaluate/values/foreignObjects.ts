// Writes of the code to objects that something unknown made for it.
import { scalar, unknown, type Foreign, type Value } from "../../values";
import { movesDate } from "../builtins/dates";
import { movesMoment } from "../builtins/datePackages";
import { write, type CallSite, type State } from "../state";
import { isInput } from "../../roots/provenance";
import { readsOf } from "./convert";
import { callOf, foreignOf, madeIn } from "./foreignValues";
import { inputsOf } from "./callInputs";

/** The object that something unknown made on which depends what its method gives. */
export function ownerOf(
  callee: Value,
  args: readonly Value[],
  { name, isAwaited }: CallSite,
): Value | undefined {
  if (isAwaited === true || !foreignOf(callee)) return undefined;
  if (args.length === 0 && !WRITES_OUT.test(name)) return undefined;
  return callee.kind === "builtin" ? callee.self : callee;
}

/** Methods that give something of an object and leave it as it is. */
const ASKS =
  /^(?:(?:with|as|clone|tz|utc|local|get|has|is|to|find|list|fetch|read|load|query|select|count|compare|format|parse|encode|decode|stringify|serialize|sign|verify|validate|match|resolve|render|check|test|log|then|catch|finally)(?:[A-Z_]\w*)?|[a-z]*(?:At|Of)|digest|includes|contains|startsWith|endsWith|split|slice|substring|replace|join|map|filter|some|every|forEach|reduce|keys|values|entries|debug|info|warn|error|trace|equals|on|once|off|child|json|send|emit|exec|safeParse|concat|trim)$/u;
const CALCULATES = /^(?:add|plus|sub|subtract|minus|times|multiply|mul|div|divide)$/u;

/** Methods without arguments that give the same of the same. */
const WRITES_OUT = /(?:^|\.)(?:to[A-Z]\w*|digest|stringify|serialize)$/u;

/** Notes what a call makes of the object whose method it is. What is awaited changes something elsewhere. */
export function changedByCall(
  state: State,
  callee: Extract<Value, { kind: "builtin" | "input" }>,
  args: readonly Value[],
  { name, isAwaited, isUnused }: CallSite,
): void {
  const foreign = foreignOf(callee);
  if (!foreign || args.length === 0 || isAwaited === true) return;
  const method = name.slice(name.lastIndexOf(".") + 1);
  if (movesMoment(foreign, method)) return;
  // Methods of times and numbers make others.
  if (CALCULATES.test(method) && isUnused !== true && isOfNumbers(foreign)) return;
  const isMoved =
    movesDate(method) && (callee.kind === "input" || callee.name === `scalar.${method}`);
  if (!isMoved && !ASKS.test(method)) changeForeign(state, foreign, method, args);
}

/** Makers of times and numbers, which are no classes but for some. */
function isOfNumbers({ path }: Foreign): boolean {
  return (
    /^[a-z]/u.test(path) || /^(?:Big|Decimal|Date|Duration|Temporal|Money|Fraction)/u.test(path)
  );
}

/** Notes that a property of an object, or of a part of one, is written; gives whether it is one. */
export function changedByWrite(
  state: State,
  object: Value,
  name: string | undefined,
  value: Value,
): boolean {
  const foreign = foreignOf(object);
  if (foreign) changeForeign(state, foreign, name ?? "a property", [value]);
  return foreign !== undefined;
}

/** Notes that an object is also what `args` made of it. */
export function changeForeign(
  state: State,
  { now }: Foreign,
  what: string,
  args: readonly Value[],
): void {
  const before = now.value ? [now.value] : [];
  const reads = [...before, ...args].flatMap((each) => readsOf(each));
  const isKnown = before.every(({ kind }) => kind !== "unknown") && reads.every(isInput);
  const changed = isKnown
    ? scalar(
        callOf(
          what,
          [...before, ...args].flatMap((each) => inputsOf(state, each)),
          now.value && madeIn(now.value),
        ),
      )
    : unknown(`what "${what}" makes of an object is not known`, reads);
  write(state, now, changed);
}
