// `{ ...first, ...second }`: what comes later wins where it has a field.
import { join } from "../lattice";
import {
  ABSENT,
  type ObjectValue,
  oneOfSeveral,
  UNDEFINED,
  unknown,
  type Value,
} from "../../values";
import { noteRead } from "../lists/lastReads";
import { newCell, type State } from "../state";
import { writeInput, writeWhole } from "./inputEffects";
import { leftOut, maybeLeftOut } from "./absence";
import { conditionOf, isPresent, presenceOf, readsOf, sameExpression } from "./convert";
import { whereAbsent } from "./absentFields";
import { heldNamesOf } from "./exactTypes";
import { fieldNamesOf, hasAnyKey } from "./fieldNames";
import { fieldOf as fieldOfRow, memberOf, optionalMember, setAnyMember, setMember } from "./member";
import { choose, isNullish } from "./operators";
import { ofPerhapsNothing } from "./nullishAccess";

const NOWHERE = { start: 0, end: 0 };

/** The record with what is spread behind its fields. Linear in the fields of both. */
export function spread(state: State, made: ObjectValue, value: Value): ObjectValue {
  switch (value.kind) {
    case "undefined":
    case "text":
      return made;
    case "object": {
      noteRead(value.fields);
      const others = hasAnyKey(value) ? oneOfSeveral("a computed key", readsOf(value)) : value.rest;
      const below = others ? spread(state, made, others) : made;
      const fields = new Map(below.fields);
      for (const [name, { value: own = UNDEFINED }] of value.fields) {
        fields.set(name, newCell(state, later(own, fields.get(name)?.value)));
      }
      return { ...below, fields };
    }
    case "choice":
      return eitherSpread(state, made, value);
    case "scalar":
      return mayHaveFields(value) ? withOthers(state, made, value) : made;
    case "row": {
      const fields = new Map(made.fields);
      for (const name of fieldNamesOf(value) ?? []) {
        fields.set(name, newCell(state, ofRow(state, value, name, made.fields.get(name)?.value)));
      }
      const named = { ...made, fields };
      return value.columns.order.length === 0 ? withOthers(state, named, value) : named;
    }
    case "input": {
      const names = heldNamesOf(value);
      if (!names) return withOthers(state, made, value);
      const fields = new Map(made.fields);
      for (const name of names) {
        const own = ofPerhapsNothing(state, value, memberOf(state, value, name, NOWHERE));
        fields.set(name, newCell(state, later(own, fields.get(name)?.value)));
      }
      return { ...made, fields };
    }
    default:
      return withOthers(state, made, value);
  }
}

/** Documents of the database, and what functions calculate, may be records. */
function mayHaveFields({ expression, type }: Extract<Value, { kind: "scalar" }>): boolean {
  if (expression.kind === "literal") return false;
  return expression.kind === "call" || type === "json" || type === "other";
}

/** A row that is not there has nothing to spread, and that is no error. */
function ofRow(
  state: State,
  row: Extract<Value, { kind: "row" }>,
  name: string,
  before: Value | undefined,
): Value {
  if (before === undefined || isPresent(state, row)) {
    return optionalMember(state, row, name, NOWHERE);
  }
  return choose(presenceOf(row), fieldOfRow(row, name), before);
}

/** A field that comes later; where it may be left out, the one before stays. */
function later(value: Value, before: Value | undefined): Value {
  if (!before) return value;
  const isLeftOut = leftOut(value);
  return isLeftOut ? choose(isLeftOut, before, value) : whereAbsent(value, before);
}

/** Behind something of which not all fields are known, any field may be another. */
function withOthers(state: State, made: ObjectValue, value: Value): ObjectValue {
  const fields = new Map(made.fields);
  for (const [name, { value: before = UNDEFINED }] of made.fields) {
    const own = isCode(before) ? before : overwritten(state, value, name, before);
    if (own !== before) fields.set(name, newCell(state, own));
  }
  const rest = made.rest
    ? join(made.rest, value, "which of two spreads gives a field is not known")
    : value;
  return { ...made, fields, rest };
}

function overwritten(state: State, value: Value, name: string, before: Value): Value {
  if (value.kind === "row") {
    const why = `a row whose columns are not known may have another ${name}`;
    return value.overlay.has(name) ? before : unknown(why, [...readsOf(before), ...readsOf(value)]);
  }
  const own = optionalMember(state, value, name, NOWHERE);
  if (value.kind === "input" && own.kind === "input") {
    if (own.type !== undefined && own.mayLack !== true) return own;
    if (own.type === undefined && isWholeType(value.standsFor ?? value.type)) return before;
    const surely = { ...own, mayLack: false };
    return choose(leftOut(own) ?? maybeLeftOut(own), before, surely);
  }
  return own.kind === "unknown" ? own : choose(isNullish(state, own), before, own);
}

/** True if a type names all properties that there are. */
function isWholeType(type: string | undefined): boolean {
  const text = type?.trim() ?? "";
  return text.startsWith("{") && text.endsWith("}") && !text.includes("[");
}

/** No record overwrites clients and functions that stand beside its spread. */
function isCode({ kind }: Value): boolean {
  return kind === "handle" || kind === "function" || kind === "class" || kind === "builtin";
}

function eitherSpread(
  state: State,
  made: ObjectValue,
  { condition, then, otherwise }: Extract<Value, { kind: "choice" }>,
): ObjectValue {
  // The rest of `x && { name }` is no record where `x` is not true.
  const isLeft = sameExpression(conditionOf(state, otherwise), condition);
  const [yes, no] = [spread(state, made, then), isLeft ? made : spread(state, made, otherwise)];
  const fields = new Map(made.fields);
  for (const name of new Set([...yes.fields.keys(), ...no.fields.keys()])) {
    const [a, b] = [yes, no].map((each) => fieldOf(state, each, name));
    fields.set(name, newCell(state, choose(condition, a ?? ABSENT, b ?? ABSENT)));
  }
  const rest =
    yes.rest === no.rest ? yes.rest : choose(condition, yes.rest ?? NONE, no.rest ?? NONE);
  return { ...made, fields, ...(rest && { rest }) };
}

const NONE: Value = { kind: "object", fields: new Map() };

function fieldOf(state: State, { fields, rest }: ObjectValue, name: string): Value {
  const own = fields.get(name)?.value;
  if (own) return own;
  return rest ? memberOf(state, rest, name, NOWHERE) : ABSENT;
}

/** `Object.assign`. Linear in the fields. */
export function assignAll(state: State, [target, ...others]: readonly Value[]): Value {
  if (target?.kind === "row") {
    for (const other of others) assignToRow(state, target, other);
    return target;
  }
  if (target?.kind === "input") {
    for (const other of others) assignToInput(state, target, other);
    return target;
  }
  if (target?.kind !== "object") return unknown("what is assigned to here is not known");
  return others.reduce((made: ObjectValue, other) => assigned(state, target, made, other), target);
}

/** Gives what a record is behind `Object.assign`, which the record itself is, too, as far as its fields can say it. */
function assigned(state: State, target: ObjectValue, made: ObjectValue, other: Value): ObjectValue {
  const whole = spread(state, made, other);
  for (const [name, { value }] of whole.fields) {
    if (value && value !== target.fields.get(name)?.value) setMember(state, target, name, value);
  }
  if (whole.rest === made.rest) return made;
  const fields = [...whole.fields].map(
    ([name, { value }]) => [name, newCell(state, value)] as const,
  );
  setAnyMember(state, target, whole.rest ?? UNDEFINED);
  return { ...whole, fields: new Map(fields) };
}

function assignToInput(state: State, input: Extract<Value, { kind: "input" }>, other: Value): void {
  const names = other.kind === "object" ? fieldNamesOf(other) : undefined;
  for (const name of names ?? [])
    writeInput(state, input, name, memberOf(state, other, name, NOWHERE));
  const why = "what is assigned to an argument is not known";
  if (!names) writeWhole(state, input, unknown(why, [...readsOf(input), ...readsOf(other)]));
}

function assignToRow(state: State, row: Extract<Value, { kind: "row" }>, other: Value): void {
  const names = fieldNamesOf(other);
  const why = "what is assigned to a row is not known";
  for (const name of names ?? fieldNamesOf(row) ?? []) {
    const own = other.kind === "object" ? other.fields.get(name)?.value : undefined;
    const value = names
      ? whereAbsent(own ?? memberOf(state, other, name, NOWHERE), fieldOfRow(row, name))
      : unknown(why, [...readsOf(fieldOfRow(row, name)), ...readsOf(other)]);
    setMember(state, row, name, value);
  }
}
