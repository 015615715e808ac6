// The names of a routine: variables, records, cursors and arguments, in their declaring blocks.
import type { Expression, ValueType } from "../../../program/expression";
import type { Span } from "../text/split";

export interface RecordBinding {
  readonly kind: "record";
  /** Its fields are the AR's variables `prefix.field`. */
  readonly prefix: string;
  readonly fields: Map<string, string>;
  /** The columns of its row type, in order; undefined for RECORD. */
  readonly row: readonly string[] | undefined;
  /** The result with unknown columns that was assigned to it: other fields are looked up there. */
  open?: { readonly result: string; readonly at: "first" | { readonly loop: string } } | undefined;
}

export interface CursorBinding {
  readonly kind: "cursor";
  readonly query: Span | undefined;
  readonly parameters: readonly string[];
  /** Once opened: its result, and the loop that iterates over it. */
  opened?:
    | { readonly name: string; readonly columns: readonly string[]; readonly complete: boolean }
    | undefined;
  loop?: string | undefined;
}

export type Binding =
  | { readonly kind: "variable"; readonly variable: string }
  /** An argument that is never assigned, or the value of a cursor's parameter. */
  | { readonly kind: "value"; readonly value: Expression }
  | RecordBinding
  | CursorBinding;

interface Level {
  readonly label: string | undefined;
  readonly names: Map<string, Binding>;
}

export interface Names {
  readonly levels: Level[];
  /** The AR's variables in use in the whole transaction. */
  readonly used: Set<string>;
  /** The prefix of variables, if they must differ from a script's. */
  readonly prefix: string;
  readonly types: Map<string, ValueType>;
}

/** Names without any block; `used` and `types` are shared with a calling routine. */
export function createNames(shared?: Pick<Names, "used" | "types" | "prefix">): Names {
  return {
    levels: [],
    used: shared?.used ?? new Set<string>(),
    prefix: shared?.prefix ?? "",
    types: shared?.types ?? new Map<string, ValueType>(),
  };
}

export function openLevel(names: Names, label: string | undefined): void {
  names.levels.push({ label, names: new Map() });
}

export function closeLevel(names: Names): void {
  names.levels.pop();
}

/** An unused variable name in this transaction. */
export function freshVariable(names: Names, wanted: string): string {
  const first = names.prefix + wanted;
  let name = first;
  for (let number = 2; names.used.has(name); number++) name = `${first}_${number}`;
  names.used.add(name);
  return name;
}

export function declare(names: Names, name: string, binding: Binding): void {
  names.levels.at(-1)?.names.set(name, binding);
}

/** A new variable of the innermost block. */
export function declareVariable(names: Names, name: string, type: ValueType): string {
  const variable = freshVariable(names, name);
  declare(names, name, { kind: "variable", variable });
  names.types.set(variable, type);
  return variable;
}

/** A new record of the innermost block; a row type defines its fields. */
export function declareRecord(
  names: Names,
  name: string,
  row: readonly { readonly name: string; readonly type: ValueType }[] | undefined,
): RecordBinding {
  const record: RecordBinding = {
    kind: "record",
    prefix: freshVariable(names, name),
    fields: new Map(),
    row: row?.map((column) => column.name),
  };
  for (const column of row ?? []) {
    names.types.set(fieldOf(names, record, column.name), column.type);
  }
  declare(names, name, record);
  return record;
}

/** The variable of a record's field, created on demand. */
export function fieldOf(names: Names, record: RecordBinding, field: string): string {
  const known = record.fields.get(field);
  if (known !== undefined) return known;
  const variable = freshVariable({ ...names, prefix: "" }, `${record.prefix}.${field}`);
  record.fields.set(field, variable);
  return variable;
}

/** The variable of `x` or `label.x`, and the number of consumed path parts. */
export function find(
  names: Names,
  path: readonly string[],
): { readonly binding: Binding; readonly rest: readonly string[] } | undefined {
  const [first = "", second] = path;
  for (const level of names.levels.toReversed()) {
    const binding = level.names.get(first);
    if (binding !== undefined && (path.length === 1 || binding.kind === "record")) {
      return { binding, rest: path.slice(1) };
    }
  }
  if (second === undefined) return undefined;
  const labelled = names.levels.findLast((level) => level.label === first)?.names.get(second);
  return labelled === undefined ? undefined : { binding: labelled, rest: path.slice(2) };
}

/** The value of a variable, a field or a whole record; undefined if the path names none. */
export function valueOf(names: Names, path: readonly string[]): Expression | undefined {
  const found = find(names, path);
  if (found === undefined) return undefined;
  const { binding, rest } = found;
  const [field, ...others] = rest;
  if (others.length > 0) return undefined;
  switch (binding.kind) {
    case "variable":
      return field === undefined ? { kind: "variable", name: binding.variable } : undefined;
    case "value":
      return field === undefined ? binding.value : undefined;
    case "cursor":
      return undefined;
    case "record": {
      if (field === undefined) return wholeRecord(binding);
      const known = binding.fields.get(field);
      if (known !== undefined) return { kind: "variable", name: known };
      const { open } = binding;
      return open === undefined
        ? undefined
        : { kind: "field", result: open.result, field, at: open.at };
    }
  }
}

/** A record as one value: `row(...)` of its fields. */
export function wholeRecord(record: RecordBinding): Expression {
  const fields = [...record.fields.values()].map((name): Expression => ({
    kind: "variable",
    name,
  }));
  return rowValue(fields);
}

/** Several values as one: equal if all of them are. */
export function rowValue(values: readonly Expression[]): Expression {
  const [first] = values;
  if (first !== undefined && values.length === 1) return first;
  return { kind: "call", name: "row", arguments: values, deterministic: true };
}
