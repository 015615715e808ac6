// Schemas of zod, as they are made of others.
import { dictionary } from "../../../../protocol/dictionary";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { isOfInputs } from "../../roots/provenance";
import { readsOf } from "../../evaluate/values/convert";
import { OF_ANOTHER_KIND, REFUSAL } from "../../evaluate/errors/validatorRefusals";
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
import { traverse } from "../../traverse";
import { ANY, refine, madeOf, ownType, type Check, type Schema } from "./refinement";

/** The type of what a schema gives, as TypeScript has it; undefined for what is no schema or not known. */
export function schemaType(value: Value): string | undefined {
  return typeText(schemaOf(value));
}

function typeText(schema: Schema): string | undefined {
  const { fields, isChanged, isLoose, makers, mayBeNull, alternatives } = schema;
  const orNull = mayBeNull === true ? " | null" : "";
  if (isChanged === true || makers) return undefined;
  if (alternatives) {
    const types = traverse(alternatives, typeText);
    return types && `(${types.join(" | ")})${orNull}`;
  }
  // Fields that a schema does not name are left out of what it gives.
  if (fields) {
    const record = `{ ${[...fields].map(memberText).join("; ")} }`;
    return `${isLoose === true ? record : `Exactly<${record}>`}${orNull}`;
  }
  const own = ownType(schema);
  return own && `${own}${orNull}`;
}

function memberText([name, schema]: readonly [string, Schema]): string {
  const isGiven = schema.mayLack !== true || schema.instead !== undefined;
  const orNull = schema.mayBeNull === true || schema.mayLack !== true || schema.isChanged === true;
  const type = typeText(schema) ?? `unknown${orNull ? " | null" : ""}`;
  return `${name}${isGiven ? "" : "?"}: ${type}`;
}

const COMPARED = dictionary<(bound: number) => Check>({
  min: (bound) => (value) => compare(">=", value, literal(bound)),
  gte: (bound) => (value) => compare(">=", value, literal(bound)),
  max: (bound) => (value) => compare("<=", value, literal(bound)),
  lte: (bound) => (value) => compare("<=", value, literal(bound)),
  gt: (bound) => (value) => compare(">", value, literal(bound)),
  lt: (bound) => (value) => compare("<", value, literal(bound)),
});

const SIGNED = dictionary<Check>({
  positive: (value) => compare(">", value, literal(0)),
  negative: (value) => compare("<", value, literal(0)),
  nonnegative: (value) => compare(">=", value, literal(0)),
  nonpositive: (value) => compare("<=", value, literal(0)),
});

/** Methods behind which a schema gives something else. */
const CHANGES = /^(?:transform|pipe|preprocess|catch|toLowerCase|toUpperCase|overwrite|codec)$/u;
/** Methods among them that give a text for a text. */
const RESPELLS = /^(?:toLowerCase|toUpperCase|overwrite)$/u;
/** Methods behind which it takes other things, too, or with other fields. */
const WIDENS = /^(?:or|and|promise|deepPartial|keyof|unwrap|shape)$/u;
/** Methods behind which an object's schema gives other fields as well. */
const LOOSENS = /^(?:passthrough|loose|catchall)$/u;

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
  return { kind: "list", checks: [], refusesMore: true, ...madeOf([item]) };
}

/** The schemas that stand in an argument. */
function schemasIn(value: Value, tools: Tools): readonly Schema[] {
  const inner = tools.items(value) ?? tools.fields(value)?.values();
  return inner ? [...inner].map(schemaOf) : [schemaOf(value)];
}

/** Values that may be left out (`optional`), be null (`nullable`) or both (`nullish`); a default inside may stand for it then or not. */
export function optionally(each: Schema, how: string): Schema {
  // A value that is left out is not given to what makes something of it.
  const { instead, ...plain } = optional(each.makers ? remade(each) : each, how);
  if (instead === undefined) return plain;
  return how === "nullable" ? remade(plain) : { ...plain, perhapsInstead: instead };
}

/** It gives something else than it is given, whatever that is, and may refuse what it does not like. */
function remade({ kind, fields, checks, mayLose }: Schema, isThere = false): Schema {
  const loses = fields ? "parts" : (mayLose ?? (isThere ? undefined : "whole"));
  const own = { kind, checks, isChanged: true, refusesMore: true, ...(fields && { fields }) };
  return { ...own, ...(loses && { mayLose: loses }) };
}

/** Validators that take what a function makes of an argument. */
function ofMade(schema: Schema): Schema {
  if (schema === ANY) return remade(schema);
  return { ...schema, isOfMade: true, refusesMore: true };
}

const MAKERS: ReadonlySet<string> = new Set(["Number", "String", "Boolean"]);

/** A function of the code's own that makes something of what is taken, and that refuses nothing of it. */
function isMaker(value: Value): boolean {
  if (value.kind === "builtin") return MAKERS.has(value.name);
  return value.kind === "function" && value.function.parameters.length <= 1;
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
  if (method === "transform" && isMaker(first) && schema.isChanged !== true) {
    return { ...schema, makers: [...(schema.makers ?? []), first] };
  }
  if (method === "pipe" && isSchema(first)) return ofMade(schemaOf(first));
  if (CHANGES.test(method)) return remade(schema, RESPELLS.test(method));
  if (schema.makers) return refined(remade(schema), method, args, tools);
  if (method === "array") return listOfSchema(schema);
  if (LOOSENS.test(method) && schema.fields) return { ...schema, isLoose: true, refusesMore: true };
  if (WIDENS.test(method) || LOOSENS.test(method))
    return { ...ANY, ...madeOf([schema, ...args.flatMap((each) => schemasIn(each, tools))]) };
  if (OPTIONAL.test(method)) return optionally(schema, method);
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
    return typeof bound === "number"
      ? withCheck(compared(bound))
      : { ...schema, refusesMore: true };
  }
  const isFilled = method === "nonempty" || (method === "min" && typeof bound === "number" && bound > 0); // prettier-ignore
  const isTrimmed = schema.kind === "text" && /^(?:trim|normalize)$/u.test(method);
  const refusesMore = !TAKES_AS_MUCH.test(method) && !isTrimmed;
  const more = { ...(isTrimmed && { isTrimmed }), ...(refusesMore && { refusesMore }) };
  if (schema.kind === "text" && isFilled) {
    const isAny = method === "nonempty" || bound === 1;
    return { ...withCheck((value) => compare("<>", value, literal(""))), ...(!isAny && more) };
  }
  if (!schema.fields) return { ...schema, ...more };
  if (method === "safeExtend") return reshaped(schema, schema.fields, method, first, tools);
  const { refinements: _tests, ...untested } = schema;
  if (RESHAPES.test(method)) return reshaped(untested, schema.fields, method, first, tools);
  return { ...schema, ...more };
}

/** Methods behind which as much is taken, of what numbers of columns are as well. */
const TAKES_AS_MUCH = /^(?:int|safe|finite|strip|describe|meta|register|brand|readonly)$/u;

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
      const { fields, refusesMore } = schemaOf(given);
      const more = refusesMore === true && { refusesMore };
      return fields ? { ...schema, fields: new Map([...own, ...fields]), ...more } : ANY;
    }
    case "pick":
      return { ...schema, fields: new Map([...own].filter(([name]) => names.includes(name))) };
    case "omit":
      return { ...schema, fields: new Map([...own].filter(([name]) => !names.includes(name))) };
    case "partial":
      return withEach(schema, own, names, (each) => optionally(each, "optional"));
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

/** Facts about a schema; of what is none, nothing. */
export function schemaOf(value: Value): Schema {
  // Only this file makes handles with data.
  return isSchema(value) ? (value.data as Schema) : ANY;
}

function isSchema(value: Value): value is HandleValue {
  return value.kind === "handle" && value.library === ZOD && value.data !== undefined;
}

/** `z.number()`, `z.object({ ... })`: the schema that a maker gives. */
function schemaMade(name: string, args: readonly Value[], tools: Tools): Schema {
  const [first = UNDEFINED] = args;
  switch (name) {
    case "object":
    case "strictObject": {
      const fields = fieldsOf(first, tools);
      const isStrict = name === "strictObject";
      return fields
        ? { kind: "object", fields, checks: [], ...(isStrict && { refusesMore: true }) }
        : ANY;
    }
    case "looseObject": {
      const fields = fieldsOf(first, tools);
      return fields
        ? { kind: "object", fields, checks: [], isLoose: true, refusesMore: true }
        : ANY;
    }
    case "any":
    case "unknown":
      return { kind: "other", checks: [] };
    case "date":
      return { kind: "date", checks: [] };
    case "number":
    case "int":
      return { kind: "number", checks: [] };
    case "coerce.number":
      return { kind: "number", checks: [], isCoerced: true };
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
        connective("or", known.map((each) => compare("=", operand, literal(each)))); // prettier-ignore
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
      return optionally(schemaOf(first), name);
    case "preprocess":
    case "pipe":
      return ofMade(schemaOf(args[1] ?? UNDEFINED));
    case "coerce.boolean":
    case "coerce.bigint":
    case "stringbool":
      return { ...ANY, isChanged: true };
    case "codec":
    case "transform":
      return remade(ANY);
    case "url":
      return { kind: "text", checks: [], isTrimmed: true, refusesMore: true };
    case "zfd.formData":
      return ofMade(isSchema(first) ? schemaOf(first) : schemaMade("object", args, tools));
    case "zfd.json":
      return ofMade(schemaOf(first));
    case "zfd.text":
      return ofMade(isSchema(first) ? schemaOf(first) : { kind: "text", checks: [] });
    case "zfd.numeric":
      return ofMade(isSchema(first) ? schemaOf(first) : { kind: "number", checks: [] });
    case "zfd.checkbox":
      return ofMade({ kind: "truth", checks: [] });
    case "zfd.file":
    case "zfd.repeatable":
    case "zfd.repeatableOfType":
      return ofMade(remade(ANY));
    default:
      return { ...ANY, ...madeOf(args.flatMap((each) => schemasIn(each, tools))) };
  }
}

/** The types that one of several schemas takes. */
function oneOfSchemas(list: Value, tools: Tools): Schema {
  const alternatives = tools.items(list)?.map(schemaOf);
  return alternatives ? { ...ANY, alternatives, ...madeOf(alternatives) } : ANY;
}

function parsed(schema: Schema, value: Value, call: Call, tools: Tools): Value {
  const reads = readsOf(value);
  // The reads are told below.
  const isFromDatabase = reads.length > 0 && !reads.some(isOfInputs);
  if (!isFromDatabase) tools.mayFail("parse", call.source);
  const { value: given, conditions, untold } = refine(schema, value, call, tools);
  for (const { holds, isTag } of conditions) {
    tools.require(holds, isTag === true ? OF_ANOTHER_KIND : REFUSAL, call.source);
  }
  if (untold) tools.require(tools.condition(unknown(UNTOLD, untold)), REFUSAL, call.source);
  return given;
}

const UNTOLD = "whether a validator takes it is not known";

/** `{ success, data }`: it may refuse for more than is looked at. */
function tried(schema: Schema, value: Value, call: Call, tools: Tools): Value {
  const { value: data, conditions, untold } = refine(schema, value, call, tools);
  const path = value.kind === "input" ? `${value.path}.valid` : "valid";
  // The refusal of one schema for one value says nothing of others.
  const isFromDatabase = !readsOf(value).every(isOfInputs);
  const told = isFromDatabase ? [] : [tools.decidedOutside(path)];
  const others = untold ? [tools.condition(unknown(UNTOLD, untold))] : told;
  const success = scalar(connective("and", [...conditions.map(({ holds }) => holds), ...others]), "bool"); // prettier-ignore
  return tools.object({ success, data, error: unknown("what is wrong") });
}

/** Meaning of `z`, under whatever name. */
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

/** A schema as a value of the code. */
export function zodSchema(schema: Schema): HandleValue {
  return { kind: "handle", library: ZOD, path: "schema", data: schema };
}

function handleOf(schema: Schema, tools: Tools): Value {
  return tools.handle("schema", schema);
}

/** The export of a module of zod under a name; undefined for other modules. */
export function zodExport(from: string, name: string): HandleValue | undefined {
  if (from === "zod-form-data" && name === "zfd") {
    return { kind: "handle", library: ZOD, path: "z.zfd" };
  }
  if (!/^zod(?:\/v[34]|\/mini)?$/u.test(from)) return undefined;
  const isWhole = name === "z" || name === "default" || name === "*" || name === "zod";
  return { kind: "handle", library: ZOD, path: isWhole ? "z" : `z.${name}` };
}
