// Getters and setters of attributes: `get a() { return this.getDataValue("a") }`. Those that pass on what the row has change
// nothing; what others make of it is not known.
import type { HirExpression, HirFunction, HirStatement } from "../../hir";
import { unknown, type Value } from "../../values";
import type { Tools } from "../library";
import type { Model, ModelColumn } from "../orm/model";
import { isGiven } from "../orm/statements";

type Fields = ReadonlyMap<string, Value>;

/** True if an attribute's `get` and `set` change what is read and written; undefined where neither does. */
export function changesOf(property: string, attribute: Fields): ModelColumn["changes"] {
  const [getter, setter] = [attribute.get("get"), attribute.get("set")];
  const onRead = isGiven(getter) && !passesOn(getter, (of) => isPlainGetter(of, property));
  const onWrite = isGiven(setter) && !passesOn(setter, (of) => isPlainSetter(of, property));
  return onRead || onWrite ? { onRead, onWrite } : undefined;
}

function passesOn(value: Value, isPlain: (of: HirFunction) => boolean): boolean {
  return value.kind === "function" && isPlain(value.function);
}

function isPlainGetter({ body: [only, ...more] }: HirFunction, property: string): boolean {
  if (only?.kind !== "return" || !only.value || more.length > 0) return false;
  const given = untyped(only.value);
  // `this.dataValues.property`
  if (given.kind === "member" && given.object.kind === "member") {
    const { object } = given.object;
    return object.kind === "this" && given.object.property === "dataValues" && given.property === property; // prettier-ignore
  }
  return argumentsOf(given, "getDataValue", property)?.length === 0;
}

function isPlainSetter(
  { body: [only, ...more], parameters }: HirFunction,
  property: string,
): boolean {
  const called = only && expressionOf(only);
  const pattern = parameters[0]?.pattern;
  if (!called || more.length > 0 || pattern?.kind !== "bind") return false;
  const [given, ...others] = argumentsOf(called, "setDataValue", property) ?? [];
  const written = given && untyped(given);
  return others.length === 0 && written?.kind === "name" && written.name === pattern.name;
}

function expressionOf(statement: HirStatement): HirExpression | undefined {
  if (statement.kind === "expression") return statement.expression;
  return statement.kind === "return" ? statement.value : undefined;
}

/** The arguments of `this.method("property", ...)` beside the property; undefined of all else. */
function argumentsOf(
  called: HirExpression,
  method: string,
  property: string,
): readonly HirExpression[] | undefined {
  const call = untyped(called);
  if (call.kind !== "call" || call.callee.kind !== "member") return undefined;
  const { callee } = call;
  if (callee.object.kind !== "this" || callee.property !== method) return undefined;
  const [first, ...rest] = call.arguments.map(({ value }) => untyped(value));
  const named = first?.kind === "text" ? first.runs.map(({ text }) => text).join("") : undefined;
  return named === property ? rest : undefined;
}

function untyped(expression: HirExpression): HirExpression {
  return expression.kind === "typed" ? untyped(expression.operand) : expression;
}

/** The writes where a property is given a value. */
export function writeProperty(
  { name }: Model,
  { changes, property = "" }: ModelColumn,
  value: Value,
  tools: Tools,
): Value {
  if (changes?.onWrite !== true || value.kind === "undefined") return value;
  const why = `what ${name}'s setter of "${property}" makes of what is written is not known`;
  return unknown(why, [tools.expression(value)]);
}
