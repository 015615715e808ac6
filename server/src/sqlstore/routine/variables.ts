// Variables of routines of all languages: the values that statements and expressions give them, and how long their names hold.
import type { Target } from "../../frontend/sql/routine/assign";
import type { Dialect } from "../../program/dialect";
import { failure } from "../sqlError";
import { selectOf } from "../selectOf";
import type { SqlExpression } from "../tree";
import { converter } from "../values/cast";
import { limiter } from "../values/fit";
import type { DeclaredType, SqlType, TypeName } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";
import { evaluateList } from "./expressionList";
import type { Flow, Frame, Locals, RoutineHost, RoutineResult, Steps } from "./frame";

/** A value as one of a declared type. Fails for what is no value of its domain. */
export function* assignCast(
  value: SqlValue,
  from: SqlType,
  to: DeclaredType,
  host: RoutineHost,
): Steps<SqlValue> {
  const name = to.domain ?? to.elementDomain;
  const converted = convertedTo(to, value, from, host.dialect);
  if (name === undefined) return converted;
  const { domain, elementDomain: _elements, ...base } = to;
  const type: TypeName = { name, modifiers: [], array: domain === undefined };
  const operand: SqlExpression = { kind: "column", path: ["value"] };
  const locals: Locals = new Map([["value", { declared: base, value: converted }]]);
  const { rows } = yield* host.run(selectOf([{ kind: "cast", operand, type }]), locals, []);
  return rows[0]?.[0] ?? null;
}

function convertedTo(to: DeclaredType, value: SqlValue, from: SqlType, dialect: Dialect): SqlValue {
  if (value === null) return null;
  const convert = converter(from, to.type, dialect);
  if (convert === undefined) throw failure("typeMismatch", "a value does not fit its variable");
  return limiter(to, false)(convert(value));
}

/** Gives a variable a value, as one of its type. */
export function* setTarget(
  frame: Frame,
  { path }: Target,
  { type, value }: { readonly type: SqlType; readonly value: SqlValue },
): Steps<void> {
  const name = path.join(".");
  if (name.startsWith("@")) {
    frame.host.variables.set(name.slice(1), { type, value });
    return;
  }
  const local = frame.locals.get(name);
  if (local === undefined) throw failure("syntax", `"${name}" is not a known variable`);
  local.value = yield* assignCast(value, type, local.declared, frame.host);
}

/** INTO: the first row goes to the targets, NULLs where there is none. */
export function* assignRow(
  frame: Frame,
  targets: readonly Target[],
  { rows, columns }: RoutineResult,
  isStrict: boolean,
): Steps<void> {
  if (isStrict && rows.length === 0) throw failure("noData", "query returned no rows");
  if (isStrict && rows.length > 1) throw failure("manyData", "query returned more than one row");
  const row: SqlRow = rows[0] ?? columns.map(() => null);
  const [first] = targets;
  const name = first?.path.join(".") ?? "";
  if (targets.length === 1 && frame.records.has(name)) {
    for (const [at, { name: column, type, origin }] of columns.entries()) {
      const declared = origin?.declared ?? { type };
      frame.locals.set(`${name}.${column}`, { declared, value: row[at] ?? null });
    }
    return;
  }
  for (const [at, target] of targets.entries())
    yield* setTarget(frame, target, { type: columns[at]?.type ?? "text", value: row[at] ?? null });
}

/** The statements of a text, carried out; the result of the last. */
export function* runText(
  frame: Frame,
  text: string,
  parameters: readonly unknown[],
): Steps<RoutineResult> {
  let result: RoutineResult = { columns: [], rows: [], count: 0 };
  for (const statement of frame.host.parse(text)) {
    result = yield* frame.host.run(statement, frame.locals, parameters);
    frame.count = result.count;
  }
  return result;
}

/** The first value of an expression list. */
export function* firstValue(
  frame: Frame,
  text: string,
): Steps<{ readonly type: SqlType; readonly value: SqlValue }> {
  const { rows, columns } = yield* evaluateList(frame, text);
  return { type: columns[0]?.type ?? "text", value: rows[0]?.[0] ?? null };
}

/** Takes a name away, and the fields of the record that it is. */
export function hide({ locals, records }: Frame, name: string): void {
  records.delete(name);
  for (const each of [...locals.keys()]) if (isOf(each, name)) locals.delete(each);
}

function isOf(local: string, name: string): boolean {
  return local === name || local.startsWith(`${name}.`);
}

/**
 * Carries out a part that has names of its own. They end with it, and outer ones of the same name are back; what it
 * assigns to others stays, fields of records among them.
 */
export function* withLocals(
  frame: Frame,
  names: readonly string[],
  part: () => Steps<Flow>,
): Steps<Flow> {
  const outer = [...frame.locals].filter(([local]) => names.some((name) => isOf(local, name)));
  const outerRecords = names.filter((name) => frame.records.has(name));
  try {
    return yield* part();
  } finally {
    for (const name of names) hide(frame, name);
    for (const [name, local] of outer) frame.locals.set(name, local);
    for (const name of outerRecords) frame.records.add(name);
  }
}
