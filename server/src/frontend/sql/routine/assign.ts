// Assignments in routines: to variables, fields and records, from expressions and from the rows of a result.
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import type { Span } from "../text/split";
import { fieldOf, find, type RecordBinding } from "./names";
import { assign, sourceAt, unknownAt, type RoutineState } from "./state";

export interface Target {
  /** `x`, `r.f`, `label.x`. */
  readonly path: readonly string[];
  /** True with subscripts: only a part of the value changes. */
  readonly part: boolean;
}

/** `target := value`. */
export function assignTarget(
  state: RoutineState,
  target: Target,
  value: Expression,
  span: Span,
): void {
  const found = find(state.names, target.path);
  const name = target.path.join(".");
  if (found === undefined) {
    const message = `There is no variable ${name} here.`;
    const source = sourceAt(state, span);
    state.shared.note({ severity: "warning", code: "unknown-variable", message, source });
    return;
  }
  const { binding, rest } = found;
  const [field, ...others] = rest;
  if (binding.kind === "record" && field !== undefined && others.length === 0) {
    set(state, fieldOf(state.names, binding, field), value, target, span);
  } else if (binding.kind === "record") {
    assignWhole(state, binding, value, span);
  } else if (binding.kind === "variable") {
    // A field of a composite variable is a part of its value.
    set(state, binding.variable, value, { ...target, part: target.part || rest.length > 0 }, span);
  } else {
    unknownAt(state, `the assignment to ${name}`, span, [value]);
  }
}

function set(
  state: RoutineState,
  variable: string,
  value: Expression,
  target: Target,
  span: Span,
): void {
  if (!target.part) {
    assign(state, variable, value, span);
    return;
  }
  const before: Expression = { kind: "variable", name: variable };
  const changed = unknownAt(state, "a part of a variable is changed", span, [before, value]);
  assign(state, variable, changed, span);
}

/** A record from one value: another record, a row of values, NULL. */
function assignWhole(
  state: RoutineState,
  record: RecordBinding,
  value: Expression,
  span: Span,
): void {
  if (value.kind === "literal" && value.value === null) {
    for (const variable of record.fields.values()) assign(state, variable, value, span);
    return;
  }
  const values = value.kind === "call" && value.name === "row" ? value.arguments : undefined;
  const columns = record.row ?? [...record.fields.keys()];
  columns.forEach((column, at) => {
    const given = values?.[at] ?? unknownAt(state, "a record from a value", span, [value]);
    assign(state, fieldOf(state.names, record, column), given, span);
  });
  if (columns.length === 0) unknownAt(state, "a record from a value", span, [value]);
}

/** The value of another record, field by field. */
export function copyRecord(
  state: RoutineState,
  to: RecordBinding,
  from: RecordBinding,
  span: Span,
): void {
  const byPosition = to.row !== undefined && from.row !== undefined;
  [...from.fields].forEach(([field, variable], at) => {
    const name = byPosition ? (to.row?.[at] ?? field) : field;
    assign(state, fieldOf(state.names, to, name), { kind: "variable", name: variable }, span);
  });
  to.open = from.open;
}

/** A result with its columns in order. */
export interface Rows {
  readonly name: string;
  readonly columns: readonly string[];
  /** True if these are all of its columns. */
  readonly complete: boolean;
}

/** INTO: assigns the columns of a result's row, the first or that of a loop. */
export function assignRow(
  state: RoutineState,
  targets: readonly Target[],
  rows: Rows,
  at: "first" | { readonly loop: string },
  span: Span,
): void {
  const { name, columns, complete } = rows;
  const values = columns.map((field): Expression => ({ kind: "field", result: name, field, at }));
  const [only, ...others] = targets;
  const record = only === undefined || others.length > 0 ? undefined : recordOf(state, only);
  if (complete || record !== undefined) {
    assignValues(state, targets, columns, values, span);
    if (record !== undefined) record.open = complete ? undefined : { result: name, at };
    return;
  }
  targets.forEach((target, position) => {
    const reason = "a column of a result whose columns are not known";
    const size: Expression = { kind: "size", result: name };
    const value = values[position] ?? unknownAt(state, reason, span, [size]);
    assignTarget(state, target, value, span);
  });
}

/** Assigns one row of values: by name to a record, by position otherwise. */
export function assignValues(
  state: RoutineState,
  targets: readonly Target[],
  columns: readonly string[],
  values: readonly Expression[],
  span: Span,
): void {
  const [only, ...others] = targets;
  const record = only === undefined || others.length > 0 ? undefined : recordOf(state, only);
  if (record === undefined) {
    targets.forEach((target, position) => {
      assignTarget(state, target, values[position] ?? literal(null), span);
    });
    return;
  }
  columns.forEach((column, position) => {
    const name = record.row?.[position] ?? column;
    assign(state, fieldOf(state.names, record, name), values[position] ?? literal(null), span);
  });
  record.open = undefined;
}

function recordOf(state: RoutineState, target: Target): RecordBinding | undefined {
  const found = find(state.names, target.path);
  return found?.binding.kind === "record" && found.rest.length === 0 ? found.binding : undefined;
}

/** Targets with an unknown value: dynamic SQL, an unsupported FETCH. */
export function assignUnknown(
  state: RoutineState,
  targets: readonly Target[],
  reason: string,
  span: Span,
  dependsOn: readonly Expression[] = [],
): void {
  for (const target of targets) {
    const record = recordOf(state, target);
    if (record === undefined) {
      assignTarget(state, target, unknownAt(state, reason, span, dependsOn), span);
      continue;
    }
    for (const variable of record.fields.values()) {
      assign(state, variable, unknownAt(state, reason, span, dependsOn), span);
    }
    record.open = undefined;
  }
}
