// Preferences for witnesses that people read: small numbers, no NULLs, writes that change something, arguments that
// can be told apart. All behind assumptions, so that a witness which needs other values is still found.
import type { ValueType } from "../../program/expression";
import { INTERNED_BASE } from "../operations/operation";
import type { Term } from "../operations/operation";
import { EXISTENCE, isPoint, keyColumns, tableOf } from "./relationalInstances";
import { isWord } from "./relationalDatabase";
import type { RowTerm } from "./relationalDatabase";
import type { Run } from "./relationalRun";
import { and, eq, imp, int, le, not, or } from "./smt";
import type { Smt } from "./smt";
import { sameValue } from "./sqlValue";

/** Assumption: keys from 1 to 9, other values small, nothing NULL. */
export const SMALL = "N_small";
/** Assumption: every write changes its row, and like arguments of two instances differ. */
export const TELLING = "N_telling";

/** What to try, best first. */
export const PREFERENCES: readonly (readonly string[])[] = [[SMALL, TELLING], [SMALL], []];

/** Defines both preferences for the arguments and the rows that are known so far. */
export function preferReadable(run: Run): void {
  const { script } = run.database;
  script.constant(SMALL, "Bool");
  script.constant(TELLING, "Bool");
  for (const instance of run.instances) {
    const keys = keyParameters(instance.transaction.operations);
    for (const { name, type } of instance.transaction.parameters) {
      if (type === "bool") continue;
      const { value } = run.database.parameter(instance.index, name);
      script.assert(imp(SMALL, small(run, type, value, { from: 1, to: keys.has(name) ? 9 : 99 })));
      for (const other of run.instances.slice(0, instance.index)) {
        const same = other.transaction === instance.transaction && !keys.has(name);
        if (!same || isWord(type)) continue;
        const theirs = run.database.parameter(other.index, name).value;
        script.assert(imp(TELLING, not(eq(value, theirs))));
      }
    }
  }
  preferSmallRows(run);
  preferChanges(run);
}

/** Defines `SMALL` for every mentioned row; to be repeated when more rows were mentioned. */
export function preferSmallRows(run: Run): void {
  const { database } = run;
  for (const table of Object.keys(database.flat.tables).sort()) {
    const described = tableOf(database.flat, table);
    const key = keyColumns(described);
    for (const row of database.mentioned(table)) {
      const facts = described.columns.flatMap((column) => {
        const at = row[key.indexOf(column.name)];
        if (at !== undefined) return [small(run, column.type, at, { from: 1, to: 9 })];
        if (column.type === "bool" || !isUsed(run, table, column.name)) return [];
        const { isNull, value } = database.value(table, row, column.name);
        return [not(isNull), small(run, column.type, value, { from: 0, to: 999 })];
      });
      database.script.assert(imp(and(SMALL, database.alive(table, row)), and(...facts)));
    }
  }
}

function preferChanges(run: Run): void {
  const { script, flat } = run.database;
  for (const site of run.instances.flatMap((instance) => instance.sites)) {
    const { operation } = site;
    if (operation.kind !== "update" || !isPoint(flat, operation)) continue;
    const row: RowTerm = run.row(site);
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

/** Columns that some operation reads or writes; the others keep a default. */
function isUsed(run: Run, table: string, column: string): boolean {
  return run.instances.some((instance) =>
    instance.sites.some(
      (site) =>
        site.operation.table === table && (site.reads.has(column) || site.writes.has(column)),
    ),
  );
}

function keyParameters(
  operations: readonly { readonly key: Readonly<Record<string, Term>> }[],
): ReadonlySet<string> {
  return new Set(
    operations
      .flatMap((operation) => Object.values(operation.key))
      .flatMap((term) => (term.kind === "parameter" ? [term.name] : [])),
  );
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
