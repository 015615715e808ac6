// Schemas of zod: what they refuse is never passed on, so that arguments lie in the ranges that they name. Formats of texts
// and functions of the code's own are not looked at: they refuse more.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare, joined } from "../../../sql/terms";
import { walkExpression } from "../../../sql/walk";
import { isExactly, leftOut } from "../../evaluate/values/absence";
import { isInput, readsOf } from "../../evaluate/values/convert";
import { REFUSED } from "../../evaluate/errors/refusals";
import {
  constant,
  constantScalar,
  scalar,
  UNDEFINED,
  unknown,
  type HandleValue,
  type Value,
} from "../../values";
import type { Call, Library, Tools } from "../library";

type Check = (value: Expression) => Expression;

interface Schema {
  readonly kind: "object" | "number" | "text" | "truth" | "list" | "other";
  readonly fields?: ReadonlyMap<string, Schema>;
  readonly checks: readonly Check[];
  /** Nothing is taken, too, and becomes this where something is given for it. */
  readonly isOptional?: boolean;
  /** It may be left out, or be null. */
  readonly mayLack?: boolean;
  readonly mayBeNull?: boolean;
  readonly instead?: number | string | boolean;
  /** The same behind `.optional()`, which newer versions look through. */
  readonly perhapsInstead?: number | string | boolean;
  /** It is taken by one of these. */
  readonly alternatives?: readonly Schema[];
  /** The only thing that is taken. */
  readonly only?: number | string | boolean;
  /** What an enumeration's names stand for. */
  readonly members?: ReadonlyMap<string, number | string | boolean>;
  /** Functions of the code's own that say whether what was checked is taken. */
  readonly refinements?: readonly Value[];
  /** It gives something else than it is given. */
  readonly isChanged?: boolean;
}

const ANY: Schema = { kind: "other", checks: [] };

/** What a schema says of a value: what it gives, and the conditions without which it refuses. */
interface Checked {
  readonly value: Value;
  readonly conditions: readonly Expression[];
}

function checked(schema: Schema, value: Value, call: Call, tools: Tools): Checked {
  const plain = unrefined(schema, value, call, tools);
  const { refinements } = schema;
  if (!refinements || schema.isOptional === true) return plain;
  const told = refinements.flatMap((test) => {
    const answer = tools.settle(tools.call(test, [plain.value], call.source));
    const condition = tools.condition(answer);
    return isTold(condition) ? [condition] : [];
  });
  return { ...plain, conditions: [...plain.conditions, ...told] };
}

/** Whether it compares what is known and nothing else. */
function isTold(condition: Expression): boolean {
  let isAll = condition.kind !== "literal";
  walkExpression(condition, [], {
    expression: ({ kind }) => (isAll &&= kind !== "unknown" && kind !== "call"),
  });
  return isAll;
}

function unrefined(schema: Schema, value: Value, call: Call, tools: Tools): Checked {
  if (schema.isChanged) return { value: changed(schema, value, tools), conditions: [] };
  const known = value.kind === "input" || value.kind === "scalar" || value.kind === "object";
  if (!known) return { value, conditions: [] };
  if (schema.fields) {
    const parts = [...schema.fields].map(
      ([name, each]) => [name, checked(each, tools.field(value, name), call, tools)] as const,
    );
    const conditions = schema.isOptional ? [] : parts.flatMap(([, part]) => part.conditions);
    if (schema.isOptional) return { value: ofFields(schema, value, new Map(parts)), conditions };
    const fields = parts.map(([name, part]) => [name, part.value] as const);
    return { value: tools.object(Object.fromEntries(fields)), conditions };
  }
  if (value.kind === "object") return { value, conditions: [] };
  const expression = tools.expression(value);
  const isNothing: Expression = { kind: "isNull", operand: expression };
  const checks = schema.checks.map((check) => check(expression));
  const condition = schema.isOptional
    ? joined("or", [isNothing, joined("and", checks)])
    : joined("and", [{ kind: "not", operand: isNothing }, ...checks]);
  const conditions = checks.length === 0 ? [] : [condition];
  if (schema.instead === undefined) return { value: besides(schema, value, tools), conditions };
  const given: Expression = { kind: "coalesce", operands: [expression, literal(schema.instead)] };
  return { value: scalar(given), conditions };
}

/** What is not changed: what stands for it where it is left out differs by version where a default is taken out of force. */
function besides(schema: Schema, value: Value, tools: Tools): Value {
  const argument = typed(schema, value);
  if (schema.perhapsInstead === undefined) return argument;
  const isInForce = unknown("what stands for what is left out differs by zod's version");
  const standing = either(tools.condition(isInForce), constant(schema.perhapsInstead), UNDEFINED);
  return orLeftOut(argument, argument, standing);
}

/** An argument with what its schema says of it. */
function typed(schema: Schema, value: Value): Value {
  if (value.kind !== "input") return value;
  const own = ownType(schema);
  const type = schema.mayBeNull === true ? `${own ?? "unknown"} | null` : own;
  const { type: _type, mayLack: _lacks, standsFor: _name, ...plain } = value;
  return {
    ...plain,
    ...(type !== undefined && { type }),
    ...(schema.mayLack === true && { mayLack: true }),
  };
}

const TYPES: Readonly<Record<Schema["kind"], string | undefined>> = {
  object: "{}",
  number: "number",
  text: "string",
  truth: "boolean",
  list: "unknown[]",
  other: undefined,
};

/** What may be missing as a whole, with the fields that it has where it is there. */
function ofFields(schema: Schema, value: Value, parts: ReadonlyMap<string, Checked>): Value {
  const whole = typed(schema, value);
  if (whole.kind !== "input") return whole;
  return { ...whole, members: (property) => parts.get(property)?.value };
}

/** The type of what a schema gives, as TypeScript has it; undefined for what is no schema or not known. */
export function schemaType(value: Value): string | undefined {
  return typeText(schemaOf(value));
}

function typeText(schema: Schema): string | undefined {
  const { fields, isChanged, mayBeNull, alternatives } = schema;
  const orNull = mayBeNull === true ? " | null" : "";
  if (isChanged === true) return undefined;
  if (alternatives) {
    const types = alternatives.map(typeText);
    return types.every((each) => each !== undefined)
      ? `(${types.join(" | ")})${orNull}`
      : undefined;
  }
  // What a schema does not name is left out of what it gives.
  if (fields) return `Exactly<{ ${[...fields].map(memberText).join("; ")} }>${orNull}`;
  const own = ownType(schema);
  return own && `${own}${orNull}`;
}

/** What is taken beside null; undefined where it is of several types, or not known. */
function ownType({ kind, members, only }: Schema): string | undefined {
  if (only !== undefined) return JSON.stringify(only);
  const kinds = new Set([...(members?.values() ?? [])].map((each) => typeof each));
  const [own] = kinds;
  return TYPES[kind] ?? (kinds.size === 1 ? own : undefined);
}

function memberText([name, schema]: readonly [string, Schema]): string {
  const isGiven = schema.mayLack !== true || schema.instead !== undefined;
  const orNull = schema.mayBeNull === true || schema.mayLack !== true || schema.isChanged === true;
  const type = typeText(schema) ?? `unknown${orNull ? " | null" : ""}`;
  return `${name}${isGiven ? "" : "?"}: ${type}`;
}

/** What a function of the code's own makes of a value: nothing of nothing, where nothing is taken around the function. */
function changed(schema: Schema, value: Value, tools: Tools): Value {
  const around = typed(schema, value);
  const whole = made(value, tools);
  const isNull = schema.mayBeNull === true ? isExactly(around, "null") : undefined;
  return orLeftOut(around, isNull ? either(isNull, constant(null), whole) : whole, UNDEFINED);
}

/** What is made of an argument, or what stands for it where it is left out. */
function orLeftOut(argument: Value, given: Value, standing: Value): Value {
  const isLeftOut = leftOut(argument);
  const surely =
    given === argument && given.kind === "input" ? { ...given, mayLack: false } : given;
  return isLeftOut ? either(isLeftOut, standing, surely) : given;
}

function either(condition: Expression, then: Value, otherwise: Value): Value {
  return { kind: "choice", condition, then, otherwise };
}

function made(value: Value, tools: Tools): Value {
  const reads = readsOf(value);
  if (!reads.every(isInput)) return unknown("what a validator makes of it is not known", reads);
  const args = value.kind === "object" ? reads : [tools.expression(value)];
  return scalar({ kind: "call", name: "code:transform", arguments: args, deterministic: true });
}

const COMPARED: Readonly<Record<string, (bound: number) => Check>> = {
  min: (bound) => (value) => compare(">=", value, literal(bound)),
  gte: (bound) => (value) => compare(">=", value, literal(bound)),
  max: (bound) => (value) => compare("<=", value, literal(bound)),
  lte: (bound) => (value) => compare("<=", value, literal(bound)),
  gt: (bound) => (value) => compare(">", value, literal(bound)),
  lt: (bound) => (value) => compare("<", value, literal(bound)),
};

const SIGNED: Readonly<Record<string, Check>> = {
  positive: (value) => compare(">", value, literal(0)),
  negative: (value) => compare("<", value, literal(0)),
  nonnegative: (value) => compare(">=", value, literal(0)),
  nonpositive: (value) => compare("<=", value, literal(0)),
};

/** Methods behind which a schema gives something else. */
const CHANGES = /^(?:transform|pipe|preprocess|catch|toLowerCase|toUpperCase|overwrite|codec)$/u;
/** Methods behind which it takes other things, too, or with other fields. */
const WIDENS = /^(?:or|and|passthrough|loose|catchall|promise|deepPartial|keyof|unwrap|shape)$/u;

/** Methods behind which an object's schema has other fields, and asks no functions about the whole. */
const RESHAPES = /^(?:extend|augment|merge|pick|omit|partial|required)$/u;

const OPTIONAL = /^(?:optional|nullable|nullish)$/u;

function optional(schema: Schema, how: string): Schema {
  return {
    ...schema,
    isOptional: true,
    ...(how !== "nullable" && { mayLack: true }),
    ...(how !== "optional" && { mayBeNull: true }),
  };
}

/** Lists whose items a function makes are made by one. */
function listOfSchema(item: Schema): Schema {
  return { kind: "list", checks: [], ...(isMade(item) && { isChanged: true }) };
}

function isMade({ isChanged, fields }: Schema): boolean {
  return isChanged === true || [...(fields?.values() ?? [])].some(isMade);
}

/** What may be left out, or null; a default inside may stand for it then or not. */
function orNothing(each: Schema, how: string): Schema {
  const { instead, ...plain } = optional(each, how);
  if (instead === undefined) return plain;
  return how === "nullable" ? remade(plain) : { ...plain, perhapsInstead: instead };
}

/** It gives something else than it is given, whatever that is. */
function remade({ kind, fields, checks }: Schema): Schema {
  return { kind, checks, isChanged: true, ...(fields && { fields }) };
}

function required({
  mayLack: _lacks,
  perhapsInstead: _other,
  isOptional,
  ...plain
}: Schema): Schema {
  const mayBeNothing = isOptional === true && plain.mayBeNull === true;
  return { ...plain, ...(mayBeNothing && { isOptional: true }) };
}

/** With the fields of these names changed, or all where none is named. */
function withEach(
  schema: Schema,
  own: ReadonlyMap<string, Schema>,
  names: readonly string[],
  change: (field: Schema) => Schema,
): Schema {
  const isMeant = (name: string): boolean => names.length === 0 || names.includes(name);
  const fields = [...own].map(
    ([name, each]) => [name, isMeant(name) ? change(each) : each] as const,
  );
  return { ...schema, fields: new Map(fields) };
}

/** A schema behind a method. */
function refined(schema: Schema, method: string, args: readonly Value[], tools: Tools): Schema {
  const [first = UNDEFINED] = args;
  const bound = constantScalar(first);
  const withCheck = (check: Check): Schema => ({ ...schema, checks: [...schema.checks, check] });
  if (CHANGES.test(method)) return remade(schema);
  if (method === "array") return listOfSchema(schema);
  if (WIDENS.test(method)) return ANY;
  if (OPTIONAL.test(method)) return orNothing(schema, method);
  if (method === "refine" && first.kind === "function" && schema.isChanged !== true) {
    return { ...schema, refinements: [...(schema.refinements ?? []), first] };
  }
  if (method === "default" || method === "prefault") {
    const isPlain = bound !== undefined && bound !== null && !schema.fields && !schema.isChanged;
    return isPlain ? { ...optional(schema, "optional"), instead: bound } : remade(schema);
  }
  const compared = Object.hasOwn(COMPARED, method) ? COMPARED[method] : undefined;
  const signed = Object.hasOwn(SIGNED, method) ? SIGNED[method] : undefined;
  if (schema.kind === "number" && signed) return withCheck(signed);
  if (schema.kind === "number" && compared) {
    return typeof bound === "number" ? withCheck(compared(bound)) : schema;
  }
  const isFilled = method === "nonempty" || (method === "min" && typeof bound === "number" && bound > 0); // prettier-ignore
  if (schema.kind === "text" && isFilled) {
    return withCheck((value) => compare("<>", value, literal("")));
  }
  if (!schema.fields) return schema;
  const { refinements: _tests, ...untested } = schema;
  const kept = RESHAPES.test(method) ? untested : schema;
  return reshaped(kept, schema.fields, method, first, tools);
}

/** An object's schema with other fields. */
function reshaped(
  schema: Schema,
  own: ReadonlyMap<string, Schema>,
  method: string,
  given: Value,
  tools: Tools,
): Schema {
  const names = [...(tools.fields(given)?.keys() ?? [])];
  switch (method) {
    case "extend":
    case "safeExtend":
    case "augment":
      return withFields(schema, new Map([...own, ...(fieldsOf(given, tools) ?? [])]), given, tools);
    case "merge": {
      const other = schemaOf(given).fields;
      return other ? { ...schema, fields: new Map([...own, ...other]) } : ANY;
    }
    case "pick":
      return { ...schema, fields: new Map([...own].filter(([name]) => names.includes(name))) };
    case "omit":
      return { ...schema, fields: new Map([...own].filter(([name]) => !names.includes(name))) };
    case "partial":
      return withEach(schema, own, names, (each) => orNothing(each, "optional"));
    case "required":
      return withEach(schema, own, names, required);
    default:
      return schema;
  }
}

function withFields(
  schema: Schema,
  fields: ReadonlyMap<string, Schema>,
  given: Value,
  tools: Tools,
): Schema {
  return tools.fields(given) ? { ...schema, fields } : ANY;
}

function fieldsOf(given: Value, tools: Tools): ReadonlyMap<string, Schema> | undefined {
  const fields = tools.fields(given);
  return fields && new Map([...fields].map(([name, value]) => [name, schemaOf(value)]));
}

function schemaOf(value: Value): Schema {
  const isSchema = value.kind === "handle" && value.library === ZOD && value.data !== undefined;
  // Only this file makes handles with data.
  return isSchema ? (value.data as Schema) : ANY;
}

/** `z.number()`, `z.object({ ... })`: the schema that a maker gives. */
function schemaMade(name: string, args: readonly Value[], tools: Tools): Schema {
  const [first = UNDEFINED] = args;
  switch (name) {
    case "object":
    case "strictObject": {
      const fields = fieldsOf(first, tools);
      return fields ? { kind: "object", fields, checks: [] } : ANY;
    }
    case "number":
    case "int":
    case "coerce.number":
      return { kind: "number", checks: [] };
    case "string":
    case "coerce.string":
      return { kind: "text", checks: [] };
    case "enum":
    case "nativeEnum":
    case "literal": {
      const named = first.kind === "object" ? tools.fields(first) : undefined;
      const values = (tools.items(first) ?? [...(named?.values() ?? [first])]).map(constantScalar);
      const known = values.flatMap((each) => (each === undefined || each === null ? [] : [each]));
      if (known.length === 0 || known.length < values.length) return ANY;
      const check: Check = (operand) =>
        joined("or", known.map((each) => compare("=", operand, literal(each)))); // prettier-ignore
      const members = new Map(
        known.map((each, at) => [[...(named?.keys() ?? [])][at] ?? String(each), each]),
      );
      if (name !== "literal") return { kind: "other", checks: [check], members };
      const [only] = known;
      const isOne = known.length === 1 && only !== undefined;
      return { kind: "other", checks: [check], ...(isOne && { only }) };
    }
    case "union":
      return oneOfSchemas(first, tools);
    case "discriminatedUnion":
      return oneOfSchemas(args[1] ?? UNDEFINED, tools);
    case "boolean":
      return { kind: "truth", checks: [] };
    case "array":
      return listOfSchema(schemaOf(first));
    case "optional":
    case "nullable":
    case "nullish":
      return orNothing(schemaOf(first), name);
    case "preprocess":
      return { ...ANY, isChanged: true };
    default:
      return ANY;
  }
}

/** What one of several schemas takes, as far as types go. */
function oneOfSchemas(list: Value, tools: Tools): Schema {
  const alternatives = tools.items(list)?.map(schemaOf);
  return alternatives ? { ...ANY, alternatives } : ANY;
}

function parsed(schema: Schema, value: Value, call: Call, tools: Tools): Value {
  tools.mayFail("parse", call.source);
  const { value: given, conditions } = checked(schema, value, call, tools);
  for (const condition of conditions) tools.require(condition, REFUSED, call.source);
  return given;
}

/** `{ success, data }`: it may refuse for more than is looked at. */
function tried(schema: Schema, value: Value, call: Call, tools: Tools): Value {
  const { value: data, conditions } = checked(schema, value, call, tools);
  const path = value.kind === "input" ? `${value.path}.valid` : "valid";
  const reads = readsOf(value);
  // What one schema says of one value says nothing of others.
  const isValid = reads.every(isInput)
    ? tools.decidedOutside(path)
    : tools.condition(unknown("whether a validator takes it is not known", reads));
  const success = scalar(joined("and", [...conditions, isValid]), "bool");
  return tools.object({ success, data, error: unknown("what is wrong") });
}

/** What `z` stands for, under whatever name. */
const ZOD: Library = {
  name: "zod",
  modules: [],
  member: (handle, property, tools) => {
    const { fields, members } = schemaOf(handle);
    const isOwn = handle.path === "schema";
    if (isOwn && property === "shape" && fields) {
      const shape = [...fields].map(([name, each]) => [name, handleOf(each, tools)] as const);
      return tools.object(Object.fromEntries(shape));
    }
    if (!isOwn || !members) return undefined;
    if (property === "options") return tools.list([...members.values()].map(constant));
    return /^(?:enum|Enum|Values)$/u.test(property)
      ? tools.object(
          Object.fromEntries([...members].map(([name, value]) => [name, constant(value)])),
        )
      : undefined;
  },
  call: (handle, call, tools) => {
    const { arguments: args } = call;
    const [first = UNDEFINED] = args;
    const schema = schemaOf(handle);
    const method = handle.path.slice(handle.path.indexOf(".") + 1);
    if (handle.path.startsWith("z.")) return handleOf(schemaMade(method, args, tools), tools);
    switch (method) {
      case "parse":
      case "parseAsync":
        return parsed(schema, first, call, tools);
      case "safeParse":
      case "safeParseAsync":
      case "spa":
        return tried(schema, first, call, tools);
      default:
        return handleOf(refined(schema, method, args, tools), tools);
    }
  },
};

function handleOf(schema: Schema, tools: Tools): Value {
  return tools.handle("schema", schema);
}

/** What a module of zod exports under a name; undefined for other modules. */
export function zodExport(from: string, name: string): HandleValue | undefined {
  if (!/^zod(?:\/v[34]|\/mini)?$/u.test(from)) return undefined;
  const isWhole = name === "z" || name === "default" || name === "*" || name === "zod";
  return { kind: "handle", library: ZOD, path: isWhole ? "z" : `z.${name}` };
}
