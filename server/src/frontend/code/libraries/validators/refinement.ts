// Refinement of a value by a schema, and the condition under which the schema rejects it: accepted arguments lie in its ranges.
// A schema with a format may refuse a value that was read from the database.
import type { Expression, ValueType } from "../../../../program/expression";
import { literal, TRUE } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { walkExpression } from "../../../sql/walk";
import { isExactly, leftOut } from "../../evaluate/values/absence";
import { isOfInputs } from "../../roots/provenance";
import { readsOf } from "../../evaluate/values/convert";
import { constant, partPath, scalar, UNDEFINED, unknown, type Value } from "../../values";
import type { Call, Tools } from "../library";

export type Check = (value: Expression) => Expression;

export interface Schema {
  readonly kind: "object" | "number" | "text" | "truth" | "date" | "list" | "other";
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
  /** Meaning of an enumeration's names. */
  readonly members?: ReadonlyMap<string, number | string | boolean>;
  /** Functions of the code's own that say whether what was checked is taken. */
  readonly refinements?: readonly Value[];
  /** It gives something else than it is given. */
  readonly isChanged?: boolean;
  /** It gives fields that it does not name as they are, too. */
  readonly isLoose?: boolean;
  /** Its results that may be nothing as well, or have parts that are left out. */
  readonly mayLose?: "whole" | "parts";
  /** It takes what a function makes of what it is given: that is an argument of its own. */
  readonly isOfMade?: boolean;
  /** Functions of the code's own that make something of what was taken, one after the other. */
  readonly makers?: readonly Value[];
  /** The same of what was read: arguments may as well come as it gives them. */
  readonly isTrimmed?: boolean;
  /** It makes its kind of what it is given first. */
  readonly isCoerced?: true;
  /** It refuses more than its kind and its checks say. */
  readonly refusesMore?: boolean;
}

/** A schema that is not known to be one, or a part of one. */
export const ANY: Schema = { kind: "other", checks: [], refusesMore: true };

/** The meaning of a schema for a value: what it gives, and the conditions without which it refuses. */
export interface Refinement {
  readonly value: Value;
  readonly conditions: readonly Condition[];
  /** Parts that were read of which nobody knows whether they are taken. */
  readonly untold?: readonly Expression[];
}

export interface Condition {
  readonly holds: Expression;
  /** It tells of which kind a record is. */
  readonly isTag?: boolean;
}

/**
 * The result of a schema for a value, and its refusals. Functions of the code's own that it asks are called. Linear in the
 * fields and alternatives of the schema.
 */
export function refine(schema: Schema, value: Value, call: Call, tools: Tools): Refinement {
  if (value.kind === "choice") return ofEither(schema, value, call, tools);
  if (schema.makers) {
    const { makers, ...first } = schema;
    const taken = refine(first, value, call, tools);
    const make = (made: Value, by: Value): Value => tools.settle(tools.call(by, [made], call.source)); // prettier-ignore
    return { ...taken, value: makers.reduce(make, taken.value) };
  }
  if (schema.isLoose === true && value.kind !== "input") {
    return refine({ ...ANY, ...madeOf([schema]) }, value, call, tools);
  }
  if (schema.isOfMade === true && value.kind === "input") {
    const { isOfMade: _made, ...own } = schema;
    return refine(own, madeArgument(value), call, tools);
  }
  const plain = unrefined(schema, value, call, tools);
  const { refinements } = schema;
  if (!refinements) return plain;
  if (schema.isOptional === true) {
    // A value that may be left out is not asked where it is.
    const untold = [...(plain.untold ?? []), ...readsOf(value)];
    return isRead(value) ? { ...plain, untold } : plain;
  }
  const told = refinements.flatMap((test) => {
    const answer = tools.settle(tools.call(test, [plain.value], call.source));
    const condition = tools.condition(answer);
    return isTold(condition) || isRead(value) ? [{ holds: condition }] : [];
  });
  return { ...plain, conditions: [...plain.conditions, ...told] };
}

type Input = Extract<Value, { kind: "input" }>;

function madeArgument({ path, origin, element }: Input): Input {
  const name = "preprocessed";
  if (!element) {
    const isMade = path.includes(`.${name}`);
    return { kind: "input", path: isMade ? path : partPath(path, name), origin };
  }
  const field = element.field === "" ? name : `${element.field}.${name}`;
  return { kind: "input", path: partPath(path, name), origin, element: { ...element, field } };
}

function ofEither(
  schema: Schema,
  { condition, then, otherwise }: Extract<Value, { kind: "choice" }>,
  call: Call,
  tools: Tools,
): Refinement {
  const one = refine(schema, then, call, tools);
  const other = refine(schema, otherwise, call, tools);
  const where = (isThen: boolean, { holds, ...rest }: Condition): Condition => {
    const [yes, no] = isThen ? [holds, TRUE] : [TRUE, holds];
    return { ...rest, holds: { kind: "conditional", condition, then: yes, otherwise: no } };
  };
  return {
    value: either(condition, one.value, other.value),
    conditions: [
      ...one.conditions.map((each) => where(true, each)),
      ...other.conditions.map((each) => where(false, each)),
    ],
    ...untoldOf([one, other]),
  };
}

function untoldOf(parts: readonly Refinement[]): Pick<Refinement, "untold"> {
  const untold = parts.flatMap((part) => part.untold ?? []);
  return untold.length === 0 ? {} : { untold: [...new Set(untold)] };
}

/** True if it comes from the database, in part at least. */
function isRead(value: Value): boolean {
  return !readsOf(value).every(isOfInputs);
}

/** True if it compares what is known and nothing else. */
function isTold(condition: Expression): boolean {
  let isAll = condition.kind !== "literal";
  walkExpression(condition, [], {
    expression: ({ kind }) => (isAll &&= kind !== "unknown" && kind !== "call"),
  });
  return isAll;
}

function unrefined(schema: Schema, value: Value, call: Call, tools: Tools): Refinement {
  const { kind, fields, alternatives, isChanged, isOptional, instead } = schema;
  const isFromDatabase = isRead(value);
  const isOwn = isFromDatabase || value.kind === "object" || value.kind === "list";
  if (isChanged === true || schema.isOfMade === true || (schema.isTrimmed === true && isOwn)) {
    const read = isFromDatabase ? ofRead(schema, value) : { conditions: [] };
    return { value: changed(schema, value, tools), ...read };
  }
  if (value.kind === "undefined") {
    return { value: instead === undefined ? value : constant(instead), conditions: [] };
  }
  if (alternatives) {
    const taken = isFromDatabase
      ? ofOne(alternatives.map((each) => refine(each, value, call, tools)))
      : { conditions: tagged(schema, value, tools) };
    return { value: besides(schema, value, tools), ...taken };
  }
  const hasFields =
    value.kind === "input" ||
    value.kind === "scalar" ||
    value.kind === "object" ||
    (value.kind === "row" && isOptional !== true);
  if (fields && hasFields) {
    const parts = [...fields].map(
      ([name, each]) => [name, refine(each, fieldOf(value, name, tools), call, tools)] as const,
    );
    const isUntold = isFromDatabase && (schema.refusesMore === true || isOptional === true);
    const whole = isUntold ? { untold: readsOf(value) } : untoldOf(parts.map(([, part]) => part));
    if (isOptional === true) {
      return { value: ofFields(schema, value, new Map(parts)), conditions: [], ...whole };
    }
    const given = parts.map(([name, part]) => [name, part.value] as const);
    const isThere = value.kind === "row" ? [{ holds: tools.condition(value) }] : [];
    const conditions = [...isThere, ...parts.flatMap(([, part]) => part.conditions)];
    const all = schema.isLoose === true ? ofFields(schema, value, new Map(parts)) : tools.object(Object.fromEntries(given)); // prettier-ignore
    return { value: all, conditions, ...whole };
  }
  // A value that is not told by its fields is made of the whole.
  if (fields && (isMade(schema) || (isFromDatabase && isTrimmed(schema)))) {
    return { value: changed(schema, value, tools), ...ofRead(schema, value) };
  }
  if (isFromDatabase) {
    const isGiven = instead !== undefined && value.kind === "scalar" && value.where !== undefined;
    const given: Expression = { kind: "coalesce", operands: [tools.expression(value), literal(instead ?? null)] }; // prettier-ignore
    return { value: isGiven ? scalar(given) : value, ...ofRead(schema, value) };
  }
  if (value.kind !== "input" && value.kind !== "scalar") return { value, conditions: [] };
  const expression = tools.expression(value);
  const isNothing: Expression = { kind: "isNull", operand: expression };
  const checks = schema.checks.map((check) => check(expression));
  const holds =
    isOptional === true
      ? connective("or", [isNothing, connective("and", checks)])
      : connective("and", [{ kind: "not", operand: isNothing }, ...checks]);
  const isTag = kind === "other" && schema.only !== undefined;
  const conditions = checks.length === 0 ? [] : [{ holds, ...(isTag && { isTag }) }];
  if (instead === undefined) return { value: besides(schema, value, tools), conditions };
  // A value that may be null stays null: a default stands for what is left out.
  if (schema.mayBeNull === true) {
    const argument = typed(schema, value);
    return { value: orLeftOut(argument, argument, constant(instead)), conditions };
  }
  const given: Expression = { kind: "coalesce", operands: [expression, literal(instead)] };
  return { value: scalar(given), conditions };
}

/** A field of what is there, or refused. */
function fieldOf(value: Value, name: string, tools: Tools): Value {
  const field = tools.field(value, name);
  if (value.kind !== "row" || field.kind !== "scalar") return field;
  const { where: _there, ...plain } = field;
  return plain;
}

/** Types of columns whose values are of a kind. */
const COLUMNS: Readonly<Partial<Record<Schema["kind"], ValueType>>> = {
  number: "int",
  text: "text",
  truth: "bool",
  date: "time",
};

/** The result of several schemas in a way that is not followed: whether it gives something else than it is given. */
export function madeOf(
  parts: readonly Schema[],
): Pick<Schema, "isChanged" | "isTrimmed" | "mayLose"> {
  return {
    ...(parts.some(isMade) && { isChanged: true, ...(parts.some(lacks) && { mayLose: "parts" }) }),
    ...(parts.some(isTrimmed) && { isTrimmed: true }),
  };
}

function isMade({ isChanged, isOfMade, makers, fields }: Schema): boolean {
  const isOwn = isChanged === true || isOfMade === true || makers !== undefined;
  return isOwn || [...(fields?.values() ?? [])].some(isMade);
}

/** True if something may be left out of what it gives, or it may give nothing. */
function lacks({ mayLack, mayLose, makers, fields }: Schema): boolean {
  const isOwn = mayLack === true || mayLose !== undefined || makers !== undefined;
  return isOwn || [...(fields?.values() ?? [])].some(lacks);
}

/** Its result may be among the arguments as well, in a part at least. */
function isTrimmed({ isTrimmed: isOwn, instead, perhapsInstead, fields }: Schema): boolean {
  if (isOwn === true || instead !== undefined || perhapsInstead !== undefined) return true;
  return [...(fields?.values() ?? [])].some(isTrimmed);
}

/** When something that was read from the database is taken. */
function ofRead(schema: Schema, value: Value): Omit<Refinement, "value"> {
  const { kind, mayBeNull, mayLack, refusesMore, isChanged } = schema;
  const saysNothing = kind === "other" && schema.checks.length === 0;
  if (saysNothing && refusesMore !== true) return { conditions: [] };
  const untold = readsOf(value);
  // A value that is made of something else may be made of nothing as well.
  if (value.kind !== "scalar" || saysNothing || isChanged === true) {
    return { conditions: [], untold };
  }
  const { expression, where, type } = value;
  const isNull: Expression = { kind: "isNull", operand: expression };
  const checks = schema.checks.map((check) => check(expression));
  const isThere: Expression = { kind: "not", operand: isNull };
  const isNeeded = value.mayBeNull === true || where !== undefined;
  const all =
    mayBeNull === true || (where !== undefined && mayLack === true)
      ? checks.slice(0, 1).map(() => connective("or", [isNull, connective("and", checks)]))
      : [...(isNeeded ? [isThere] : []), ...checks];
  const isNumber = value.isWide !== true || schema.isCoerced === true;
  const isOfColumn = type !== undefined && COLUMNS[kind] === type && isNumber;
  const isOfKind = kind === "other" || isOfColumn;
  const conditions = all.map((holds) => ({ holds }));
  return isOfKind && refusesMore !== true ? { conditions } : { conditions, untold };
}

/** That one of several schemas takes what was read. */
function ofOne(each: readonly Refinement[]): Omit<Refinement, "value"> {
  const takesAll = each.some(({ conditions, untold }) => conditions.length === 0 && !untold);
  const { untold } = untoldOf(each);
  return untold && !takesAll
    ? { conditions: [], untold }
    : { conditions: oneTakes(each.map(({ conditions }) => conditions)) };
}

/** That one of several schemas takes it: what one of them takes in any case is not refused. */
function oneTakes(each: readonly (readonly Condition[])[]): readonly Condition[] {
  if (each.some((conditions) => conditions.length === 0)) return [];
  const all = each.map((conditions) => connective("and", conditions.map(({ holds }) => holds))); // prettier-ignore
  return [{ holds: connective("or", all), isTag: true }];
}

/** That an argument is of the kind that a schema names, or of one of those. */
function tagged(schema: Schema, value: Value, tools: Tools): readonly Condition[] {
  const { alternatives, fields, only, isOptional } = schema;
  if (value.kind !== "input" && value.kind !== "object" && value.kind !== "scalar") return [];
  const found = alternatives
    ? oneTakes(alternatives.map((each) => tagged(each, value, tools)))
    : only === undefined
      ? [...(fields ?? [])].flatMap(([name, each]) =>
          each.only === undefined ? [] : tagged(each, tools.field(value, name), tools),
        )
      : schema.checks.map((check) => ({ holds: check(tools.expression(value)), isTag: true }));
  if (isOptional !== true || value.kind === "object" || found.length === 0) return found;
  const isNothing: Expression = { kind: "isNull", operand: tools.expression(value) };
  const all = connective("and", found.map(({ holds }) => holds)); // prettier-ignore
  return [{ holds: connective("or", [isNothing, all]), isTag: true }];
}

/** The unchanged value: what stands for it where it is left out differs by version where a default is taken out of force. */
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
  date: undefined,
  list: "unknown[]",
  other: undefined,
};

/** The record that may be missing as a whole, with the fields that it has where it is there. */
function ofFields(schema: Schema, value: Value, parts: ReadonlyMap<string, Refinement>): Value {
  const whole = typed(schema, value);
  if (whole.kind !== "input") return whole;
  return { ...whole, members: (property) => parts.get(property)?.value };
}

/** The type that is taken beside null; undefined where it is of several types, or not known. */
export function ownType({ kind, members, only }: Schema): string | undefined {
  if (only !== undefined) return JSON.stringify(only);
  const kinds = new Set([...(members?.values() ?? [])].map((each) => typeof each));
  const [own] = kinds;
  return TYPES[kind] ?? (kinds.size === 1 ? own : undefined);
}

/** The result of a function of the code's own for a value: nothing of nothing, where nothing is taken around the function. */
function changed(schema: Schema, value: Value, tools: Tools): Value {
  const around = typed(schema, value);
  const whole = made(schema, value, tools);
  const isNull = schema.mayBeNull === true ? isExactly(around, "null") : undefined;
  return orLeftOut(around, isNull ? either(isNull, constant(null), whole) : whole, UNDEFINED);
}

/** The result for an argument, or what stands for it where it is left out. */
function orLeftOut(argument: Value, given: Value, standing: Value): Value {
  const isLeftOut = leftOut(argument);
  const surely =
    given === argument && given.kind === "input" ? { ...given, mayLack: false } : given;
  return isLeftOut ? either(isLeftOut, standing, surely) : given;
}

function either(condition: Expression, then: Value, otherwise: Value): Value {
  return { kind: "choice", condition, then, otherwise };
}

function made({ mayLose, isOfMade }: Schema, value: Value, tools: Tools): Value {
  const reads = readsOf(value);
  const isUntold = mayLose === "parts" || isOfMade === true;
  if (isUntold || !reads.every(isOfInputs)) {
    return unknown("what a validator makes of it is not known", reads);
  }
  const args = value.kind === "object" ? reads : [tools.expression(value)];
  const by = {
    kind: "call",
    name: "code:transform",
    arguments: args,
    deterministic: true,
  } as const;
  if (mayLose === undefined) return scalar(by);
  const where = compare("=", { ...by, name: "code:transformed" }, TRUE);
  return { kind: "choice", condition: where, then: scalar(by), otherwise: UNDEFINED };
}
