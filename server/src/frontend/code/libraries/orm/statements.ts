// Statements on models: SQL text made of their columns, and rows that the code sees by their properties.
import { kindGuard } from "../kindGuard";
import type { SourceRange } from "../../../../protocol/source";
import {
  constantScalar,
  fieldExpression,
  scalar,
  unknown,
  type Connection,
  type ResultColumns,
  type RowValue,
  type Value,
} from "../../values";
import {
  chooseFragment,
  draftOf,
  flagOf,
  valueFragment,
  givenList,
  quoteIdentifier,
  raw,
  runDraft,
  joinFragments,
  sequence,
  type Draft,
  type Fragment,
} from "../builders/draft";
import type { SqlOutcome, Tools } from "../library";
import { rowsOf } from "../rawSql";
import { columnOf, keysOf, roleOf, type Model, type ModelColumn } from "./model";

/** Where a statement on a model runs. */
export interface Place {
  readonly model: Model;
  readonly connection: Connection | undefined;
  readonly source: SourceRange;
  readonly tools: Tools;
  /** Name of the table in a statement of several. */
  readonly alias?: string;
}

/** The origin that rows of a model know. */
export interface RowData {
  readonly kind: "modelRow";
  readonly model: Model;
  readonly connection: Connection | undefined;
}

export const isRowData = kindGuard<RowData>("modelRow");

/** A statement's beginning: its verb and table. */
export function startOn({ model, tools, alias }: Place, verb: Draft["verb"]): Draft {
  const table = quoteIdentifier(model.table, tools.dialect);
  return draftOf(verb, raw(alias === undefined ? table : `${table} AS ${quoteName(alias, tools)}`));
}

/** A name with whatever is in it in the dialect's quotes. */
export function quoteName(name: string, { dialect }: Tools): string {
  return quoteIdentifier(name.replaceAll(".", "\0"), dialect).replaceAll("\0", ".");
}

/** A column in the dialect's quotes. */
export function columnText({ tools, alias }: Place, { column }: ModelColumn): string {
  const own = quoteIdentifier(column, tools.dialect);
  return alias === undefined ? own : `${quoteName(alias, tools)}.${own}`;
}

/** The columns that are read unless others are asked for, or those of the named properties. */
export function selectColumns(place: Place, names?: readonly string[]): readonly Fragment[] {
  const { model } = place;
  const columns =
    names === undefined
      ? model.columns.filter(({ isHidden }) => isHidden !== true)
      : names.flatMap((name) => columnOf(model, name) ?? []);
  return columns.map((column) => raw(columnText(place, column)));
}

/** Runs a SELECT of a model's rows, which the code sees by their properties. */
export function runSelect(place: Place, draft: Draft): Value {
  return modelRows(place, runDraftOf(place, draft));
}

/** Runs a statement where the place says. */
export function runDraftOf({ connection, source, tools }: Place, draft: Draft): SqlOutcome {
  return runDraft(draft, connection, source, tools);
}

/** The rows of an outcome as the model's. */
export function modelRows(place: Place, outcome: SqlOutcome): Value {
  const { tools, model, connection } = place;
  const rows = rowsOf(outcome, tools);
  if (rows.kind !== "rows") return rows;
  const data: RowData = { kind: "modelRow", model, connection };
  const columns = { ...rows.columns, renamed: renamedOf(model) };
  const changed = readAccessors(model, columns);
  return tools.rows(rows.result, { ...columns, ...(changed && { relatedTo: changed }) }, data);
}

/** The values of rows for properties that a getter of the model's stands before; undefined without such. */
export function readAccessors(
  { name, columns }: Model,
  { order, renamed }: Pick<ResultColumns, "order" | "renamed">,
): ResultColumns["relatedTo"] {
  const found = columns.flatMap(({ property, column, changes }) => {
    const output = renamed?.get(property ?? "") ?? column;
    if (property === undefined || changes?.onRead !== true || !order.includes(output)) return [];
    const why = `what ${name}'s getter of "${property}" makes of what was read is not known`;
    return [[property, (row: RowValue) => unknown(why, [fieldExpression(row, output)])] as const];
  });
  return found.length > 0 ? new Map(found) : undefined;
}

function renamedOf(model: Model): ReadonlyMap<string, string> {
  return new Map(
    model.columns.flatMap(({ property, column }) =>
      property === undefined || property === column ? [] : [[property, column] as const],
    ),
  );
}

/** True if an option is there at all. */
export function isGiven(value: Value | undefined): value is Value {
  return value !== undefined && value.kind !== "undefined";
}

/** True if nothing is given: `undefined`, or `null` where that counts as nothing. */
export function isNothing(value: Value | undefined): boolean {
  return value === undefined || value.kind === "undefined" || constantScalar(value) === null;
}

/** `column = value`; of two values, which is taken decides at run time. */
export function equals(column: string, value: Value): Fragment {
  if (constantScalar(value) === null) return raw(`${column} IS NULL`);
  return sequence(`${column} = `, valueFragment(value));
}

/** A condition by a value that is absent on one path: there it holds for all rows. */
export function optionalCondition(
  value: Value,
  condition: (value: Value) => Fragment | undefined,
): Fragment | undefined {
  if (value.kind === "undefined") return undefined;
  if (value.kind !== "choice") return condition(value);
  const { then, otherwise } = value;
  if (then.kind !== "undefined" && otherwise.kind !== "undefined") return condition(value);
  return chooseFragment(
    flagOf(value),
    optionalCondition(then, condition),
    optionalCondition(otherwise, condition),
  );
}

/** `column IN (...)`. */
export function memberOfList(column: string, list: Value | undefined, tools: Tools): Fragment {
  const items = list && tools.members(list);
  if (!items)
    return sequence(`${column} IN (`, givenList(list ?? unknown("no list is given")), ")");
  if (items.length === 0) return raw("FALSE");
  return sequence(`${column} IN (`, joinFragments(items.map(valueFragment), ", "), ")");
}

/** The columns that an INSERT or UPDATE sets. */
export type Columns = ReadonlyMap<string, Fragment>;

/** Inserts rows; gives what came back: the columns that the database makes. */
export function runInsert(
  place: Place,
  rows: readonly Columns[],
  conflict?: Fragment,
): { readonly outcome: SqlOutcome; readonly made: Value | undefined } {
  const { model, tools } = place;
  const made = model.columns.filter(
    ({ generated, role }) => generated !== undefined || (role !== undefined && role !== "deleted"),
  );
  const returns = tools.dialect === "postgres" && made.length > 0;
  const outcome = runDraft(
    {
      ...startOn(place, "insert"),
      rows,
      ...(conflict && { conflict }),
      ...(returns && { returning: made.map((each) => raw(columnText(place, each))) }),
    },
    place.connection,
    place.source,
    tools,
  );
  return { outcome, made: returns ? modelRows(place, outcome) : undefined };
}

/** Gives an object of the code what the database made for its row. */
export function assignGenerated(
  place: Place,
  object: Value,
  { outcome, made }: ReturnType<typeof runInsert>,
): void {
  const { model, tools } = place;
  for (const each of model.columns) {
    const { property, generated, role } = each;
    const isMade = generated !== undefined || (role !== undefined && role !== "deleted");
    if (property === undefined || !isMade) continue;
    if (made) tools.assign(object, property, tools.member(tools.firstRow(made), property));
    else if (generated === "sequence" && outcome.insertId) {
      tools.assign(object, property, outcome.insertId);
    }
  }
}

/** Updates rows, with what the mapper itself writes: the version and the time. */
export function runUpdate(
  place: Place,
  set: Columns,
  where: readonly Fragment[],
  { isVersioned = true }: { readonly isVersioned?: boolean } = {},
): SqlOutcome {
  const { model, tools } = place;
  const own: [string, Fragment][] = [];
  const version = roleOf(model, "version");
  const updated = roleOf(model, "updated");
  if (isVersioned && version && !set.has(version.column)) {
    own.push([version.column, raw(`${columnText(place, version)} + 1`)]);
  }
  if (updated && !set.has(updated.column)) own.push([updated.column, raw("CURRENT_TIMESTAMP")]);
  const draft = { ...startOn(place, "update"), set: [...set, ...own], where };
  return runDraft(draft, place.connection, place.source, tools);
}

export function runDelete(place: Place, where: readonly Fragment[]): SqlOutcome {
  const draft = { ...startOn(place, "delete"), where };
  return runDraft(draft, place.connection, place.source, place.tools);
}

/** A writing that is not understood: it may set any column of any row. */
export function runUnknownWrite(place: Place, why: string): void {
  const { tools, model, connection, source } = place;
  tools.statement(
    connection,
    { kind: "opaque", tables: [model.table], writes: true, taint: [why] },
    source,
  );
}

/** The conditions that tell a row by its key, where all of the key is given. */
export function byKey(
  place: Place,
  valueOf: (property: string) => Value | undefined,
): readonly Fragment[] | undefined {
  const keys = keysOf(place.model);
  const parts = keys.map((key) => {
    const value = valueOf(key.property ?? key.column);
    return isNothing(value) || value === undefined
      ? undefined
      : equals(columnText(place, key), value);
  });
  return keys.length > 0 && parts.every((each) => each !== undefined) ? parts : undefined;
}

/** How many rows there are, or the largest of a column: `fn` over what is asked for. */
export function runAggregate(place: Place, text: string, where: readonly Fragment[]): Value {
  const { tools } = place;
  const draft = { ...startOn(place, "select"), columns: [raw(`${text} AS value`)], where };
  const rows = rowsOf(runDraft(draft, place.connection, place.source, tools), tools);
  return tools.member(tools.firstRow(rows), "value");
}

/** True if a row fulfils the conditions. */
export function runExists(place: Place, where: readonly Fragment[]): Value {
  const { tools } = place;
  const draft = { ...startOn(place, "select"), columns: [raw("1 AS one")], where, limit: raw("1") };
  const rows = rowsOf(runDraft(draft, place.connection, place.source, tools), tools);
  return scalar(tools.condition(tools.firstRow(rows)), "bool");
}

/** Says that what is written to a field is not: the model has none of that name, as far as its code is known. */
export function loseField({ model, tools, source }: Place, name: string): void {
  tools.lose(`"${name}", which ${model.name} is not known to have, is not written`, source);
}
