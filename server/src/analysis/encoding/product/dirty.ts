// Reads of uncommitted data. Such a read may see a write of a later committer, so that its result cannot be defined in terms of earlier
// values: it is a free constant until everything is defined, and is then equated with what the read finds. Times are ordered, so no value
// depends on itself.
import { ownEntry } from "../../../protocol/dictionary";
import type { FlatTable, Term } from "../../operations/operation";
import { FALSE, TRUE, and, eq, ite, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { asBool, asInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { columnType } from "./database";
import type { RowKey } from "./database";
import { isBefore } from "./times";
import type { Access } from "./tuple";
import type { Times, Effect } from "./execution";

/** Constants for the key of an insertion into a closed table. */
export function insertedKey(script: Script, { instance, operation, table }: Access): RowKey {
  return table.table.primaryKey.map((_, at) =>
    script.constant(`I${String(instance)}_${String(operation.index)}_${String(at)}`, "Int"),
  );
}

/** The static facts of a read. */
export interface OpenRead {
  /** Rows that it may meet. */
  readonly rows: readonly RowKey[];
  /** The row that it names. */
  readonly row?: RowKey;
  readonly sortOf: (term: Term) => SqlValue["sort"];
}

/** A read with unconstrained results. */
export function openRead(
  script: Script,
  access: Access,
  exec: Smt,
  { rows, row, sortOf }: OpenRead,
): Effect {
  const { operation, instance } = access;
  const name = `R${String(instance)}_${String(operation.index)}`;
  const found = script.constant(`${name}_found`, "Bool");
  const outputs = Object.entries(operation.outputs).map(
    ([output, term]): readonly [string, SqlValue["sort"]] => [output, sortOf(term)],
  );
  const { aggregate } = operation;
  const free = (sort: SqlValue["sort"], at: number): SqlValue => ({
    isNull: script.constant(`${name}_null${String(at)}`, "Bool"),
    value: script.constant(`${name}_value${String(at)}`, sort),
    sort,
  });
  const named = [...outputs, ...(aggregate ? [[aggregate.output, "Int"] as const] : [])];
  return {
    access,
    exec,
    ...(row && { row }),
    found,
    count: row ? ite(found, "1", "0") : script.constant(`${name}_count`, "Int"),
    outputs: Object.fromEntries(named.map(([output, sort], at) => [output, free(sort, at)])),
    chosen: row
      ? [{ row, is: found }]
      : rows.map((each, at) => ({
          row: each,
          is: script.constant(`${name}_is${String(at)}`, "Bool"),
        })),
    inserted: FALSE,
    updated: FALSE,
    failed: {},
  };
}

/** Asserts that the read found its actual result. */
export function settleRead(script: Script, open: Effect, actual: Effect): void {
  script.assert(eq(open.found, actual.found));
  if (open.count !== actual.count) script.assert(eq(open.count, actual.count));
  for (const [output, value] of Object.entries(open.outputs)) {
    const real = ownEntry(actual.outputs, output);
    if (real === undefined) {
      script.assert(value.isNull);
      continue;
    }
    script.assert(eq(value.isNull, real.isNull));
    const same =
      value.sort === "Bool" ? eq(value.value, asBool(real)) : eq(value.value, asInt(real));
    script.assert(or(real.isNull, same));
  }
  for (const { row, is } of open.chosen) {
    const real = actual.chosen.find((each) => each.row.join() === row.join());
    script.assert(eq(is, real?.is ?? FALSE));
  }
}

/** True if a read sees a write of another instance: it is done by then, and neither undone nor rolled back. */
export function seenWrite(
  times: Times,
  write: Access,
  reader: Access,
  commits: Smt,
  conditionOf: (term: Term) => Smt,
): Smt {
  const at = times.acts(reader.instance, reader.operation.step);
  const { instance, operation } = write;
  const undone = (operation.undone ?? []).map(({ when, from }) => {
    const then = from < times.steps(instance) ? times.acts(instance, from) : times.ends(instance);
    return and(conditionOf(when), isBefore(then, at));
  });
  return and(
    isBefore(times.acts(instance, operation.step), at),
    commits === TRUE ? TRUE : or(commits, isBefore(at, times.ends(instance))),
    not(or(...undone)),
  );
}

/** A dummy value of a column: only its sort matters. */
export function sampleColumn(table: FlatTable, column: string): SqlValue {
  return columnType(table, column) === "bool"
    ? { isNull: FALSE, value: FALSE, sort: "Bool" }
    : { isNull: FALSE, value: "0", sort: "Int" };
}
