// The key that an operation on one row is given: the client refuses one that is left out, or null.
import type { Expression } from "../../../../program/expression";
import { literal, TRUE } from "../../../sql/expressions";
import { connective } from "../../../sql/terms";
import { orAbsent } from "../../evaluate/values/absence";
import { conditional, isLiteral } from "../../evaluate/values/convert";
import { isNull, type Value } from "../../values";
import { knownFields, argumentField, isAbsent } from "./argumentValues";
import type { Work } from "./context";

const OF_ONE: ReadonlySet<string> = new Set(
  "findUnique findUniqueOrThrow update delete upsert".split(" "),
);

/** The operation with a key that is there: what runs without one is refused. Linear in the keys that it names. */
export function withKey(work: Work): Work {
  const { operation, model, name, args } = work;
  const { tools, source } = operation;
  const where = OF_ONE.has(name) ? argumentField(tools, args, "where") : undefined;
  const parts = where && knownFields(tools, where);
  const fields = args && tools.fields(args);
  if (!parts || !fields) return work;
  const keys = parts.flatMap(([part, value]) => {
    const key = model.keys.find((each) => each.name === part);
    return key ? [{ part, values: valuesOf(work, key.fields, value) }] : [];
  });
  if (keys.length === 0) return work;
  const isGiven = connective(
    "or",
    keys.map(({ values }) =>
      connective(
        "and",
        values.map(([field, value]) => isThere(work, field, value)),
      ),
    ),
  );
  if (isLiteral(isGiven, true)) return work;
  tools.require(isGiven, `no key of ${model.name} is given`, source);
  const [only] = keys;
  if (keys.length > 1 || !only) return work;
  const surely = only.values.map(([field, value]) => [field, sure(value)] as const);
  const [first] = surely;
  const key = first?.[0] === only.part ? first[1] : tools.object(Object.fromEntries(surely));
  const whole = tools.object({ ...Object.fromEntries(parts), [only.part]: key });
  return { ...work, args: tools.object({ ...Object.fromEntries(fields), where: whole }) };
}

/** The values for the fields of a key. */
function valuesOf(
  { operation }: Work,
  fields: readonly string[],
  value: Value,
): readonly (readonly [string, Value])[] {
  const [only, second] = fields;
  if (only !== undefined && second === undefined) return [[only, value]];
  return knownFields(operation.tools, value) ?? [];
}

/** When a value is there, as far as it is told of it that it may not be, or matters. */
function isThere(work: Work, name: string, value: Value): Expression {
  if (isNothing(value)) return literal(false);
  if (value.kind === "choice") {
    const [then, otherwise] = [value.then, value.otherwise].map((each) =>
      isThere(work, name, each),
    );
    return conditional(value.condition, then ?? TRUE, otherwise ?? TRUE);
  }
  const where = value.kind === "scalar" ? value.where : undefined;
  const field = work.model.fields.get(name);
  const isOptional = field?.kind === "scalar" && field.isOptional;
  if (!mayLack(value, isOptional)) return where ?? TRUE;
  const operand = work.operation.tools.expression(value);
  const isSomething: Expression = { kind: "not", operand: { kind: "isNull", operand } };
  return where ? connective("and", [where, isSomething]) : isSomething;
}

/** True if nothing may be given where a value is expected; rows without a value are found by that in an optional column. */
function mayLack(value: Value, isOptional: boolean): boolean {
  if (value.kind === "input") return value.mayLack === true || isOptional;
  return isOptional && value.kind === "scalar" && value.mayBeNull === true;
}

function isNothing(value: Value): boolean {
  return isAbsent(value) || isNull(value);
}

/** A value without the ways in which there is none. */
function sure(value: Value): Value {
  const one = orAbsent(value);
  if (one.kind !== "choice") return one;
  if (isNothing(one.then)) return sure(one.otherwise);
  return isNothing(one.otherwise) ? sure(one.then) : one;
}
