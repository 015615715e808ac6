// Set-returning functions: in FROM a relation whose query has one call per function in its outputs, in a select list the call itself.
import type { FuncCall, Node, TypeName } from "libpg-query";
import type { Expression, Output } from "../../../program/expression";
import { setCallsIn, type Call } from "../../../program/operands";
import { isPure } from "../../../program/functions";
import { lastName } from "./ast";
import { writtenElements } from "./operator";
import { lowerAll } from "./recursion";
import { tableOfType } from "./plpgsql/routineDefinition";
import { lose, type Scope, type Work } from "./scope";

/** The columns of set-returning functions; empty if the only one has the function's name or the alias. */
const SETS: ReadonlyMap<string, readonly string[]> = new Map([
  ...named("unnest generate_series generate_subscripts regexp_split_to_table string_to_table"),
  ...named("jsonb_object_keys json_object_keys regexp_matches jsonb_path_query"),
  ...named("jsonb_array_elements json_array_elements", "value"),
  ...named("jsonb_array_elements_text json_array_elements_text", "value"),
  ...named("jsonb_each json_each jsonb_each_text json_each_text", "key", "value"),
]);

/** Functions whose columns are in the statement: after the call, or as the first argument's type. */
const RECORDS: ReadonlySet<string> = new Set(
  "jsonb_to_recordset json_to_recordset jsonb_populate_recordset json_populate_recordset".split(
    " ",
  ),
);

/** The same with one row. */
const RECORD: ReadonlySet<string> = new Set(
  "jsonb_to_record json_to_record jsonb_populate_record json_populate_record".split(" "),
);

function named(
  names: string,
  ...columns: readonly string[]
): readonly (readonly [string, readonly string[]])[] {
  return names.split(" ").map((name) => [name, columns] as const);
}

/** True if a function of that name returns several rows. */
export function givesRows(name: string): boolean {
  return SETS.has(name) || RECORDS.has(name);
}

/** A set-returning call in a select list; undefined for other functions. */
export function setCall(call: FuncCall, scope: Scope, work: Work): Expression | undefined {
  const name = lastName(call.funcname);
  if (!SETS.has(name)) return undefined;
  const args = argumentsOf(call, name, scope, work);
  if (args.some((each) => setCallsIn(each).length > 0)) {
    return lose(work, "rows of a function for each row of another one", args);
  }
  if (name === "unnest" && args.length > 1) return undefined;
  return asSet(name, args);
}

/** The columns of a function in FROM with their values. */
export interface FunctionRows {
  readonly outputs: readonly Output[];
  /** True if its rows are single values: the alias means the value, and its fields if it is a record. */
  readonly isScalar: boolean;
  /** True if the records have any field. */
  readonly isRecord?: boolean;
}

/** The rows of a function in FROM; undefined if it is unknown. */
export function functionRows(
  call: FuncCall,
  alias: string,
  columns: readonly Node[] | undefined,
  scope: Scope,
  work: Work,
): FunctionRows | undefined {
  const name = lastName(call.funcname);
  const args = (): readonly Expression[] => argumentsOf(call, name, scope, work);
  if (RECORDS.has(name) || RECORD.has(name)) {
    const fields = columns === undefined ? fieldsOfRow(call, work) : definedColumns(columns);
    if (fields === undefined) return undefined;
    // The first argument of json_populate_recordset(NULL::t, ...) is its type.
    const value = RECORDS.has(name) ? asSet(name, args().slice(-1)) : plain(name, args().slice(-1));
    return { outputs: fields.map((field) => fieldOf(value, field)), isScalar: false };
  }
  const known = SETS.get(name);
  if (known === undefined) {
    if (!isPure(name)) return undefined;
    return { outputs: [{ name: alias, value: plain(name, args()) }], isScalar: true };
  }
  const all = args();
  if (name === "unnest" && all.length > 1) {
    const outputs = all.map((each): Output => ({ name: "unnest", value: asSet(name, [each]) }));
    return { outputs, isScalar: false };
  }
  const value = asSet(name, all);
  if (known.length > 1)
    return { outputs: known.map((field) => fieldOf(value, field)), isScalar: false };
  return { outputs: [{ name: known[0] ?? alias, value }], isScalar: true };
}

/** The row number column of WITH ORDINALITY. */
export function ordinality({ outputs }: FunctionRows): Output {
  const first = outputs.flatMap(({ value }) => setCallsIn(value))[0];
  const value: Expression =
    first === undefined
      ? { kind: "literal", value: 1, type: "int" }
      : { ...first, name: `${first.name} with ordinality` };
  return { name: "ordinality", value };
}

function argumentsOf(
  call: FuncCall,
  name: string,
  scope: Scope,
  work: Work,
): readonly Expression[] {
  const [first] = call.args ?? [];
  const written = name === "unnest" ? writtenElements(first, scope, work) : undefined;
  if (written !== undefined && call.args?.length === 1) return [plain("array", written)];
  return lowerAll(call.args, scope, work);
}

function plain(name: string, args: readonly Expression[]): Call {
  return { kind: "call", name, arguments: args, deterministic: true };
}

function asSet(name: string, args: readonly Expression[]): Call {
  return { ...plain(name, args), set: true };
}

function fieldOf(value: Expression, field: string): Output {
  return { name: field, value: plain(`field ${field}`, [value]) };
}

function definedColumns(columns: readonly Node[]): readonly string[] {
  return columns.flatMap((node) => ("ColumnDef" in node ? (node.ColumnDef.colname ?? []) : []));
}

/** The columns of the table whose row type the first argument has. */
function fieldsOfRow(call: FuncCall, work: Work): readonly string[] | undefined {
  const [first] = call.args ?? [];
  if (first === undefined || !("TypeCast" in first)) return undefined;
  return rowType(first.TypeCast.typeName, work);
}

function rowType(type: TypeName | undefined, work: Work): readonly string[] | undefined {
  const table = tableOfType(type, work.context.table);
  return table?.inferred === true ? undefined : table?.columns.map(({ name }) => name);
}
