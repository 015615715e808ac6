// A unit of work: the rows and objects that a mapper keeps, and writes where they differ from what the database had.
import { ofNode } from "../../../../query/nodes";
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
  type Connection,
  type ObjectValue,
  type RowsValue,
  type RowValue,
  type Value,
} from "../../values";
import { valueFragment, raw, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { columnProperty, columnValue, heldIn, orNull, writable } from "./entityColumns";
import { keysOf, type Model, type ModelColumn } from "./model";
import { guardOf, requireOne, versionOf } from "./rowVersions";
import {
  assignGenerated,
  byKey,
  columnText,
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
  /** A row that is not there any more, or has another version, is an error: for UPDATE and DELETE. */
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
  /** Work before that. */
  readonly first?: (place: Place) => void;
  /** Work before the commit, behind all that is written. */
  readonly last?: (place: Place) => void;
  /** Values where it is there. */
  readonly assume?: Assume;
  /** `there`: whether it is kept, on the path at hand. `=name`: what the database has by now, where that was not read. */
  readonly state: ObjectValue;
}

/** By the state of the evaluation, which the tools are for. What a path or trial left that was undone is not there. */
const unitOf = ofNode((_tools: Tools): Entry[] => []);

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
  unitOf(tools).push({ model, connection, style, subject, state, ...(key && { key }) });
  if (subject.kind !== "object") return;
  for (const { name } of writable(model)) {
    tools.assign(state, `=${name}`, heldIn(subject, name, tools));
  }
}

function entriesOn(tools: Tools, connection: Connection | undefined): readonly Entry[] {
  return unitOf(tools).filter((each) => each.connection?.id === connection?.id);
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
      constantScalar(presence(each)) === true &&
      keyExpressions(each, tools).some((own) => sameExpression(own, key)),
  );
  if (!found) return undefined;
  const subject = found.subject.kind === "rows" ? tools.firstRow(found.subject) : found.subject;
  return subject.kind === "row" || subject.kind === "object" ? subject : undefined;
}

/** Key of a kept row: the one that it was asked for by, and the one that it has. */
function keyExpressions({ model, subject, key }: Entry, tools: Tools): readonly Expression[] {
  const [column] = keysOf(model);
  const name = column?.property ?? column?.column;
  const row = subject.kind === "rows" ? tools.firstRow(subject) : subject;
  const own = name === undefined ? UNDEFINED : heldIn(row, name, tools);
  return [...(key ? [key] : []), ...(own.kind === "undefined" ? [] : [tools.expression(own)])];
}

/** The row that `read` gives, or a kept one of the same table where the key turns out to be that one's: an identity map. */
export function readUnlessKept(
  { model, connection, tools }: Omit<Place, "source">,
  key: Expression,
  read: () => Value,
): Value {
  const others = entriesOn(tools, connection).flatMap((each) => {
    const isOther = isKeeper(each) && each.model.table === model.table && constantScalar(presence(each)) === true; // prettier-ignore
    return isOther && each.key && !(each.key.kind === "literal" && key.kind === "literal") ? [{ ...each, key: each.key }] : []; // prettier-ignore
  });
  const choose = others.reduceRight<() => Value>(
    (rest, { subject, key: own }) =>
      () =>
        tools.either(
          compare("=", key, own),
          () => (subject.kind === "rows" ? tools.firstRow(subject) : subject),
          rest,
        ),
    read,
  );
  return choose();
}

/** True if rows of a model are kept, or may be. `asked`: rows of queries alone, of which no key is given. */
export function mayKeep(
  { model, connection, tools }: Omit<Place, "source">,
  { asked = false }: { readonly asked?: boolean } = {},
): boolean {
  return entriesOn(tools, connection).some(
    (each) =>
      isKeeper(each) &&
      each.model.table === model.table &&
      presence(each).kind !== "undefined" &&
      !(asked && (each.key !== undefined || each.subject.kind === "object")),
  );
}

/** True if a row of a table may be deleted at the next flush. */
export function mayDelete({ model, connection, tools }: Omit<Place, "source">): boolean {
  return entriesOn(tools, connection).some(
    (each) =>
      each.staged === "delete" &&
      each.model.table === model.table &&
      presence(each).kind !== "undefined",
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

/** True if a row or object is surely kept, or is one of a result that is. */
export function isKept(place: Omit<Place, "source">, value: Value): boolean {
  return entriesOn(place.tools, place.connection).some(
    (each) =>
      isKeeper(each) &&
      (isOf(each.subject, value) || isAmong(each.subject, value)) &&
      constantScalar(presence(each)) === true,
  );
}

function isAmong(subject: Subject, value: Value): boolean {
  return subject.kind === "rows" && value.kind === "row" && subject.result === value.result;
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

/** Inserts or deletes the row of an object at the next flush, behind what is to be done first. */
export function stage(
  { model, connection, tools }: Omit<Place, "source">,
  subject: RowValue | ObjectValue,
  style: UnitStyle,
  staged: "insert" | "delete",
  first?: (place: Place) => void,
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
  const entry = { model, connection, style, subject, state, staged, ...(first && { first }) };
  unitOf(tools).push(entry);
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
      entry.first?.(place);
      if (subject.kind !== "rows") deleteRow(place, { ...entry, subject });
      release(place, subject);
    });
    if (presence(entry).kind !== "undefined") tools.assign(entry.state, THERE, UNDEFINED);
  }
}

function deleteRow(place: Place, entry: OneEntry): void {
  const { tools } = place;
  const { subject, style } = entry;
  const key = byKey(place, (name) => heldIn(subject, name, tools));
  if (!key) {
    runUnknownWrite(place, "what is removed is not known");
    return;
  }
  const version = style.isStrict ? versionOf(entry, tools) : undefined;
  const { count } = runDelete(place, [...key, ...guardOf(place, version)]);
  if (style.isStrict) requireOne(place, count, version !== undefined);
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
  unitOf(tools).push(entry);
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
  const where = [...key, ...guardOf(place, version)];
  const { count } = runUpdate(place, set, where, { isVersioned: false });
  if (style.isStrict || version) requireOne(place, count, version !== undefined);
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
