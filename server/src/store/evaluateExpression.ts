// Evaluates expressions under SQL's three-valued logic. Every accessed column is recorded as a read.
import { elementName, lengthName } from "../program/arrays";
import type { Expression, Query } from "../program/expression";
import type { Call } from "../program/operands";
import { ownEntry } from "../protocol/dictionary";
import { ANY, matchesWildcards, ONE } from "../program/wildcards";
import { callFunction } from "./callFunction";
import { aggregate } from "./evaluateAggregate";
import { NotExecutable } from "./failure";
import type { Frame, ResultRows, Scope } from "./frame";
import { recordCell } from "./recorder";
import { setValues } from "./setValues";
import {
  atomsOf,
  calculate,
  compareValues,
  formOf,
  fromValue,
  isOpaque,
  renderValue,
  sameValue,
  type Opaque,
  type SqlValue,
} from "./value";

/**
 * The value of an expression in a frame. Throws SqlFailure where the database would (division by zero), and NotExecutable if an unknown
 * value is needed.
 */
export function evaluate(expression: Expression, frame: Frame): SqlValue {
  switch (expression.kind) {
    case "literal":
      return fromValue(expression.value, expression.type);
    case "parameter":
      return ownEntry(frame.environment.parameters, expression.name) ?? null;
    case "array":
      return { kind: "opaque", text: expression.parameter };
    case "element":
      return elementAt(expression, frame);
    case "variable":
      return ownEntry(frame.environment.variables, expression.name) ?? null;
    case "column":
      return columnValue(expression.relation, expression.column, frame);
    case "field":
      return fieldValue(expression, frame);
    case "size":
      return resultOf(expression.result, frame).length;
    case "affected":
      return ownEntry(frame.environment.affected, expression.statement) ?? 0;
    case "among":
      return among(expression, frame);
    case "arithmetic":
      return arithmetic(
        expression.operator,
        evaluate(expression.left, frame),
        evaluate(expression.right, frame),
      );
    case "negate":
      return calculate("-", 0, evaluate(expression.operand, frame));
    case "comparison":
      return comparison(expression, frame);
    case "and":
      return connective(expression.operands, frame, false);
    case "or":
      return connective(expression.operands, frame, true);
    case "not":
      return negated(truthIn(expression.operand, frame));
    case "isNull":
      return evaluate(expression.operand, frame) === null;
    case "sameValue":
      return isSame(expression, frame);
    case "in":
      return isAmong(
        evaluate(expression.operand, frame),
        expression.values.map((value) => evaluate(value, frame)),
      );
    case "inQuery":
      return isAmong(
        evaluate(expression.operand, frame),
        subqueryRows(expression.query, frame).map((row) => Object.values(row)[0] ?? null),
      );
    case "exists":
      return subqueryRows(expression.query, frame).length > 0;
    case "subquery":
      return scalar(subqueryRows(expression.query, frame));
    case "like":
      return like(
        evaluate(expression.operand, frame),
        evaluate(expression.pattern, frame),
        expression.insensitive,
      );
    case "conditional":
      return evaluate(
        isTrue(expression.condition, frame) ? expression.then : expression.otherwise,
        frame,
      );
    case "coalesce":
      return firstPresent(expression.operands, frame);
    case "aggregate":
      return aggregate(expression, frame, evaluate);
    case "call": {
      if (expression.set === true) return setValue(expression, frame);
      const length = lengthOf(expression, frame);
      if (length !== undefined) return length;
      const values = expression.arguments.map((argument) => evaluate(argument, frame));
      if (expression.deterministic) return callFunction(expression.name, values);
      return frame.environment.fresh(`${expression.name}()`, "other");
    }
    case "excluded":
      return excludedValue(expression.column, frame.scope);
    case "fresh":
      return frame.environment.fresh(expression.id, expression.type);
    case "unknown":
      return unknownValue(expression, frame);
    default:
      return unreachable(expression);
  }
}

/** True if a condition holds: neither false nor NULL. */
export function isTrue(condition: Expression, frame: Frame): boolean {
  return truthIn(condition, frame) === true;
}

/** The rows of a subquery, read in the statement's snapshot even if the statement waits. */
function subqueryRows(query: Query, frame: Frame): ResultRows {
  const { recorder } = frame;
  if (recorder === undefined) return frame.runQuery(query, frame);
  recorder.nested += 1;
  try {
    return frame.runQuery(query, frame);
  } finally {
    recorder.nested -= 1;
  }
}

/** An element of an array argument; NULL out of bounds. */
function elementAt(
  { array, index }: Extract<Expression, { kind: "element" }>,
  frame: Frame,
): SqlValue {
  const at = evaluate(index, frame);
  if (array.kind !== "array" || (at !== null && typeof at !== "number")) {
    const parts = [evaluate(array, frame), at].map(renderValue);
    return { kind: "opaque", text: `element(${parts.join(", ")})` };
  }
  const { parameters } = frame.environment;
  const length = ownEntry(parameters, lengthName(array.parameter)) ?? 0;
  if (at === null || typeof length !== "number" || at < 1 || at > length) return null;
  return ownEntry(parameters, elementName(array.parameter, at)) ?? null;
}

/** The length of an array argument; undefined for other calls. */
function lengthOf(
  { name, arguments: [array] }: Extract<Expression, { kind: "call" }>,
  frame: Frame,
): SqlValue | undefined {
  if (array?.kind !== "array") return undefined;
  const length = ownEntry(frame.environment.parameters, lengthName(array.parameter)) ?? 0;
  if (name === "cardinality") return length;
  return name === "array_length" ? (length === 0 ? null : length) : undefined;
}

/** The value for the current row of a set-returning call, by default the first. */
function setValue(call: Call, frame: Frame): SqlValue {
  const known = frame.sets?.get(call);
  return known === undefined ? (setValues(call, frame, evaluate)[0] ?? null) : known;
}

/** The truth value of a condition; for a question outside of the database, the witness's assumed answer. */
function truthIn(condition: Expression, frame: Frame): boolean | null {
  const value = evaluate(condition, frame);
  if (!isAsked(value, frame)) return truth(value, writtenName(condition));
  return frame.environment.answer({
    text: value.text,
    form: formOf(value),
    atoms: atomsOf([value]),
  });
}

/** True for a value made by code between statements; conditions in statements are decided by rows. */
function isAsked(value: SqlValue, { tables }: Frame): value is Opaque {
  return isOpaque(value) && value.isOfCode === true && tables === undefined;
}

function isSame(
  { left, right }: Extract<Expression, { kind: "sameValue" }>,
  frame: Frame,
): boolean | null {
  const [a, b] = [evaluate(left, frame), evaluate(right, frame)];
  const isOpen = (isAsked(a, frame) || isAsked(b, frame)) && a !== null && b !== null;
  return isOpen
    ? comparison({ kind: "comparison", operator: "=", left, right }, frame)
    : sameValue(a, b);
}

function comparison(
  { operator, left, right }: Extract<Expression, { kind: "comparison" }>,
  frame: Frame,
): boolean | null {
  const [a, b] = [evaluate(left, frame), evaluate(right, frame)];
  const isOpen = [a, b].some((each) => isAsked(each, frame)) && a !== null && b !== null;
  if (!isOpen || renderValue(a) === renderValue(b)) return compared(operator, a, b);
  return frame.environment.answer({
    text: `${renderValue(a)} ${operator} ${renderValue(b)}`,
    form: `${formOf(a)} ${operator} ${formOf(b)}`,
    atoms: atomsOf([a, b]),
  });
}

/** The name of a condition in the user's program, where it is a name. */
function writtenName(condition: Expression): string | undefined {
  switch (condition.kind) {
    case "parameter":
      return condition.name;
    case "field":
      return condition.field;
    case "column":
      return condition.relation === ""
        ? condition.column
        : `${condition.relation}.${condition.column}`;
    default:
      return undefined;
  }
}

/** The truth value of a value, of that name in the program; NULL is unknown. */
export function truth(value: SqlValue, name = renderValue(value)): boolean | null {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (value === "t" || value === "true") return true;
  if (value === "f" || value === "false") return false;
  throw new NotExecutable(`the condition ${name} is not understood`);
}

function columnValue(relation: string, column: string, frame: Frame): SqlValue {
  for (let scope = frame.scope; scope !== undefined; scope = scope.outer) {
    const row = ownEntry(scope.binding, relation);
    if (row === undefined) continue;
    if (row === null) return null;
    if (row.kind === "stored" && frame.recorder !== undefined)
      recordCell(frame.recorder, row, column);
    return ownEntry(row.values, column) ?? null;
  }
  throw new NotExecutable(`the column ${relation}.${column} belongs to no table of its statement`);
}

function fieldValue(field: Extract<Expression, { kind: "field" }>, frame: Frame): SqlValue {
  const index = field.at === "first" ? 0 : (ownEntry(frame.environment.loops, field.at.loop) ?? 0);
  return ownEntry(resultOf(field.result, frame)[index], field.field) ?? null;
}

function resultOf(name: string, frame: Frame): ResultRows {
  // A statement on a path not taken has no result: its variables are NULL.
  return ownEntry(frame.environment.results, name) ?? [];
}

function among(over: Extract<Expression, { kind: "among" }>, frame: Frame): SqlValue {
  const rows = resultOf(over.result, frame);
  const { environment } = frame;
  const at = (row: number): Frame => {
    const loops = { ...environment.loops, [over.loop]: row };
    return { ...frame, environment: { ...environment, loops } };
  };
  const tests = rows.map((_, row) => truthIn(over.where, at(row)));
  switch (over.function) {
    case "any":
      return tests.includes(true) || (tests.includes(null) ? null : false);
    case "count":
      return tests.filter((test) => test === true).length;
    case "first":
    case "last": {
      const row = over.function === "first" ? tests.indexOf(true) : tests.lastIndexOf(true);
      return row < 0 || !over.value ? null : evaluate(over.value, at(row));
    }
    default:
      return unreachable(over.function);
  }
}

function arithmetic(
  operator: "+" | "-" | "*" | "/" | "%" | "||",
  left: SqlValue,
  right: SqlValue,
): SqlValue {
  if (isOpaque(left) || isOpaque(right))
    return {
      kind: "opaque",
      text: `(${renderValue(left)} ${operator} ${renderValue(right)})`,
      form: `(${formOf(left)} ${operator} ${formOf(right)})`,
      atoms: atomsOf([left, right]),
      isOfCode: [left, right].filter(isOpaque).every((each) => each.isOfCode),
    };
  if (operator !== "||") return calculate(operator, left, right);
  return left === null || right === null ? null : renderValue(left) + renderValue(right);
}

function compared(operator: string, left: SqlValue, right: SqlValue): boolean | null {
  const order = compareValues(left, right);
  if (order === undefined) return null;
  switch (operator) {
    case "=":
      return order === 0;
    case "<>":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

/** AND (`absorbing` false) and OR (true), left to right, stopping at the absorbing value. */
function connective(
  operands: readonly Expression[],
  frame: Frame,
  absorbing: boolean,
): boolean | null {
  let result: boolean | null = !absorbing;
  for (const operand of operands) {
    const value = truthIn(operand, frame);
    if (value === absorbing) return absorbing;
    if (value === null) result = null;
  }
  return result;
}

function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function isAmong(value: SqlValue, candidates: readonly SqlValue[]): boolean | null {
  if (candidates.length === 0) return false;
  if (value === null) return null;
  if (candidates.some((each) => each !== null && compareValues(value, each) === 0)) return true;
  return candidates.includes(null) ? null : false;
}

function scalar(rows: ResultRows): SqlValue {
  const [row] = rows;
  return row === undefined ? null : (Object.values(row)[0] ?? null);
}

function like(value: SqlValue, pattern: SqlValue, insensitive: boolean): boolean | null {
  if (value === null || pattern === null) return null;
  const form = (renderValue(pattern).match(/\\.|[^]/gsu) ?? []).map((part) =>
    part === "%"
      ? ANY
      : part === "_"
        ? ONE
        : part.length > 1 && part.startsWith("\\")
          ? part.slice(1)
          : part,
  );
  return matchesWildcards(form, renderValue(value), { insensitive });
}

function firstPresent(operands: readonly Expression[], frame: Frame): SqlValue {
  for (const operand of operands) {
    const value = evaluate(operand, frame);
    if (value !== null) return value;
  }
  return null;
}

function excludedValue(column: string, scope: Scope | undefined): SqlValue {
  for (let at = scope; at !== undefined; at = at.outer)
    if (at.excluded !== undefined) return ownEntry(at.excluded, column) ?? null;
  throw new NotExecutable(`EXCLUDED.${column} outside of ON CONFLICT`);
}

/** An opaque term that depends only on the inputs of the unknown. */
function unknownValue(
  expression: Extract<Expression, { kind: "unknown" }>,
  frame: Frame,
): SqlValue {
  const inputs = expression.dependsOn.map((each) => evaluate(each, frame));
  const text = `${expression.why}(${[expression.id, ...inputs.map(renderValue)].join(", ")})`;
  if (expression.isOfRows) frame.environment.ofRows.add(text);
  // Each use of an unknown has its own id.
  const form = `${expression.why}(${inputs.map(formOf).join(", ")})`;
  return { kind: "opaque", text, form, atoms: [form, ...atomsOf(inputs)], isOfCode: true };
}

function unreachable(expression: never): never {
  throw new Error(`unknown expression ${JSON.stringify(expression)}`);
}
