// Preferences for readable witnesses: small numbers, no NULLs, writes that change something, distinguishable arguments. All are guarded by
// assumptions, so that a witness that needs other values is still found.
import { lengthName } from "../../../program/arrays";
import type { ValueType } from "../../../program/expression";
import { assumedColumns } from "../../operations/flatInvariant";
import { INTERNED_BASE } from "../../operations/operation";
import { TELLING } from "../freeFunction";
import { FALSE, and, eq, imp, int, le, not, or } from "../smt";
import type { Smt } from "../smt";
import { sameValue } from "../sqlValue";
import { EXISTENCE, isPoint, keyColumns, tableOf } from "./instances";
import type { Instance } from "./instances";
import { isWord } from "./database";
import type { RowTerm } from "./database";
import type { Run } from "./run";

/** Assumption: keys from 1 on, arguments below 10 and other values up to 20. */
const TINY = "N_tiny";
/** Assumption: as `TINY`, with arguments below 100 and other values below 1000. */
const SMALL = "N_small";
/** Assumption: no NULL in initial rows. */
const PLAIN = "N_plain";
/** Combinations of preferences, best first. */
export const PREFERENCES: readonly (readonly string[])[] = [
  [TINY, TELLING, PLAIN],
  [TINY, TELLING],
  [TINY],
  [SMALL, TELLING],
  [SMALL],
  [],
];

/** Combinations for expensive queries. */
export const FEW_PREFERENCES: typeof PREFERENCES = [[TINY, TELLING, PLAIN], [SMALL], []];

const SIZES = [
  { literal: TINY, argument: 9, value: 20 },
  { literal: SMALL, argument: 99, value: 999 },
] as const;

/** Defines the preferences for the known arguments and rows; to be called again after rows were added. */
export function makePreferences(run: Run): () => void {
  const known = new Set<string>();
  let started = false;
  return () => {
    if (!started) preferArguments(run);
    preferSmallRows(run, known);
    if (!started) preferChanges(run);
    started = true;
  };
}

function preferArguments(run: Run): void {
  const { script } = run.database;
  for (const literal of [TINY, SMALL, TELLING, PLAIN]) script.constant(literal, "Bool");
  for (const instance of run.instances) {
    const keys = keyParameters(run, instance);
    // Array lengths are limited to the unrolled rounds of loops.
    const rounds = Math.max(
      1,
      ...(instance.transaction.uncovered ?? []).map((each) => each.rounds),
    );
    for (const { name, type } of instance.transaction.parameters) {
      const { isNull } = run.database.parameter(instance.index, name);
      if (isNull !== FALSE) script.assert(imp(PLAIN, not(isNull)));
      if (type === "bool") continue;
      const { value } = run.database.parameter(instance.index, name);
      for (const size of SIZES) {
        const to = isLength(name) ? rounds : (keys.get(name) ?? size.argument);
        script.assert(imp(size.literal, small(run, type, value, { from: 1, to })));
      }
      for (const other of run.instances.slice(0, instance.index)) {
        const same = other.transaction === instance.transaction && !keys.has(name);
        if (!same || isWord(type) || isLength(name)) continue;
        const theirs = run.database.parameter(other.index, name).value;
        script.assert(imp(TELLING, not(eq(value, theirs))));
      }
    }
  }
}

/** True if the argument is the length of an array. */
function isLength(name: string): boolean {
  return name.endsWith(lengthName(""));
}

function preferSmallRows(run: Run, known: Set<string>): void {
  const { database } = run;
  for (const table of Object.keys(database.flat.tables).sort()) {
    const described = tableOf(database.flat, table);
    const key = keyColumns(described);
    for (const row of database.mentioned(table)) {
      const name = `${table} ${row.join(" ")}`;
      if (known.has(name)) continue;
      known.add(name);
      for (const size of SIZES) {
        const facts = described.columns.flatMap((column) => {
          const at = row[key.indexOf(column.name)];
          if (at !== undefined) {
            return [small(run, column.type, at, { from: 1, to: rowCount(run, table) })];
          }
          if (column.type === "bool" || !isUsed(run, table, column.name)) return [];
          const { isNull, value } = database.value(table, row, column.name);
          return [or(isNull, small(run, column.type, value, { from: 1, to: size.value }))];
        });
        database.script.assert(imp(and(size.literal, database.alive(table, row)), and(...facts)));
      }
      const nulls = described.columns
        .filter(({ name }) => !key.includes(name) && isUsed(run, table, name))
        .map(({ name }) => database.value(table, row, name).isNull);
      database.script.assert(imp(and(PLAIN, database.alive(table, row)), not(or(...nulls))));
    }
  }
}

function preferChanges(run: Run): void {
  const { script, flat } = run.database;
  for (const site of run.instances.flatMap((instance) => instance.sites)) {
    const { operation } = site;
    if (!isPoint(flat, operation) || operation.kind === "insert") continue;
    const row: RowTerm = run.row(site);
    if (!site.reads.has(EXISTENCE)) {
      const alive = run.database.alive(operation.table, row);
      script.assert(imp(and(TELLING, run.executed(site)), alive));
    }
    if (operation.kind !== "update") continue;
    const changed = [...site.writes]
      .filter((column) => column !== EXISTENCE)
      .map((column) =>
        not(
          sameValue(run.written(site, row, column), run.value(site, operation.table, row, column)),
        ),
      );
    script.assert(imp(and(TELLING, run.changes(site, row)), or(...changed)));
  }
}

/** True if some operation reads or writes the column; others are unconstrained. */
export function isUsed(run: Run, table: string, column: string): boolean {
  const accessed = run.instances.some((instance) =>
    instance.sites.some(
      (site) =>
        site.operation.table === table && (site.reads.has(column) || site.writes.has(column)),
    ),
  );
  return accessed || assumedColumns(run.database.flat, table, run.database.references).has(column);
}

/** Arguments that are keys, with the possible number of rows: keys count from 1. */
function keyParameters(run: Run, instance: Instance): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const { table, key } of instance.transaction.operations) {
    for (const term of Object.values(key)) {
      if (term.kind === "parameter") {
        keys.set(term.name, Math.max(keys.get(term.name) ?? 0, rowCount(run, table)));
      }
    }
  }
  return keys;
}

function rowCount(run: Run, table: string): number {
  return Math.max(2, run.rows(table).length);
}

function small(
  run: Run,
  type: ValueType,
  value: Smt,
  range: { readonly from: number; readonly to: number },
): Smt {
  const { interned } = run.database.flat;
  const near = and(le(int(range.from), value), le(value, int(isWord(type) ? 9 : range.to)));
  if (!isWord(type) || interned.length === 0) return near;
  const known = and(
    le(int(INTERNED_BASE), value),
    le(value, int(INTERNED_BASE + interned.length - 1)),
  );
  return or(known, near);
}
