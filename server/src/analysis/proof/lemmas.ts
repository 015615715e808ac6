// Lemmas about the states of every execution, each with a proof over all transactions: what one transaction does to a
// state that is not its snapshot. At levels where writers of a row see each other and sights are transitive, the rows
// that a transaction changes are in that state as in its snapshot, and nothing else of the two need agree.
import { createAssumptions, invariantName } from "../encoding/assumptions";
import { makeDatabase } from "../encoding/relationalDatabase";
import type { Database, RowTerm } from "../encoding/relationalDatabase";
import { HIDDEN_KEY, isPoint, keyColumns, tableOf } from "../encoding/relationalInstances";
import type { Instance } from "../encoding/relationalInstances";
import { columnName } from "../encoding/relationalMeeting";
import { serialRelations } from "../encoding/relationalRelations";
import type { Run } from "../encoding/relationalRun";
import { makeRun } from "../encoding/relationalRunner";
import { and, createScript, eq, imp, ite, lt, not, or } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import { asInt, choose, isTrue, sqlInt } from "../encoding/sqlValue";
import type { SqlValue } from "../encoding/sqlValue";
import { termValue } from "../encoding/termValue";
import { fromRowColumn } from "../operations/operation";
import type { FlatInvariant, FlatProgram } from "../operations/operation";
import { columnsIn, subterms } from "../operations/terms";
import { openInstances, withoutUnique } from "./accesses";
import type { Asker } from "./asker";
import { freshName, keptName, monotoneName, parentName } from "./lemmaConstraints";
import { NO_LEMMAS, hasLemmas, usable } from "./setting";
import type { Lemmas, MonotoneColumn, Parent, Setting } from "./setting";

/** The lemmas that hold for the program; none at levels where their argument fails. Questions that are not answered lose their lemma. */
export function proveLemmas(asker: Asker, setting: Setting): Lemmas {
  const { flat } = setting;
  if (!hasLemmas(setting)) return NO_LEMMAS;
  const mayUse = (name: string): boolean => !setting.without.has(name);
  const operations = flat.transactions.flatMap((each) => each.operations);
  const kept = Object.keys(flat.tables)
    .filter((table) => mayUse(keptName(table)))
    .filter((table) => !operations.some((each) => each.table === table && each.kind === "delete"));
  const rests = new Map<string, ReadonlySet<string>>();
  const monotone = candidates(flat, kept)
    .filter((column) => mayUse(monotoneName(column)))
    .filter((column) => {
      const needed = whyMonotone(asker, setting, column);
      if (needed) rests.set(monotoneName(column), new Set([...needed, keptName(column.table)]));
      return needed !== undefined;
    });
  const fresh = freshColumns(flat).filter(({ table, column }) => mayUse(freshName(table, column)));
  const parents = keptParents(flat, kept).filter((parent) => mayUse(parentName(parent)));
  for (const parent of parents) rests.set(parentName(parent), new Set([keptName(parent.table)]));
  const invariants = keptInvariants(asker, setting, rests);
  return { rests, monotone, kept, fresh, parents, invariants };
}

/** The names, and those that the proofs of lemmas among them need. */
export function withTheirGrounds(names: Iterable<string>, { rests }: Lemmas): readonly string[] {
  const all = new Set(names);
  // A set is gone through with what is added meanwhile.
  for (const name of all) for (const ground of rests.get(name) ?? []) all.add(ground);
  return [...all].sort();
}

/** Columns of integers that an update gives a value made from what is there. */
function candidates(flat: FlatProgram, kept: readonly string[]): readonly MonotoneColumn[] {
  const decisive = decisiveColumns(flat);
  return kept.flatMap((table) =>
    tableOf(flat, table).columns.flatMap(({ name, type, nullable }) => {
      if ((type !== "int" && type !== "decimal") || nullable) return [];
      if (!decisive.has(columnName(table, name))) return [];
      const updated = writersOf(flat, table).some(({ operations }) =>
        operations.some(
          (each) =>
            each.table === table &&
            (name in each.set || name in (each.update ?? {})) &&
            each.kind !== "insert",
        ),
      );
      if (!updated) return [];
      return (["grows", "shrinks"] as const).map((direction) => ({
        table,
        column: name,
        direction,
      }));
    }),
  );
}

/** Columns that rows, paths or invariants depend on; those that are only shown or added up decide nothing. */
function decisiveColumns(flat: FlatProgram): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { operations, aborts } of flat.transactions) {
    const deciding = [
      aborts,
      ...operations.flatMap((each) => [
        each.guard,
        each.where,
        ...Object.values(each.key),
        ...(each.updateWhere ? [each.updateWhere] : []),
      ]),
    ];
    for (const term of subterms(...deciding)) {
      const source = term.kind === "output" ? operations[term.operation] : undefined;
      const output = term.kind === "output" ? source?.outputs[term.name] : undefined;
      if (source && output)
        for (const column of columnsIn(output)) found.add(columnName(source.table, column));
    }
    for (const { table, where, orderBy } of operations) {
      for (const column of columnsIn(where)) found.add(columnName(table, column));
      if (orderBy) found.add(columnName(table, orderBy.column));
    }
  }
  for (const { tables, broken } of flat.invariants ?? [])
    for (const name of columnsIn(broken)) {
      const { row, column } = fromRowColumn(name);
      found.add(columnName(tables[row] ?? "", column));
    }
  return found;
}

function writersOf(flat: FlatProgram, table: string) {
  return flat.transactions.filter(({ operations }) =>
    operations.some((each) => each.table === table && each.kind !== "read"),
  );
}

/** What it takes for that no transaction moves the column of an existing row the other way; undefined if one may. */
function whyMonotone(
  asker: Asker,
  setting: Setting,
  column: MonotoneColumn,
): ReadonlySet<string> | undefined {
  const { flat } = setting;
  const names = new Set<string>();
  const holds = flat.transactions.every((transaction, member) => {
    const writes = transaction.operations.some(
      (each) =>
        each.table === column.table &&
        (column.column in each.set || column.column in (each.update ?? {})),
    );
    if (!writes) return true;
    const { script, run, instance } = alone(setting, flat, member);
    const broken = instance.sites
      .filter((site) => site.operation.table === column.table && site.writes.has(column.column))
      .flatMap((site) => {
        const row = isPoint(flat, site.operation)
          ? run.row(site)
          : anyRow(flat, script, column.table, "row");
        const before = asInt(run.value(site, column.table, row, column.column));
        const after = asInt(run.written(site, row, column.column));
        const wrong = column.direction === "grows" ? lt(after, before) : lt(before, after);
        return [and(run.touches(site, row), run.alive(site, column.table, row), wrong)];
      });
    script.assert(or(...broken));
    for (const _ of [0, 1]) run.settle();
    return addNeeded(names, refuted(asker, setting, script, run.database));
  });
  return holds ? names : undefined;
}

function refuted(
  asker: Asker,
  setting: Setting,
  script: Script,
  { assumptions }: Database,
): ReadonlySet<string> | undefined {
  return asker.refuted({
    text: script.take(),
    literals: [],
    assumptions: usable(setting, assumptions),
  });
}

/** Adds the names of a refutation; whether it is one. */
function addNeeded(names: Set<string>, needed: ReadonlySet<string> | undefined): boolean {
  for (const name of needed ?? []) names.add(name);
  return needed !== undefined;
}

/** Key columns whose values are new with every insertion: generated by the database or by the program. */
function freshColumns(flat: FlatProgram): Lemmas["fresh"] {
  return Object.values(flat.tables).flatMap((table) =>
    keyColumns(table).flatMap((column) => {
      if (column === HIDDEN_KEY) return [{ table: table.name, column }];
      const inserts = flat.transactions.flatMap(({ operations, parameters }) =>
        operations
          .filter((each) => each.kind === "insert" && each.table === table.name)
          .map((each) => {
            const term = each.key[column];
            return (
              term?.kind === "parameter" &&
              parameters.some(({ name, fresh }) => name === term.name && fresh)
            );
          }),
      );
      return inserts.length > 0 && inserts.every((fresh) => fresh)
        ? [{ table: table.name, column }]
        : [];
    }),
  );
}

/**
 * Foreign keys on rows that stay: who makes a row refer to another has found that one, and whoever sees the first sees
 * what its maker saw.
 */
function keptParents(flat: FlatProgram, kept: readonly string[]): readonly Parent[] {
  const operations = flat.transactions.flatMap((each) => each.operations);
  return Object.values(flat.tables).flatMap(({ name, foreignKeys = [] }) =>
    foreignKeys.flatMap(({ table, columns, referenced }): Parent[] => {
      if (!(table in flat.tables) || !kept.includes(table)) return [];
      const { primaryKey } = tableOf(flat, table);
      const names = referenced.length > 0 ? referenced : primaryKey;
      const ordered = primaryKey.flatMap((column) => columns[names.indexOf(column)] ?? []);
      const isKey = ordered.length === primaryKey.length && names.length === primaryKey.length;
      const moves = operations.some(
        (each) =>
          each.table === table &&
          each.kind !== "insert" &&
          primaryKey.some((column) => column in each.set),
      );
      return isKey && !moves ? [{ child: name, table, columns: ordered }] : [];
    }),
  );
}

/** Invariants that every transaction keeps together with the others; those that one breaks go until the rest stays. */
function keptInvariants(
  asker: Asker,
  setting: Setting,
  rests: Map<string, ReadonlySet<string>>,
): readonly string[] {
  const { flat } = setting;
  let kept = (flat.invariants ?? []).filter(
    ({ exists, text }) => exists === undefined && !setting.without.has(invariantName(text)),
  );
  let grounds = new Map<string, Set<string>>();
  const parts = (text: string): number =>
    (flat.invariants ?? []).filter((each) => each.text === text).length;
  kept = kept.filter(
    ({ text }) => kept.filter((each) => each.text === text).length === parts(text),
  );
  for (let changed = kept.length > 0; changed;) {
    grounds = new Map(kept.map(({ text }) => [invariantName(text), new Set()]));
    const lost = new Set(
      kept
        .filter((invariant) => {
          const names = grounds.get(invariantName(invariant.text)) ?? new Set();
          return flat.transactions.some(
            (_, member) => !addNeeded(names, whyKept(asker, setting, member, invariant, kept)),
          );
        })
        .map(({ text }) => text),
    );
    kept = kept.filter(({ text }) => !lost.has(text));
    changed = lost.size > 0;
  }
  for (const [name, names] of grounds) rests.set(name, names);
  return [...new Set(kept.map(({ text }) => text))];
}

/**
 * What it takes for that a state in which the invariants hold keeps one of them when the transaction's writes arrive; it
 * read a snapshot in which they hold as well, and found the rows that it changes as they are in the state. Undefined
 * where it may break it.
 */
function whyKept(
  asker: Asker,
  setting: Setting,
  member: number,
  invariant: FlatInvariant,
  invariants: readonly FlatInvariant[],
): ReadonlySet<string> | undefined {
  const { flat } = setting;
  const transaction = flat.transactions[member];
  const touches = transaction?.operations.some(
    (each) => each.kind !== "read" && invariant.tables.includes(each.table),
  );
  if (touches !== true) return new Set();
  // Two rounds stand for all of a loop: they are the last ones that changed each of two rows.
  const repeated = (table: string): boolean =>
    (transaction?.forgotten ?? []).some(({ columns }) => table in columns);
  if (invariant.tables.filter(repeated).length > 2) return undefined;
  const { script, run, instance } = alone(setting, { ...flat, invariants }, member);
  const { database } = run;
  const state = makeDatabase({ ...flat, invariants }, script, [instance], {
    prefix: "s_",
    assumptions: database.assumptions,
    differs: (table, column) => setting.written.has(columnName(table, column)),
  });
  const rows = invariant.tables.map((table, at): readonly [string, RowTerm] => [
    table,
    anyRow(flat, script, table, `row${String(at)}_`),
  ]);
  for (const [table, row] of rows)
    agreeWhereChanged(script, run, instance, database, state, table, row);
  for (const site of instance.sites) {
    const { table } = site.operation;
    if (site.writes.size === 0 || !isPoint(flat, site.operation)) continue;
    agreeWhereChanged(script, run, instance, database, state, table, run.row(site));
  }
  const column = (name: string): SqlValue => {
    const { row: at, column: of } = fromRowColumn(name);
    const [table, row] = rows[at] ?? ["", []];
    const key = row[keyColumns(tableOf(flat, table)).indexOf(of)];
    if (key !== undefined) return sqlInt(key);
    const changed = changesRow(run, instance, table, row);
    return choose(changed, run.value("final", table, row, of), state.value(table, row, of));
  };
  for (const [table, row] of rows) {
    const changed = changesRow(run, instance, table, row);
    script.assert(ite(changed, run.alive("final", table, row), state.alive(table, row)));
  }
  script.assert(isTrue(termValue(invariant.broken, { ...run.scope(-1), column })));
  for (const _ of [0, 1]) run.settle();
  return refuted(asker, setting, script, database);
}

function agreeWhereChanged(
  script: Script,
  run: Run,
  instance: Instance,
  snapshot: Database,
  state: Database,
  table: string,
  row: RowTerm,
): void {
  snapshot.mention(table, row);
  state.mention(table, row);
  const same = tableOf(snapshot.flat, table).columns.map(({ name }) => {
    const [a, b] = [snapshot, state].map((each) => each.value(table, row, name));
    if (!a || !b) return "true";
    return and(eq(a.isNull, b.isNull), eq(asInt(a), asInt(b)));
  });
  script.assert(
    imp(
      changesRow(run, instance, table, row),
      and(eq(snapshot.alive(table, row), state.alive(table, row)), ...same),
    ),
  );
}

function changesRow(run: Run, instance: Instance, table: string, row: RowTerm): Smt {
  return or(
    ...instance.sites
      .filter((site) => site.operation.table === table && site.writes.size > 0)
      .map((site) => run.changes(site, row)),
  );
}

/** One instance on a snapshot of its own, which commits. */
function alone(setting: Setting, flat: FlatProgram, member: number) {
  const script = createScript();
  const [instance] = openInstances(flat, [member]);
  if (instance === undefined) throw new Error("a lemma is about a transaction of the program");
  const start = makeDatabase({ ...flat, tables: withoutUnique(flat) }, script, [instance], {
    prefix: "m_",
    assumptions: createAssumptions(script),
    differs: (table, column) => setting.written.has(columnName(table, column)),
  });
  const run = makeRun({ ...start, flat }, [instance], serialRelations([0]), {
    prefix: "m_",
    mayAbort: false,
    spare: () => [],
  });
  script.assert(not(run.aborted(0)));
  return { script, run, instance };
}

function anyRow(flat: FlatProgram, script: Script, table: string, prefix: string): RowTerm {
  return keyColumns(tableOf(flat, table)).map((_, at) =>
    script.constant(`${prefix}${String(at)}`, "Int"),
  );
}
