// From a model of the product encoding to a witness plan: arguments, initial rows, and a schedule of statements that realises the commit
// order and the snapshots.
import type { ValueType } from "../../../program/expression";
import type { Program } from "../../../program/program";
import { setEntry } from "../../../protocol/dictionary";
import type { Row, ScheduleStep, Value, WitnessInstance } from "../../../protocol/witness";
import type { Model } from "../../../solver/solver";
import type { Setup, WitnessPlan } from "../../../store/execution";
import type { ProductEncoding } from "../../encoding/product/encoding";
import {
  columnName,
  columnType,
  isNumber,
  nullArgument,
  nullName,
  parameterName,
} from "../../encoding/product/database";
import type { RowKey } from "../../encoding/product/database";
import { snapshotName } from "../../encoding/product/names";
import { certainSnapshot } from "../../encoding/product/snapshots";
import { hasOwnSnapshots, opensSnapshot } from "../../encoding/product/tuple";
import { locksTable } from "../../encoding/product/tableLocks";
import type { Access, ProductTuple, TupleTable } from "../../encoding/product/tuple";
import { FALSE, TRUE } from "../../encoding/smt";
import { assumedColumns, startReferences } from "../../operations/flatInvariant";
import { HIDDEN, INTERNED_BASE } from "../../operations/operation";
import { columnsIn } from "../../operations/terms";
import { withAskedRows } from "../../../store/invariants";
import { withParents } from "../parents";
import { compareKeys, instanceName, readBool, readInt, readTerm } from "../readModel";
import { wordOf } from "../words";
import { timedSchedule } from "./times";

/** The parts of an encoding that describe a start. */
export type Start = Pick<ProductEncoding, "tuple" | "database" | "run" | "serial">;

/** The plan of a model; instances are named T1, T2, ... in commit order. */
export function decodeProduct(
  program: Program,
  encoding: ProductEncoding,
  model: Model,
): WitnessPlan {
  return { ...decodeStart(program, encoding, model), schedule: scheduleOf(encoding, model) };
}

/** The model's arguments and initial rows. */
export function decodeStart(program: Program, encoding: Start, model: Model): Setup {
  const { tuple } = encoding;
  const mayAdd = (table: string): boolean => !tuple.tables.has(table);
  return {
    instances: tuple.units.map(([first = 0], unit) => ({
      instance: instanceName(unit),
      ...argumentsOf(encoding, model, first),
    })),
    initial: withParents({
      program,
      initial: withAskedRows(program, initialRows(program, encoding, model), mayAdd),
      written: writtenRows(encoding, model),
      mayAdd,
    }),
  };
}

function argumentsOf(
  encoding: Start,
  model: Model,
  instance: number,
): Omit<WitnessInstance, "instance"> {
  const transaction = encoding.tuple.transactions[instance];
  const values = (transaction?.parameters ?? []).flatMap(
    ({ name, type, nullable }, at): [string, Value][] => {
      if (name.startsWith(HIDDEN)) return [];
      const constant = parameterName(instance, at);
      if (nullable && model.bool(nullArgument(constant))) return [[name, null]];
      if (type === "bool") return [[name, model.bool(constant)]];
      return [[name, valueOf(encoding, type, model.int(constant))]];
    },
  );
  return {
    transaction: transaction?.id ?? "",
    arguments: Object.fromEntries(values),
  };
}

function initialRows(
  program: Program,
  encoding: Start,
  model: Model,
): Readonly<Record<string, readonly Row[]>> {
  const result: Record<string, readonly Row[]> = {};
  for (const table of encoding.tuple.tables.values()) {
    const { name } = table.table;
    if (name.startsWith(HIDDEN)) continue;
    const rows = new Map<string, readonly number[]>();
    for (const row of mentionedRows(encoding, table)) {
      const key = row.map((each) => readInt(model, each));
      if (isAlive(encoding, model, table, row, key)) rows.set(key.join(" "), key);
    }
    if (rows.size === 0) continue;
    setEntry(result, name, [...rows.values()]
      .sort(compareKeys)
      .flatMap((key) => alikeOf(encoding, model, table, rowOf(program, encoding, model, table, key), key))); // prettier-ignore
  }
  return result;
}

/** The first key of duplicated rows: above all keys that models use. */
const FIRST_ALIKE = 1001;

/** The row and its duplicates. */
function alikeOf(
  encoding: Start,
  model: Model,
  table: TupleTable,
  row: Row,
  key: readonly number[],
): readonly Row[] {
  const alike = encoding.database.alike(table);
  const isOne = alike?.row.map((each) => readInt(model, each)).join(" ") === key.join(" ");
  if (!alike || !isOne) return [row];
  const others = Math.max(0, readInt(model, alike.times) - 1);
  return [
    row,
    ...Array.from({ length: others }, (_, nth) => ({
      ...row,
      ...Object.fromEntries(
        alike.differing
          .filter((column) => !column.startsWith(HIDDEN))
          .map((column) => [
            column,
            valueOf(encoding, columnType(table.table, column), FIRST_ALIKE + nth),
          ]),
      ),
    })),
  ];
}

/** Values that insertions and updates write, as far as they are simple. */
function writtenRows(
  encoding: Start,
  model: Model,
): readonly { readonly table: string; readonly row: Row }[] {
  return encoding.run.done.flat().flatMap(({ access, exec }) => {
    const { operation, table, instance } = access;
    const isWrite = operation.kind === "insert" || operation.kind === "update";
    if (!isWrite || !readBool(model, exec)) return [];
    const row = Object.entries(operation.set).flatMap(([column, term]): [string, Value][] => {
      const { isNull, value, sort } = encoding.run.value(instance, term);
      if (sort !== "Int" || readTerm(model, isNull, "Bool") !== 0) return [];
      const type = columnType(table.table, column);
      return [[column, valueOf(encoding, type, readTerm(model, value, "Int"))]];
    });
    return [{ table: table.table.name, row: Object.fromEntries(row) }];
  });
}

function isAlive(
  encoding: Start,
  model: Model,
  table: TupleTable,
  row: RowKey,
  key: readonly number[],
): boolean {
  const alive = encoding.database.alive(table, row);
  if (alive === TRUE || alive === FALSE) return alive === TRUE;
  return model.boolAt(`a${String(table.id)}`, key);
}

/** Rows named by runs: for a closed table the listed ones, else those of point operations. */
function mentionedRows(encoding: Start, table: TupleTable): readonly RowKey[] {
  if (table.closed) return encoding.database.rows(table);
  const named = [encoding.run, ...encoding.serial.map(({ run }) => run)].flatMap((run) =>
    run.done.flat().flatMap(({ access, row }) => (access.table === table && row ? [row] : [])),
  );
  return [...named, ...encoding.database.asked(table)];
}

function rowOf(
  program: Program,
  encoding: Start,
  model: Model,
  table: TupleTable,
  key: readonly number[],
): Row {
  const { primaryKey, columns } = table.table;
  const used = usedColumns(encoding, table);
  const declared = program.schema.tables.find((each) => each.name === table.table.name);
  const entries = columns.flatMap(({ name, type }): [string, Value][] => {
    if (name.startsWith(HIDDEN)) return [];
    const at = key[primaryKey.indexOf(name)];
    if (at !== undefined && primaryKey.includes(name)) return [[name, valueOf(encoding, type, at)]];
    const nullable = declared?.columns.find((each) => each.name === name)?.nullable ?? true;
    if (!used.has(name)) return [[name, nullable ? null : plainValue(encoding, type)]];
    if (nullable && model.boolAt(nullName(table, name), key)) return [[name, null]];
    const symbol = columnName(table, name);
    if (type === "bool") return [[name, model.boolAt(symbol, key)]];
    return [[name, valueOf(encoding, type, model.intAt(symbol, key))]];
  });
  return Object.fromEntries(entries);
}

/** Columns that some operation mentions; the others do not matter. */
function usedColumns(encoding: Start, table: TupleTable): ReadonlySet<string> {
  const used = new Set<string>(table.mutable);
  for (const access of encoding.tuple.accesses.flat()) {
    if (access.table !== table) continue;
    const { where, set, outputs, update, updateWhere, aggregate, orderBy } = access.operation;
    const terms = [where, ...Object.values({ ...set }), ...Object.values(outputs)];
    const others = [...Object.values({ ...update }), updateWhere, aggregate?.operand];
    for (const column of columnsIn(...terms, ...others.flatMap((term) => term ?? [])))
      used.add(column);
    if (orderBy) used.add(orderBy.column);
  }
  const { flat, tables } = encoding.tuple;
  const references = startReferences(flat, new Set(tables.keys()));
  for (const column of assumedColumns(flat, table.table.name, references)) used.add(column);
  const { uniqueKeys, deferredKeys = [] } = table.table;
  for (const each of [...uniqueKeys, ...deferredKeys].flat()) used.add(each);
  return used;
}

function plainValue(encoding: Start, type: ValueType): Value {
  return type === "bool" ? false : valueOf(encoding, type, 0);
}

interface Planned {
  readonly instance: number;
  readonly step: number;
  /** One-based index among the executed statements. */
  readonly number: number;
  readonly gap: number;
  /** True if it begins before the statements of earlier committers in its gap, so that their locks do not block it. */
  readonly early: boolean;
  /** The number of earlier commits in its transaction's snapshot, if that exists by then. */
  readonly snapshot: number | undefined;
}

/**
 * The schedule: statements by the gap between commits in which they begin; gap g precedes the commit of instance g. Within a gap earlier
 * committers come first, so that a later one that needs their locks waits, with its snapshot taken.
 */
function scheduleOf(encoding: ProductEncoding, model: Model): readonly ScheduleStep[] {
  const { tuple, times } = encoding;
  if (times) {
    const executed = tuple.transactions.map((_, at) => executedSteps(encoding, model, at));
    return timedSchedule(encoding, times, model, executed);
  }
  const planned = begunInTime(
    encoding,
    model,
    tuple.transactions.flatMap((_, instance) => placedSteps(encoding, model, instance)),
  );
  const names = committedNames(encoding, model);
  const committed = (count: number): readonly string[] =>
    names.slice(0, count).flatMap((name) => name ?? []);
  const steps: ScheduleStep[] = [];
  for (const gap of tuple.transactions.keys()) {
    const inGap = planned.filter((step) => step.gap === gap);
    // A single-statement transaction ends its gap: it commits by itself.
    const isLast = (step: Planned): boolean =>
      step.instance === gap && tuple.parts[gap]?.single === true;
    const others = inGap.filter((step) => !isLast(step));
    for (const each of [
      ...others.filter((step) => step.early),
      ...others.filter((step) => !step.early),
      ...inGap.filter(isLast),
    ])
      steps.push({
        instance: nameOfUnit(tuple, each.instance),
        statement: each.number,
        sees: committed(each.snapshot ?? gap),
      });
    const begins = readBool(model, encoding.begins[gap] ?? TRUE);
    if (begins && tuple.parts[gap]?.single !== true)
      steps.push({ instance: nameOfUnit(tuple, gap), statement: "commit", sees: [] });
  }
  return steps;
}

function nameOfUnit({ units }: ProductTuple, instance: number): string {
  return instanceName(units.findIndex((each) => each.includes(instance)));
}

/** Per instance, the name of its commit in the store; undefined if it does not commit. */
function committedNames(
  { tuple, happens, begins }: ProductEncoding,
  model: Model,
): readonly (string | undefined)[] {
  const begun = tuple.units.map(() => 0);
  return tuple.parts.map((part, instance) => {
    const name = nameOfUnit(tuple, instance);
    if (!part) return name;
    if (!readBool(model, begins[instance] ?? TRUE)) return undefined;
    const unit = tuple.units.findIndex((each) => each.includes(instance));
    const nth = (begun[unit] ?? 0) + 1;
    begun[unit] = nth;
    return readBool(model, happens[instance] ?? TRUE) ? `${name}/${String(nth)}` : undefined;
  });
}

/** Statements whose locks others wait for begin no later than those waits, and so do the earlier statements of their instance. */
function begunInTime(
  { queues, tuple }: ProductEncoding,
  model: Model,
  planned: readonly Planned[],
): readonly Planned[] {
  const begin = ({ instance }: Planned): number => certainSnapshot(tuple, instance);
  return queues
    .filter(({ literal }) => readBool(model, literal))
    .reduce((steps, { holder, waiter }) => {
      const waiting = steps.find((each) => isStepOf(each, waiter));
      if (waiting === undefined) return steps;
      return steps.map((each) =>
        each.instance === holder.instance && each.step <= holder.operation.step
          ? { ...each, gap: Math.max(begin(each), Math.min(each.gap, waiting.gap)) }
          : each,
      );
    }, planned);
}

function isStepOf({ instance, step }: Planned, access: Access): boolean {
  return instance === access.instance && step === access.operation.step;
}

/** The executed statements of an instance with their gaps: given by the snapshot, else as late as possible. */
function placedSteps(
  encoding: ProductEncoding,
  model: Model,
  instance: number,
): readonly Planned[] {
  const executed = executedSteps(encoding, model, instance);
  const { snapshot: taken } = encoding.tuple.levels[instance] ?? {};
  const before = statementsBefore(encoding, model, instance);
  const opening = openingStep(encoding, model, instance, executed);
  let gap = instance;
  let earlyGap: number | undefined;
  const placed: Planned[] = [];
  for (const [at, step] of [...executed.entries()].reverse()) {
    const bound = at === opening ? snapshotGap(encoding, model, instance, "all") : undefined;
    gap = Math.min(gap, bound ?? snapshotGap(encoding, model, instance, step) ?? gap);
    if (gap < instance && readBool(model, encoding.passing[instance]?.[step] ?? FALSE))
      earlyGap = gap;
    placed.unshift({
      instance,
      step,
      number: before + at + 1,
      gap,
      early: earlyGap === gap,
      snapshot: undefined,
    });
  }
  if (taken === undefined || taken === "statement") return placed;
  const snapshot =
    taken === "begin"
      ? (snapshotGap(encoding, model, instance, "all") ?? placed[0]?.gap)
      : placed[opening]?.gap;
  return placed.map((each, at) =>
    taken !== "begin" && at < opening ? each : { ...each, snapshot },
  );
}

/** The number of statements that a unit executes before one of its transactions. */
function statementsBefore(encoding: ProductEncoding, model: Model, instance: number): number {
  const unit = encoding.tuple.units.find((each) => each.includes(instance)) ?? [];
  const earlier = unit.filter((each) => each < instance);
  return earlier.reduce((sum, each) => sum + executedSteps(encoding, model, each).length, 0);
}

/** The executed statement that takes the transaction's snapshot; -1 if none does. */
function openingStep(
  { tuple, run }: ProductEncoding,
  model: Model,
  instance: number,
  executed: readonly number[],
): number {
  switch (tuple.levels[instance]?.snapshot) {
    case "first-statement":
      return executed.findIndex((step) => !locksTable(tuple.accesses[instance] ?? [], step));
    case "first-plain-read":
      return executed.findIndex((step) =>
        (tuple.accesses[instance] ?? []).some(
          (each) =>
            opensSnapshot(each) && each.operation.step === step && readBool(model, run.exec(each)),
        ),
      );
    default:
      return -1;
  }
}

/** The number of earlier commits before a statement, or in its transaction's snapshot; undefined if irrelevant. */
function snapshotGap(
  encoding: ProductEncoding,
  model: Model,
  instance: number,
  step: number | "all",
): number | undefined {
  const { tuple } = encoding;
  const perStatement = hasOwnSnapshots(tuple, instance);
  const matters = (tuple.accesses[instance] ?? []).some(
    (each) =>
      each.needsSnapshot &&
      (step === "all"
        ? each.view === "snapshot"
        : each.operation.step === step && (perStatement || each.view === "look")),
  );
  if (!matters) return undefined;
  let gap = certainSnapshot(tuple, instance);
  while (gap < instance && model.bool(snapshotName(gap, instance, step))) gap += 1;
  return gap;
}

/** Numbers of the executed statements, by their guards. */
function executedSteps(
  encoding: ProductEncoding,
  model: Model,
  instance: number,
): readonly number[] {
  const executed = encoding.executed[instance] ?? [];
  return executed.flatMap((condition, step) => (readBool(model, condition) ? [step] : []));
}

function valueOf(encoding: Start, type: ValueType, value: number): Value {
  if (type === "bool") return value !== 0;
  if (isNumber(type)) return value;
  const { interned } = encoding.tuple.flat;
  return interned[value - INTERNED_BASE] ?? wordOf(type, value, interned);
}
