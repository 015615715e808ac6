// Values as expressions of the AR: as scalars, and as conditions the way the language tells true from false.
import { alternativesOf, isNothing, typeTree, type Type } from "../../typeTree";
import type { Expression, ValueType } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";
import { dictionary, ownEntry } from "../../../../protocol/dictionary";
import { isCondition, JSON_NULL, literal, TRUE } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { fewReads } from "../../roots/provenance";
import { constantText, fieldExpression, UNDEFINED, type RowValue, type Value } from "../../values";
import { noteRead } from "../lists/lastReads";
import type { State } from "../state";
import { sizeOf } from "./expressionSize";
import { fieldNamesOf } from "./fieldNames";
import { changedTo } from "./foreignValues";
import { nowOf, writtenParts } from "./inputParts";
import { plainComparison, toldFromNull } from "./nullComparison";
import { isSetting } from "./settings";

/** True if something that is there is neither zero nor an empty text. */
export const TRUTH = "code:truth";
/** The same of what no statement tells the type of. */
const TRUTH_OF_ANY = "code:truth_of_any";

const FALSE = literal(false);
const NULL = literal(null);

/**
 * The value as an expression. `undefined` is NULL; what is no scalar is an unknown that keeps what it was read from,
 * and taints the statement that uses it.
 */
export function expressionOf(state: State, value: Value): Expression {
  const now = changedTo(value);
  if (now) return expressionOf(state, now);
  switch (value.kind) {
    case "scalar":
      return value.expression;
    case "text":
      return textExpression(state, value);
    case "undefined":
      return NULL;
    case "input": {
      const held = nowOf(state, value);
      if (held.kind === "unknown") return expressionOf(state, held);
      const written = writtenParts(state, value).flatMap((each) => readsOf(each));
      return written.length === 0
        ? inputExpression(value)
        : unknownExpression(state, "an argument is used of which parts were written", written);
    }
    case "choice": {
      const then = expressionOf(state, value.then);
      const otherwise = expressionOf(state, value.otherwise);
      const parts = [value.condition, then, otherwise];
      return isTooLarge(...parts)
        ? unknownExpression(state, TOO_LARGE, leavesOf(...parts))
        : conditional(value.condition, then, otherwise);
    }
    case "unknown":
      return unknownExpression(state, value.why, value.dependsOn);
    case "deferred":
      return expressionOf(state, value.run());
    case "builtin":
      // The start of the process (its arguments, its environment) is as much from outside as arguments are.
      if (isSetting(value.name)) return { kind: "parameter", name: value.name };
      return propertyOfCall(value) ?? unknownExpression(state, whyUnknown(value), readsOf(value));
    case "object":
      return (
        documentOf(state, value, DEEPEST_DOCUMENT) ??
        unknownExpression(state, `this ${WHAT.object} is used as a value`, readsOf(value))
      );
    case "external":
      return unknownExpression(state, `${value.name} is not known`, []);
    default:
      return unknownExpression(
        state,
        `this ${WHAT[value.kind]} is used as a value`,
        readsOf(value),
      );
  }
}

/** Levels of a document, and values on each, up to which it is what its parts are. */
const DEEPEST_DOCUMENT = 4;
const WIDEST_DOCUMENT = 48;

/** A record as a document, which nothing looks into: what it is made of decides which one it is. */
function documentOf(state: State, value: Value, depth: number): Expression | undefined {
  if (depth === 0) return undefined;
  if (value.kind === "list") noteRead(value.grown);
  if (value.kind === "list" && value.grown.value === undefined) {
    return documentCall(
      "code:list",
      value.items.map(({ value: item = UNDEFINED }) => partOf(state, item, depth)),
    );
  }
  const names = fieldNamesOf(value);
  if (value.kind !== "object" || value.class || value.isMap || names === undefined)
    return undefined;
  return documentCall(
    "code:document",
    names.flatMap((name) => [
      literal(name),
      partOf(state, value.fields.get(name)?.value ?? UNDEFINED, depth),
    ]),
  );
}

function partOf(state: State, value: Value, depth: number): Expression | undefined {
  if (value.kind === "object" || value.kind === "list") return documentOf(state, value, depth - 1);
  const part = expressionOf(state, value);
  return part.kind === "unknown" ? undefined : part;
}

function documentCall(
  name: string,
  parts: readonly (Expression | undefined)[],
): Expression | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length || known.length > WIDEST_DOCUMENT || isTooLarge(...known)) {
    return undefined;
  }
  return { kind: "call", name, arguments: known, deterministic: true };
}

/** The reason why a value is given up that depends on too much. */
export const TOO_LARGE = "a value that depends on too many cases is not followed";

const WHAT: Readonly<Record<string, string>> = {
  row: "row",
  rows: "list of rows",
  object: "object",
  list: "list",
  derived: "list",
  joined: "list",
  function: "function",
  class: "class",
  handle: "part of a library",
  builtin: "function",
};

function whyUnknown({ name, self }: Extract<Value, { kind: "builtin" }>): string {
  const now = self && changedTo(self);
  return now?.kind === "unknown" ? now.why : `${name} is not known`;
}

/** A property of what a function of the code gave that has no effect: as much a function of its arguments. */
export function propertyOfCall({
  name,
  self,
}: Extract<Value, { kind: "builtin" }>): Expression | undefined {
  const of = self && (changedTo(self) ?? self);
  if (of?.kind !== "scalar" || of.expression.kind !== "call") return undefined;
  const { expression } = of;
  if (!expression.name.startsWith("code:")) return undefined;
  const path = name.slice("scalar".length);
  const property = `${expression.property ?? ""}${path}`;
  return { ...expression, name: `${expression.name}${path}`, property };
}

/** An expression for what is not known. */
export function unknownExpression(
  state: State,
  why: string,
  dependsOn: readonly Expression[] = [],
  type: ValueType = "other",
): Expression {
  const few = fewReads(dependsOn);
  const reads = isTooLarge(...few) ? leavesOf(...few) : few.slice(0, 8);
  return { kind: "unknown", id: state.ids.fresh("u"), type, dependsOn: reads, why };
}

/** A conditional, simplified where its condition or its branches allow. */
export function conditional(
  condition: Expression,
  then: Expression,
  otherwise: Expression,
): Expression {
  if (isLiteral(condition, true) || sameExpression(then, otherwise)) return then;
  if (isLiteral(condition, false)) return otherwise;
  if (isLiteral(otherwise, true) && sameExpression(condition, then)) return otherwise;
  if (isLiteral(otherwise, false) || sameExpression(condition, otherwise)) {
    if (isLiteral(then, false)) return then;
    if (isLiteral(then, true) || sameExpression(condition, then)) return condition;
    if (isCondition(condition) && isCondition(then))
      return decideConnective("and", [condition, then]);
  }
  if (isCondition(then) && sameExpression(otherwise, negate(condition))) {
    return decideConnective("or", [otherwise, then]);
  }
  if (condition.kind === "isNull" && isLiteral(then, false) && isCondition(otherwise)) {
    return decideConnective("and", [negate(condition), otherwise]);
  }
  return { kind: "conditional", condition, then, otherwise };
}

/** AND or OR of conditions, or the one among them that decides it whatever the others are. */
export function decideConnective(kind: "and" | "or", operands: readonly Expression[]): Expression {
  return operands.find((each) => isLiteral(each, kind === "or")) ?? connective(kind, operands);
}

/** An argument, or an element of one that is an array. The types of elements are told when all statements are known. */
export function inputExpression({ element, path }: Extract<Value, { kind: "input" }>): Expression {
  if (element === undefined) return { kind: "parameter", name: path };
  const array: Expression = { kind: "array", parameter: arrayOf(element), elements: "other" };
  return { kind: "element", array, index: element.index };
}

/** The array of a field of an array's elements. What is called as the array's own length is told apart from it. */
function arrayOf({ array, field }: { readonly array: string; readonly field: string }): string {
  if (field === "") return array;
  return /(?:^|\.)length$/u.test(field) ? `${array}[].${field}` : `${array}.${field}`;
}

function textExpression(state: State, value: Extract<Value, { kind: "text" }>): Expression {
  const whole = constantText(value);
  if (whole !== undefined) return literal(whole);
  const parts = value.parts.map((part) =>
    part.kind === "run" ? literal(part.run.text) : writtenOut(state, part.value),
  );
  const shown = parts.filter((part) => !(part.kind === "literal" && part.value === ""));
  return shown.reduce((left, right) => ({ kind: "arithmetic", operator: "||", left, right }));
}

/** A value as part of a text, where nothing is written as a word. */
function writtenOut(state: State, value: Value): Expression {
  if (value.kind === "undefined") return literal("undefined");
  if (value.kind === "choice") {
    const { condition, then, otherwise } = value;
    const parts = [condition, writtenOut(state, then), writtenOut(state, otherwise)] as const;
    return isTooLarge(...parts) ? expressionOf(state, value) : conditional(...parts);
  }
  const part = expressionOf(state, value);
  if (part.kind === "literal") return literal(String(part.value));
  const isOptional = value.kind === "input" && value.mayLack === true;
  const isNullable = value.kind === "scalar" && value.mayBeNull === true;
  if (!isOptional && !isNullable) return part;
  return { kind: "coalesce", operands: [part, literal(isOptional ? "undefined" : "null")] };
}

function addedReads(added: Value | undefined, depth: number): readonly Expression[] {
  if (added?.kind === "unknown") return added.dependsOn;
  return added?.kind === "joined" ? readsOf(added, depth) : [];
}

/** The scalar expressions that a value holds, as far as they can be seen at once. */
export function readsOf(value: Value, depth = 3): readonly Expression[] {
  if (depth === 0) return [];
  const now = changedTo(value);
  if (now) return readsOf(now, depth);
  const cells = (map: ReadonlyMap<string, { readonly value: Value | undefined }>) =>
    [...map.values()].flatMap((cell) => (cell.value ? readsOf(cell.value, depth - 1) : []));
  switch (value.kind) {
    case "scalar":
      return [value.expression];
    case "text":
      return value.parts.flatMap((part) =>
        part.kind === "hole" ? readsOf(part.value, depth - 1) : [],
      );
    case "input":
      return [inputExpression(value)];
    case "row":
      return [...rowReads(value), ...cells(value.overlay)];
    case "rows":
      return [{ kind: "size", result: value.result }];
    case "object": {
      const others = value.rest ?? value.pairs;
      const rest = others ? readsOf(others, depth - 1) : [];
      return [...cells(value.fields), ...rest];
    }
    case "list":
      return [
        ...value.items.flatMap((cell) => (cell.value ? readsOf(cell.value, depth - 1) : [])),
        ...addedReads(value.grown.value, depth - 1),
      ];
    case "derived":
      return readsOf(value.from, depth - 1);
    case "joined":
      return value.parts.flatMap((part) => readsOf(part, depth - 1));
    case "builtin":
      if (isSetting(value.name)) return [{ kind: "parameter", name: value.name }];
      return value.self ? readsOf(value.self, depth - 1) : [];
    case "choice":
      return [
        value.condition,
        ...readsOf(value.then, depth - 1),
        ...readsOf(value.otherwise, depth - 1),
      ];
    case "unknown":
      return value.dependsOn;
    default:
      return [];
  }
}

function rowReads(row: Extract<Value, { kind: "row" }>): readonly Expression[] {
  return row.columns.order.slice(0, 4).map((field) => fieldExpression(row, field));
}

/** The value as a condition: `0`, an empty text, NULL and what is absent are false. */
export function conditionOf(state: State, value: Value): Expression {
  switch (value.kind) {
    case "undefined":
      return FALSE;
    case "scalar":
      return truthOf(value.expression, value.type);
    case "text": {
      const text = constantText(value);
      return text === undefined
        ? truthOf(expressionOf(state, value), "text")
        : literal(text !== "");
    }
    case "input":
      return truthOfInput(value);
    case "row":
      return isPresent(state, value) ? TRUE : presenceOf(value);
    case "choice": {
      const then = conditionOf(state, value.then);
      const otherwise = conditionOf(state, value.otherwise);
      const parts = [value.condition, then, otherwise];
      return isTooLarge(...parts)
        ? unknownExpression(state, TOO_LARGE, leavesOf(...parts), "bool")
        : conditional(value.condition, then, otherwise);
    }
    case "deferred":
      return conditionOf(state, value.run());
    case "unknown":
      return unknownExpression(state, value.why, value.dependsOn, "bool");
    case "builtin":
      // A property of something, of which it is not known whether it is there.
      return value.self === undefined ? TRUE : truthOf(expressionOf(state, value), undefined);
    case "external":
      // A value of a package may be a setting.
      return value.isDataAccess === true ? TRUE : truthOf(expressionOf(state, value), undefined);
    default:
      return TRUE;
  }
}

function truthOfInput(value: Extract<Value, { kind: "input" }>): Expression {
  const operand = inputExpression(value);
  if (value.path.endsWith(".length")) return truthOf(operand, "int");
  const isHeader = value.type === undefined && HEADERS.test(value.path);
  const type = isHeader ? "text" : declaredType(value.standsFor ?? value.type);
  const isSurelyThere = value.mayLack !== true && value.type?.trim() === "boolean";
  if (isSurelyThere) return compare("=", operand, TRUE);
  if (isOfSeveral(value.standsFor ?? value.type)) return truthOfAny(operand);
  return type === "other" ? isThereOf(operand) : truthOf(operand, type);
}

/** Inputs that come as texts, whatever the code makes of them: a header of "0" is there. */
const HEADERS = /(?:^|\.)(?:headers|cookies|searchParams)(?:\(\))?\./u;

function isThereOf(operand: Expression): Expression {
  return { kind: "not", operand: { kind: "isNull", operand } };
}

/** A value of one of several types is asked as what it is, whatever statements take it for. */
function truthOfAny(operand: Expression): Expression {
  return connective("and", [
    isThereOf(operand),
    { kind: "call", name: TRUTH_OF_ANY, arguments: [operand], deterministic: true },
  ]);
}

/** A value that is not known to be of a type may be a number, a text or something else: that is put in once statements tell. */
function truthOfUntyped(operand: Expression): Expression {
  return connective("and", [
    isThereOf(operand),
    { kind: "call", name: TRUTH, arguments: [operand], deterministic: true },
  ]);
}

function isOfSeveral(type: string | undefined): boolean {
  const types = falseTypes(type);
  return types.size > 1 && !types.has(undefined);
}

/** The false values of a declared type: `other` for objects, which never are; undefined where that is not known. */
export function declaredType(type: string | undefined): ValueType | undefined {
  const types = falseTypes(type);
  return types.size === 1 ? [...types][0] : undefined;
}

function falseTypes(type: string | undefined): ReadonlySet<ValueType | undefined> {
  const parts = alternativesOf(typeTree(type ?? "")).filter((each) => !isNothing(each));
  return new Set(parts.map(falseTypeOf));
}

function falseTypeOf(part: Type): ValueType | undefined {
  switch (part.kind) {
    case "literal":
      return OF_LITERALS[typeof part.value];
    case "record":
    case "array":
    case "tuple":
      return "other";
    case "intersection":
      return part.parts.some((each) => falseTypeOf(each) === "other") ? "other" : undefined;
    case "name":
      return OF_NAMES[part.name] ?? (OBJECTS.test(part.name) ? "other" : undefined);
    default:
      return undefined;
  }
}

const OF_LITERALS = dictionary<ValueType>({ boolean: "bool", string: "text", number: "decimal" });
const OF_NAMES = dictionary<ValueType>({
  boolean: "bool",
  string: "text",
  number: "decimal",
  bigint: "decimal",
});
const OBJECTS = /^(?:Date|Buffer|Uint8Array|(?:Readonly)?(?:Array|Map|Set)|Record)$/u;

/** That a row is there. Rows of a loop are. */
export function presenceOf(row: Extract<Value, { kind: "row" }>): Expression {
  const { at, result } = row;
  if (at === "first") return compare(">", { kind: "size", result }, literal(0));
  if (!("where" in at)) return TRUE;
  return { kind: "among", result, loop: at.loop, function: "any", where: at.where };
}

/** True if a row is known to be there. */
export function isPresent(state: State, { at, result }: RowValue): boolean {
  if (at === "first") return state.present.has(result);
  return !("where" in at) || state.present.has(at.loop);
}

function truthOf(expression: Expression, type: ValueType | undefined): Expression {
  if (isCondition(expression)) return expression;
  if (expression.kind === "literal") return literal(Boolean(expression.value));
  if (expression.kind === "conditional") {
    const then = truthOf(expression.then, type);
    return conditional(expression.condition, then, truthOf(expression.otherwise, type));
  }
  const isThere = isThereOf(expression);
  if (expression.kind === "size" || expression.kind === "affected") {
    return compare(">", expression, literal(0));
  }
  switch (type ?? typeOfDefault(expression)) {
    case "bool":
      return connective("and", [isThere, expression]);
    case "int":
    case "decimal":
      return connective("and", [isThere, compare("<>", expression, literal(0))]);
    case "text":
      return connective("and", [isThere, compare("<>", expression, literal(""))]);
    case "time":
    case "bytes":
    case "other":
      return isThere;
    case "json":
      // A document may be a number, a text, a truth, or null.
      return connective("and", [truthOfUntyped(expression), compare("<>", expression, JSON_NULL)]);
    default:
      if (expression.kind === "arithmetic" && expression.operator !== "||")
        return connective("and", [isThere, compare("<>", expression, literal(0))]);
      return isNothingButThere(expression) ? isThere : truthOfUntyped(expression);
  }
}

/** True if what is there is true: it is made anew, or nothing is known of it in any case. */
function isNothingButThere({ kind }: Expression): boolean {
  return kind === "fresh" || kind === "unknown" || kind === "field" || kind === "array";
}

/** The type of a value by what stands for it where it is absent: `x ?? false` is a truth value. */
function typeOfDefault(expression: Expression): ValueType | undefined {
  const last = expression.kind === "coalesce" ? expression.operands.at(-1) : undefined;
  if (last?.kind !== "literal") return undefined;
  switch (typeof last.value) {
    case "boolean":
      return "bool";
    case "number":
      return "decimal";
    case "string":
      return "text";
    default:
      return undefined;
  }
}

/** The negation, without NOT of NOT. */
export function negate(condition: Expression): Expression {
  if (condition.kind === "literal") return literal(condition.value !== true);
  if (condition.kind === "not") return plainComparison(condition.operand);
  if (condition.kind === "comparison" && condition.left.kind === "size") {
    const opposite = OPPOSITE[condition.operator];
    return { ...condition, operator: opposite };
  }
  return { kind: "not", operand: toldFromNull(condition) };
}

const OPPOSITE = { "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">" } as const;

/** True if the expression is the literal. */
export function isLiteral(expression: Expression, value: boolean | number): boolean {
  return expression.kind === "literal" && expression.value === value;
}

/** True if two expressions are the same text of the AR. */
export function sameExpression(left: Expression, right: Expression): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind) return false;
  const size = sizeOf(left);
  // Large ones are passed over: that they are the same only saves a conditional.
  return size < MOST_COMPARED && size === sizeOf(right) && samePlain(left, right);
}

const MOST_COMPARED = 200;

/** True if an expression is too large to be a part of others: choices of choices double with each step. */
export function isTooLarge(...parts: readonly Expression[]): boolean {
  return parts.reduce((sum, part) => sum + sizeOf(part), 0) > MOST_KEPT;
}

const MOST_KEPT = 1500;

/** The reads of expressions, without what is made of them; a few of them stand for many. */
export function leavesOf(...parts: readonly Expression[]): readonly Expression[] {
  const found: Expression[] = [];
  const seen = new Set<Expression>();
  const visit = (part: Expression): void => {
    if (seen.has(part) || found.length >= MOST_LEAVES) return;
    seen.add(part);
    const operands = operandsOf(part);
    if (operands.length > 0) operands.forEach(visit);
    else if (part.kind !== "literal") found.push(part);
  };
  parts.forEach(visit);
  return found;
}

const MOST_LEAVES = 8;

/** True if two values of plain data are the same. Stops at the first difference. */
function samePlain(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && samePlain(ownEntry(left, key), ownEntry(right, key)),
    )
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** True if an expression has more parts than `most`. */
export function isLarge(expression: Expression, most: number): boolean {
  let left = most;
  const visit = (part: Expression): boolean => {
    left -= 1;
    return left < 0 || operandsOf(part).some(visit);
  };
  return visit(expression);
}
