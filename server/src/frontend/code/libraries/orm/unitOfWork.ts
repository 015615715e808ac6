// A unit of work: the rows and objects that a mapper keeps, and writes where they differ from what the database had.
import type { Expression } from "../../../../program/expression";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { negate, sameExpression } from "../../evaluate/values/convert";
import { assuming } from "../../evaluate/values/texts";
import {
  constant,
  constantScalar,
  scalar,
  UNDEFINED,
  unknown,
  type Connection,
  type ObjectValue,
  type RowsValue,
  type RowValue,
  type Value,
} from "../../values";
import { valueFragment, raw, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { keysOf, roleOf, type Model, type ModelColumn } from "./model";
import {
  assignGenerated,
  byKey,
  columnText,
  equals,
  isRowData,
  loseField,
  runDelete,
  runInsert,
  runUnknownWrite,
  runUpdate,
  type Place,
} from "./statements";

/** Style of a mapper's statements. */
export interface UnitStyle {
  /** An UPDATE sets all columns, not just those that changed. */
  readonly isWhole: (model: Model) => boolean;
  /** The database counts the version, and not the code. */
  readonly countsInDatabase: boolean;
  /** A row that is not there any more is an error. */
  readonly isStrict: boolean;
}

type Subject = RowValue | RowsValue | ObjectValue;

interface Entry {
  readonly model: Model;
  readonly connection: Connection | undefined;
  readonly style: UnitStyle;
  readonly subject: Subject;
  readonly key?: Expression;
  /** Its row is inserted or deleted at the next flush. */
  readonly staged?: "insert" | "delete";
  /** Work before the commit, behind all that is written. */
  readonly last?: (place: Place) => void;
  /** Values where it is there. */
  readonly assume?: Assume;
  /** `there`: whether it is kept, on the path at hand. `=name`: what the database has by now, where that was not read. */
  readonly state: ObjectValue;
}

/** By the state of the evaluation, which the tools are for. What a path or trial left that was undone is not there. */
const units = new WeakMap<Tools, Entry[]>();

const THERE = "there";

/** Keeps a row, the first row of a result, or an object whose row was inserted. */
export function keep(
  { model, connection, tools }: Omit<Place, "source">,
  subject: Value,
  style: UnitStyle,
  key?: Expression,
): void {
  if (subject.kind !== "row" && subject.kind !== "rows" && subject.kind !== "object") return;
  const state = tools.object({ [THERE]: UNDEFINED });
  if (state.kind !== "object") return;
  tools.assign(state, THERE, constant(true));
  const entries = units.get(tools) ?? [];
  units.set(tools, entries);
  entries.push({ model, connection, style, subject, state, ...(key && { key }) });
  if (subject.kind !== "object") return;
  for (const { name } of writable(model)) {
    tools.assign(state, `=${name}`, heldIn(subject, name, tools));
  }
}

function entriesOn(tools: Tools, connection: Connection | undefined): readonly Entry[] {
  return (units.get(tools) ?? []).filter((each) => each.connection?.id === connection?.id);
}

/** True if it is of something that is kept, not of something that is to be done. */
function isKeeper({ last, staged }: Entry): boolean {
  return last === undefined && staged === undefined;
}

function presence({ state }: Entry): Value {
  return state.fields.get(THERE)?.value ?? UNDEFINED;
}

/** The row or object of that key, where it is surely kept. */
export function keptByKey(
  { model, connection, tools }: Omit<Place, "source">,
  key: Expression,
): RowValue | ObjectValue | undefined {
  const found = entriesOn(tools, connection).findLast(
    (each) =>
      isKeeper(each) &&
      each.model.table === model.table &&
      each.model.name === model.name &&
      each.key !== undefined &&
      sameExpression(each.key, key) &&
      constantScalar(presence(each)) === true,
  );
  if (!found) return undefined;
  const subject = found.subject.kind === "rows" ? tools.firstRow(found.subject) : found.subject;
  return subject.kind === "row" || subject.kind === "object" ? subject : undefined;
}

/** True if rows of a model are kept, or may be. */
export function mayKeep({ model, connection, tools }: Omit<Place, "source">): boolean {
  return entriesOn(tools, connection).some(
    (each) =>
      isKeeper(each) && each.model.table === model.table && presence(each).kind !== "undefined",
  );
}

function entryOf(place: Omit<Place, "source">, value: Value): Entry | undefined {
  return entriesOn(place.tools, place.connection).findLast(
    (each) => isKeeper(each) && isOf(each.subject, value),
  );
}

function isOf(subject: Subject, value: Value): boolean {
  if (subject === value) return true;
  if (value.kind === "object") return subject.kind === "object" && subject.fields === value.fields;
  if (value.kind !== "row" || subject.kind === "object") return false;
  if (subject.result !== value.result) return false;
  return subject.kind === "row" ? subject.overlay === value.overlay : value.at === "first";
}

/** True if a row or object is surely kept. */
export function isKept(place: Omit<Place, "source">, value: Value): boolean {
  const entry = entryOf(place, value);
  return entry !== undefined && constantScalar(presence(entry)) === true;
}

/** Keeps something no longer: it is detached, or its row is deleted. */
export function release(place: Omit<Place, "source">, value: Value): void {
  const entry = entryOf(place, value);
  if (entry) place.tools.assign(entry.state, THERE, UNDEFINED);
}

/** Keeps nothing any longer. */
export function releaseAll(tools: Tools, connection: Connection | undefined): void {
  for (const { state } of entriesOn(tools, connection)) {
    if (state.fields.get(THERE)?.value?.kind !== "undefined") {
      tools.assign(state, THERE, UNDEFINED);
    }
  }
}

/** The value that the database has for a property, as far as the unit knows. */
export function setKnown(place: Omit<Place, "source">, of: Value, name: string, to: Value): void {
  const entry = entryOf(place, of);
  if (entry) place.tools.assign(entry.state, `=${name}`, to);
}

/** Value of a property of a row or object; undefined where nothing was assigned to it. */
export function heldIn(value: Value, name: string, tools: Tools): Value {
  if (value.kind !== "object") return tools.field(value, name);
  return value.fields.get(name)?.value ?? UNDEFINED;
}

/** Inserts or deletes the row of an object at the next flush. */
export function stage(
  { model, connection, tools }: Omit<Place, "source">,
  subject: RowValue | ObjectValue,
  style: UnitStyle,
  staged: "insert" | "delete",
): void {
  const known = entriesOn(tools, connection).find(
    (each) => each.staged === staged && isOf(each.subject, subject),
  );
  if (known) {
    tools.assign(known.state, THERE, constant(true));
    return;
  }
  const state = tools.object({ [THERE]: UNDEFINED });
  if (state.kind !== "object") return;
  tools.assign(state, THERE, constant(true));
  const entry = { model, connection, style, subject, state, staged };
  units.set(tools, [...(units.get(tools) ?? []), entry]);
}

/** Does what is staged. */
function flushStaged(
  tools: Tools,
  connection: Connection | undefined,
  source: SourceRange,
  staged: "insert" | "delete",
  since: number,
): void {
  for (const entry of entriesOn(tools, connection)) {
    if (entry.staged !== staged || (entry.state.born ?? 0) <= since) continue;
    const { model, subject, style } = entry;
    const place: Place = { model, connection, tools, source };
    where(presence(entry), tools, () => {
      if (subject.kind === "object" && staged === "insert") {
        insertObject(place, subject, style, () => undefined);
        return;
      }
      const key = subject.kind === "rows" ? undefined : byKey(place, (name) => heldIn(subject, name, tools)); // prettier-ignore
      if (key) runDelete(place, key);
      else runUnknownWrite(place, "what is removed is not known");
      release(place, subject);
    });
    if (presence(entry).kind !== "undefined") tools.assign(entry.state, THERE, UNDEFINED);
  }
}

/** Does something before the commit, behind all that is written. */
export function beforeCommit(
  { model, connection, tools }: Omit<Place, "source">,
  subject: Value,
  style: UnitStyle,
  last: (place: Place) => void,
): void {
  if (subject.kind !== "row" && subject.kind !== "object") return;
  const state = tools.object({ [THERE]: UNDEFINED });
  if (state.kind !== "object") return;
  tools.assign(state, THERE, constant(true));
  const entry = { model, connection, style, subject, state, last };
  units.set(tools, [...(units.get(tools) ?? []), entry]);
}

/** Writes what changed of all that is kept, and does what is to be done before the commit. */
export function commitUnit(
  tools: Tools,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  flushUnit(tools, connection, source);
  for (const entry of entriesOn(tools, connection)) {
    const { last } = entry;
    if (last) where(presence(entry), tools, () => void last({ ...entry, tools, source }));
  }
  releaseAll(tools, connection);
}

/** Writes what changed of all that is kept, or of what came to be since. */
export function flushUnit(
  tools: Tools,
  connection: Connection | undefined,
  source: SourceRange,
  since = -Infinity,
): void {
  flushStaged(tools, connection, source, "insert", since);
  for (const entry of entriesOn(tools, connection)) {
    if (!isKeeper(entry) || (entry.state.born ?? 0) <= since) continue;
    where(presence(entry), tools, (assume) => {
      flushEntry({ ...entry, assume }, { ...entry, tools, source });
    });
  }
  flushStaged(tools, connection, source, "delete", since);
}

/** True if a flush may write a table, so that a query of it writes first. */
export function mayFlush(
  tools: Tools,
  connection: Connection | undefined,
  tables: ReadonlySet<string> | undefined,
  since = -Infinity,
): boolean {
  return entriesOn(tools, connection).some((entry) => {
    if (entry.last || (entry.state.born ?? 0) <= since) return false;
    if (tables && !tables.has(entry.model.table)) return false;
    if (presence(entry).kind === "undefined") return false;
    if (entry.staged) return true;
    const subject = entry.subject.kind === "rows" ? tools.firstRow(entry.subject) : entry.subject;
    if (subject.kind !== "row" && subject.kind !== "object") return false;
    return changesOf({ ...entry, subject }, tools).length > 0;
  });
}

/** Writes what changed of the row that a loop has at hand, where its mapper keeps it. */
export function flushRow(
  { model, connection, tools, source }: Place,
  row: RowValue,
  style: UnitStyle,
): void {
  const state = tools.object({});
  if (state.kind !== "object") return;
  const entry = { model, connection, style, subject: row, state };
  flushEntry(entry, { model, connection, tools, source });
}

type Assume = (value: Value) => Value;

const AS_IT_IS: Assume = (value) => value;

/** Runs something where a value is there, told what other values are then. */
function where(
  value: Value,
  tools: Tools,
  run: (assume: Assume) => void,
  assume: Assume = AS_IT_IS,
): void {
  if (value.kind === "undefined") return;
  if (value.kind !== "choice") {
    run(assume);
    return;
  }
  const { condition } = value;
  const done = (part: Value, holds: boolean) => (): Value => {
    where(part, tools, run, (each) => assuming(assume(each), condition, holds));
    return UNDEFINED;
  };
  tools.either(condition, done(value.then, true), done(value.otherwise, false));
}

interface Change {
  readonly column: ModelColumn;
  readonly name: string;
  readonly now: Value;
  readonly before: Value;
}

type OneEntry = Entry & { readonly subject: RowValue | ObjectValue };

function nowIn({ subject, assume = AS_IT_IS }: OneEntry, name: string, tools: Tools): Value {
  return assume(heldIn(subject, name, tools));
}

/** The properties that may differ from what the database has. */
function changesOf(entry: OneEntry, tools: Tools) {
  const { model, subject, state, assume = AS_IT_IS } = entry;
  return writable(model).flatMap(({ column, name }): readonly Change[] => {
    const had = state.fields.get(`=${name}`)?.value;
    const known = had && assume(had);
    if (subject.kind === "row" && known === undefined) {
      if (subject.overlay.get(name)?.value === undefined) return [];
      const before = tools.field({ ...subject, overlay: new Map() }, columnProperty(column, name));
      return [{ column, name, now: columnValue(model, name, nowIn(entry, name, tools), tools), before }]; // prettier-ignore
    }
    const now = columnValue(model, name, nowIn(entry, name, tools), tools);
    const before = columnValue(model, name, known ?? UNDEFINED, tools);
    if (now === before || isSame(now, before, tools)) return [];
    return [{ column, name, now, before }];
  });
}

function isSame(left: Value, right: Value, tools: Tools): boolean {
  if (left.kind === "undefined" || right.kind === "undefined") return left.kind === right.kind;
  return sameExpression(tools.expression(left), tools.expression(right));
}

/** Columns that the mapper writes, with the property that holds each: a relation holds the column of its key. */
function writable(
  model: Model,
): readonly { readonly column: ModelColumn; readonly name: string }[] {
  return model.columns.flatMap((column) => {
    if (column.isKey === true || column.role === "version" || column.isFixed === true) return [];
    const relation = model.relations.find((each) => each.column === column.column);
    const name = column.property ?? relation?.property;
    return name === undefined ? [] : [{ column, name }];
  });
}

function columnProperty({ property, column }: ModelColumn, name: string): string {
  return property === undefined ? column : name;
}

/** Value that is written for a property: of a related row its key. */
export function columnValue(model: Model, name: string, value: Value, tools: Tools): Value {
  const relation = model.relations.find(({ property }) => property === name);
  if (!relation || value.kind === "undefined" || constantScalar(value) === null) return value;
  const other = relation.target();
  const [key] = other ? keysOf(other) : [];
  const property = key?.property ?? key?.column ?? "id";
  switch (value.kind) {
    case "choice":
      return {
        ...value,
        then: columnValue(model, name, value.then, tools),
        otherwise: columnValue(model, name, value.otherwise, tools),
      };
    case "row":
    case "object":
      return heldIn(value, property, tools);
    case "input":
      return SCALARS.test(value.type ?? "") ? value : tools.member(value, property);
    case "scalar":
      return value;
    default:
      return unknown("the key of a related entity", [tools.expression(value)]);
  }
}

/** Types of keys, of which nothing is asked. */
const SCALARS = /^(?:number|string|bigint|int|long|Integer|Long|String|UUID)\b/u;

function flushEntry(entry: Entry, place: Place): void {
  const { subject } = entry;
  if (subject.kind !== "rows") {
    flushSubject({ ...entry, subject }, place);
    return;
  }
  const others = [...(subject.assigned ?? [])].some(
    ([at, cells]) => at === SEARCHED && [...cells.values()].some(({ value }) => value),
  );
  if (others) runUnknownWrite(place, "which of the rows is changed is not known");
  const row = place.tools.firstRow(subject);
  if (row.kind === "row") flushSubject({ ...entry, subject: row }, place);
}

/** Where `rowAssignments.ts` keeps fields of rows that were looked for. */
const SEARCHED = "searched";

function flushSubject(entry: OneEntry, place: Place): void {
  const { tools } = place;
  const { state } = entry;
  tellUnknown(entry, place);
  const changes = changesOf(entry, tools);
  if (changes.length === 0) return;
  const isChanged = connective("or", changes.map((each) => differs(each, tools))); // prettier-ignore
  tools.either(
    isChanged,
    () => {
      update(entry, place, changes);
      return UNDEFINED;
    },
    () => UNDEFINED,
  );
  for (const { name } of changes) tools.assign(state, `=${name}`, nowIn(entry, name, tools));
}

function differs({ now, before }: Change, tools: Tools): Expression {
  const [left, right] = [tools.expression(now), tools.expression(before)];
  if (left.kind === "literal" && right.kind === "literal") return literal(left.value !== right.value); // prettier-ignore
  return negate({ kind: "sameValue", left, right });
}

/** Says what was assigned to a field that is no column. */
function tellUnknown({ model, subject }: Entry, place: Place): void {
  if (subject.kind !== "row") return;
  for (const [name, { value }] of subject.overlay) {
    const isKnown =
      model.columns.some(({ property, column }) => property === name || column === name) ||
      model.relations.some(({ property }) => property === name) ||
      model.others?.has(name) === true;
    if (value && !isKnown) loseField(place, name);
  }
}

function update(entry: OneEntry, place: Place, changes: readonly Change[]): void {
  const { tools, model } = place;
  const { subject, style, state } = entry;
  const key = byKey(place, (name) => nowIn(entry, name, tools));
  if (!key) {
    runUnknownWrite(place, "the key of what is written is not known");
    return;
  }
  const changed = new Map(changes.map(({ column, now }) => [column.column, now]));
  const set = new Map<string, Fragment>();
  for (const { column, name } of writable(model)) {
    const value = changed.get(column.column) ?? (style.isWhole(model) ? unchanged(entry, column, name, tools) : undefined); // prettier-ignore
    if (value) set.set(column.column, valueFragment(orNull(value)));
  }
  const version = versionOf(entry, tools);
  if (version) {
    const counted = raw(`${columnText(place, version.column)} + 1`);
    const next = style.countsInDatabase ? counted : valueFragment(scalar(version.next, "int"));
    set.set(version.column.column, next);
  }
  const guard = version ? [equals(columnText(place, version.column), version.value)] : [];
  const { count } = runUpdate(place, set, [...key, ...guard], { isVersioned: false });
  if (style.isStrict || version) {
    const why = version ? "another transaction has changed the row" : "the row is not there any more"; // prettier-ignore
    tools.require(compare("=", tools.expression(count), literal(1)), why, place.source);
  }
  if (version) {
    const next = scalar(version.next, "int");
    tools.assign(subject, version.name, next);
    tools.assign(state, `=${version.name}`, next);
  }
}

function unchanged(entry: OneEntry, column: ModelColumn, name: string, tools: Tools): Value {
  const { subject } = entry;
  const isRead = subject.kind === "row" && subject.overlay.get(name)?.value === undefined;
  return isRead ? tools.field(subject, columnProperty(column, name)) : nowIn(entry, name, tools);
}

export function orNull(value: Value): Value {
  return value.kind === "undefined" ? constant(null) : value;
}

function versionOf(entry: Pick<OneEntry, "model" | "subject" | "assume">, tools: Tools) {
  const { model, subject, assume = AS_IT_IS } = entry;
  const column = roleOf(model, "version");
  if (!column) return undefined;
  const name = column.property ?? column.column;
  const value = assume(heldIn(subject, name, tools));
  const next: Expression = {
    kind: "arithmetic",
    operator: "+",
    left: tools.expression(value),
    right: literal(1),
  };
  return { column, name, value, next };
}

/** Writes the version alone. */
export function forceVersion(place: Place, subject: Value): void {
  const { tools, model } = place;
  if (subject.kind !== "row" && subject.kind !== "object") return;
  const version = versionOf({ model, subject }, tools);
  const key = byKey(place, (name) => heldIn(subject, name, tools));
  if (!version || !key) return;
  const set = new Map([[version.column.column, valueFragment(scalar(version.next, "int"))]]);
  const guard = equals(columnText(place, version.column), version.value);
  const { count } = runUpdate(place, set, [...key, guard], { isVersioned: false });
  tools.require(compare("=", tools.expression(count), literal(1)), "another transaction has changed the row", place.source); // prettier-ignore
  tools.assign(subject, version.name, scalar(version.next, "int"));
}

/** Ends with an error where the version of a row is another one than that of what is kept. */
export function requireVersion(place: Place, row: Value, kept: Value): void {
  const { tools, model, source } = place;
  const column = roleOf(model, "version");
  if (!column) return;
  const name = column.property ?? column.column;
  const [left, right] = [row, kept].map((each) => tools.expression(tools.field(each, name)));
  if (!left || !right) return;
  tools.require(compare("=", left, right), "another transaction has changed the row", source);
}

/** Inserts the row of an object and keeps it. `initial`: what columns hold that nothing was assigned to. */
export function insertObject(
  place: Place,
  object: ObjectValue,
  style: UnitStyle,
  initial: (column: ModelColumn) => Value | undefined,
): void {
  const { model, tools } = place;
  const row = new Map<string, Fragment>();
  for (const column of model.columns) {
    const relation = model.relations.find((each) => each.column === column.column);
    const name = column.property ?? relation?.property;
    const field = name === undefined ? UNDEFINED : heldIn(object, name, tools);
    const value = field.kind === "undefined" ? initial(column) : field;
    const isMade = column.generated !== undefined && (value === undefined || constantScalar(value) === null || constantScalar(value) === 0); // prettier-ignore
    if (name === undefined || value === undefined || isMade) continue;
    row.set(column.column, valueFragment(orNull(columnValue(model, name, value, tools))));
    if (field.kind === "undefined") tools.assign(object, name, value);
  }
  assignGenerated(place, object, runInsert(place, [row]));
  const [key] = keysOf(model);
  const made = key && heldIn(object, key.property ?? key.column, tools);
  const isKnown = made !== undefined && made.kind !== "undefined";
  keep(place, object, style, isKnown ? tools.expression(made) : undefined);
}

/** The model of a row that a mapper gave. */
export function modelOfRow(row: Value): Model | undefined {
  return (row.kind === "row" || row.kind === "rows") && isRowData(row.data)
    ? row.data.model
    : undefined;
}
