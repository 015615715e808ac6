// From a model of the relational encoding to a witness plan: arguments, initial rows, and a schedule.
import type { Program } from "../../../program/program";
import type { ValueType } from "../../../program/expression";
import { ownEntry, setEntry } from "../../../protocol/dictionary";
import type { Row, ScheduleStep, Value, WitnessInstance } from "../../../protocol/witness";
import type { Model } from "../../../solver/solver";
import type { WitnessPlan } from "../../../store/execution";
import type { RelationalEncoding } from "../../encoding/relational/encoding";
import { isPoint, keyColumns, tableOf } from "../../encoding/relational/instances";
import type { Instance, StepRef } from "../../encoding/relational/instances";
import { isWord, nullArgument } from "../../encoding/relational/database";
import { isUsed } from "../../encoding/relational/readable";
import { HIDDEN, INTERNED_BASE } from "../../operations/operation";
import { withAskedRows } from "../../../store/invariants";
import { withParents } from "../parents";
import { compareKeys, instanceName, readBool, readInt } from "../readModel";
import { wordOf } from "../words";
import { tablesOfModel } from "./groups";

/**
 * The plan of a model. The schedule is in arbitration order and lists for each statement the visible writes of other instances; instances
 * are named T1, T2, ... in the order of the cycle.
 */
export function decodePapers(
  program: Program,
  encoding: RelationalEncoding,
  model: Model,
): WitnessPlan {
  const mayAdd = (table: string, row: Row): boolean => isUnnoticed(encoding, model, table, row);
  return {
    instances: encoding.instances.map((instance) =>
      argumentsOf(program, encoding, model, instance),
    ),
    initial: withParents({
      program,
      initial: withAskedRows(program, initialRows(program, encoding, model), mayAdd),
      written: writtenRows(encoding, model),
      mayAdd,
    }),
    schedule: scheduleOf(encoding, model),
    tables: tablesOfModel(encoding, model),
  };
}

function argumentsOf(
  program: Program,
  encoding: RelationalEncoding,
  model: Model,
  instance: Instance,
): WitnessInstance {
  const { database } = encoding.run;
  const { transaction } = instance;
  const visible = transaction.parameters.filter(({ name }) => !name.startsWith(HIDDEN));
  const values = visible.map(({ name, type, nullable }): [string, Value] => {
    const constant = database.names.parameter(instance.index, name);
    if (nullable && model.bool(nullArgument(constant))) return [name, null];
    if (type === "bool") return [name, model.bool(constant)];
    return [name, valueOf(encoding, type, model.int(constant))];
  });
  const declared = program.transactions.find((each) => each.id === transaction.id);
  return {
    instance: instanceName(instance.index),
    transaction: declared?.id ?? transaction.id,
    arguments: Object.fromEntries(values),
  };
}

function initialRows(
  program: Program,
  encoding: RelationalEncoding,
  model: Model,
): Readonly<Record<string, readonly Row[]>> {
  const { database } = encoding.run;
  const result: Record<string, readonly Row[]> = {};
  for (const name of Object.keys(database.flat.tables).sort()) {
    const rows = new Map<string, readonly number[]>();
    for (const term of database.mentioned(name)) {
      const key = term.map((each) => readInt(model, each));
      if (model.boolAt(database.names.alive(name), key)) rows.set(key.join(" "), key);
    }
    if (rows.size === 0 || name.startsWith(HIDDEN)) continue;
    setEntry(
      result,
      name,
      [...rows.values()]
        .sort(compareKeys)
        .map((key, at) => rowOf(program, encoding, model, name, key, at + 1)),
    );
  }
  return result;
}

function rowOf(
  program: Program,
  encoding: RelationalEncoding,
  model: Model,
  table: string,
  key: readonly number[],
  ordinal: number,
): Row {
  const { database } = encoding.run;
  const described = tableOf(database.flat, table);
  const keyNames = keyColumns(described);
  const declared = program.schema.tables.find((each) => each.name === table);
  const types = new Map(
    [...(declared?.columns ?? []), ...described.columns].map((column) => [column.name, column]),
  );
  const visible = [...types.values()].filter(({ name }) => !name.startsWith(HIDDEN));
  const row: [string, Value][] = visible.map(({ name, type, nullable }) => {
    const at = key[keyNames.indexOf(name)];
    if (at !== undefined) return [name, valueOf(encoding, type, at)];
    if (isWord(type) && !isUsed(encoding.run, table, name)) {
      return [name, valueOf(encoding, type, ordinal)];
    }
    if (nullable && model.boolAt(database.names.isNull(table, name), key)) return [name, null];
    return [name, valueOf(encoding, type, model.intAt(database.names.column(table, name), key))];
  });
  return Object.fromEntries(row);
}

/** Values that executed inserts and updates write. */
function writtenRows(
  encoding: RelationalEncoding,
  model: Model,
): readonly { readonly table: string; readonly row: Row }[] {
  const { run } = encoding;
  const sites = encoding.instances.flatMap((instance) => instance.sites);
  return sites.flatMap((site) => {
    const { operation } = site;
    const known = isPoint(run.database.flat, operation) && readBool(model, run.executed(site));
    if (site.writes.size === 0 || operation.kind === "delete" || !known) return [];
    const { columns, ...described } = tableOf(run.database.flat, operation.table);
    const key = keyColumns({ columns, ...described });
    const row = run.row(site);
    const values = columns.flatMap(({ name, type }): readonly [string, Value][] => {
      const at = row[key.indexOf(name)];
      if (at !== undefined) return [[name, valueOf(encoding, type, readInt(model, at))]];
      if (ownEntry(operation.set, name) === undefined) return [];
      const { isNull, value, sort } = run.written(site, row, name);
      if (readBool(model, isNull)) return [[name, null]];
      const given = sort === "Bool" ? Number(readBool(model, value)) : readInt(model, value);
      return [[name, valueOf(encoding, type, given)]];
    });
    return [{ table: operation.table, row: Object.fromEntries(values) }];
  });
}

/** True if no operation would see such a row: its table is accessed by key only, with other keys. */
function isUnnoticed(encoding: RelationalEncoding, model: Model, table: string, row: Row): boolean {
  const { database } = encoding.run;
  const accesses = encoding.instances
    .flatMap((instance) => instance.sites)
    .filter((site) => site.operation.table === table);
  if (accesses.some((site) => !isPoint(database.flat, site.operation))) return false;
  const described = tableOf(database.flat, table);
  const key = keyColumns(described);
  return !database.mentioned(table).some((mentioned) =>
    mentioned.every((term, at) => {
      const column = described.columns.find(({ name }) => name === key[at]);
      if (column === undefined) return true;
      return valueOf(encoding, column.type, readInt(model, term)) === ownEntry(row, column.name);
    }),
  );
}

function scheduleOf(encoding: RelationalEncoding, model: Model): readonly ScheduleStep[] {
  const numbered = encoding.instances.flatMap((instance) =>
    executedSteps(encoding, model, instance).map((ref, at) => ({
      ref,
      number: at + 1,
      place: placeOf(encoding, model, ref),
    })),
  );
  const ordered = [...numbered].sort(
    (a, b) => a.place - b.place || a.ref.instance - b.ref.instance || a.number - b.number,
  );
  const writing = new Set(encoding.instances.flatMap((instance) => instance.writers.map(stepKey)));
  return ordered.flatMap(({ ref, number }, at) => {
    const seen = numbered.filter(
      (other) =>
        other.ref.instance !== ref.instance &&
        writing.has(stepKey(other.ref)) &&
        readBool(model, encoding.run.relations.sees(ref, other.ref)),
    );
    const instance = instanceName(ref.instance);
    const step: ScheduleStep = {
      instance,
      statement: number,
      sees: seen.map((other) => `${instanceName(other.ref.instance)}.${String(other.number)}`),
    };
    const last = !ordered.slice(at + 1).some((other) => other.ref.instance === ref.instance);
    return last ? [step, { instance, statement: "commit" as const, sees: [] }] : [step];
  });
}

/** The executed statements of an instance, in order. */
function executedSteps(
  encoding: RelationalEncoding,
  model: Model,
  instance: Instance,
): readonly StepRef[] {
  return instance.steps.filter((ref) => readBool(model, encoding.run.reached(ref)));
}

function placeOf(encoding: RelationalEncoding, model: Model, ref: StepRef): number {
  const { place } = encoding.run.relations;
  if (!place) throw new Error("a serial order is no model");
  return model.int(place(ref));
}

/** The value that an integer of the model stands for. Interned text is exact, other text is invented. */
function valueOf(encoding: RelationalEncoding, type: ValueType, value: number): Value {
  if (type === "bool") return value !== 0;
  if (!isWord(type)) return value;
  const { interned } = encoding.run.database.flat;
  const known = interned[value - INTERNED_BASE];
  return known ?? wordOf(type, value, interned);
}

function stepKey(ref: StepRef): string {
  return `${String(ref.instance)} ${String(ref.step)}`;
}
