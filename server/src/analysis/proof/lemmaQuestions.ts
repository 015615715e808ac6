// Questions about a transaction on another state than its snapshot, where writers of a row see each other and visibility is
// transitive: both states agree on the rows that it changes, and need not on others. All questions share one text.
import { createAssumptions, invariantName } from "../encoding/assumptions";
import { makeDatabase } from "../encoding/relational/database";
import type { Database, RowTerm } from "../encoding/relational/database";
import { isPoint, keyColumns, tableOf } from "../encoding/relational/instances";
import type { Instance } from "../encoding/relational/instances";
import { columnName } from "../encoding/relational/meeting";
import { serialRelations } from "../encoding/relational/relations";
import type { Run } from "../encoding/relational/run";
import { makeRun } from "../encoding/relational/runner";
import { and, createScript, eq, imp, ite, lt, not, or } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import { asInt, choose, isTrue, sqlInt } from "../encoding/sqlValue";
import type { SqlValue } from "../encoding/sqlValue";
import { termValue } from "../encoding/termValue";
import { fromRowColumn } from "../operations/operation";
import type { FlatInvariant, FlatProgram, FlatTransaction } from "../operations/operation";
import { openInstances, withoutUnique } from "./accesses";
import { whyImpossible } from "./asker";
import type { Asker } from "./asker";
import { usable } from "./setting";
import type { MonotoneColumn, Setting } from "./setting";

/** Answers name the assumptions that they need; undefined is that it may be otherwise, or is not known. */
export interface LemmaQuestions {
  /** True if the transaction never moves the column of an existing row the other way. */
  moves(
    member: number,
    column: MonotoneColumn,
    invariants: readonly FlatInvariant[],
  ): ReadonlySet<string> | undefined;
  /**
   * True if a state in which the invariants hold keeps one of them when the transaction's writes arrive; it read a
   * snapshot in which they hold as well, and found the rows that it changes as they are in the state.
   */
  keeps(
    member: number,
    invariant: FlatInvariant,
    invariants: readonly FlatInvariant[],
  ): ReadonlySet<string> | undefined;
  dispose(): void;
}

/** Questions about these columns and invariants; a transaction is encoded when it is first asked about. */
export function openLemmaQuestions(
  asker: Asker,
  setting: Setting,
  columns: readonly MonotoneColumn[],
  invariants: readonly FlatInvariant[],
): LemmaQuestions {
  const opened = new Map<number, Opened>();
  const ask = (
    member: number,
    what: MonotoneColumn | FlatInvariant,
    holding: readonly FlatInvariant[],
  ): ReadonlySet<string> | undefined => {
    const known = opened.get(member) ?? openMember(asker, setting, member, columns, invariants);
    opened.set(member, known);
    const literal = known.literals.get(what);
    if (literal === undefined) return undefined;
    const names = new Set(holding.map(({ text }) => invariantName(text)));
    const all = new Set(invariants.map(({ text }) => invariantName(text)));
    const assumptions = usable(setting, known.database.assumptions).filter(
      ({ name }) => names.has(name) || !all.has(name),
    );
    return whyImpossible(known.solver.ask, [literal], assumptions);
  };
  return {
    moves: (member, column, holding) =>
      sets(setting.flat.transactions[member], column) ? ask(member, column, holding) : new Set(),
    keeps: (member, invariant, holding) => {
      const transaction = setting.flat.transactions[member];
      const touches = transaction?.operations.some(
        (each) => each.kind !== "read" && invariant.tables.includes(each.table),
      );
      if (touches !== true) return new Set();
      // Two rounds stand for all of a loop: they are the last ones that changed each of two rows.
      const repeated = (table: string): boolean =>
        (transaction?.forgotten ?? []).some(({ columns: changed }) =>
          Object.hasOwn(changed, table),
        );
      if (invariant.tables.filter(repeated).length > 2) return undefined;
      return ask(member, invariant, holding);
    },
    dispose: () => {
      for (const { solver } of opened.values()) solver.dispose();
    },
  };
}

interface Opened {
  readonly solver: ReturnType<Asker["open"]>;
  readonly database: Database;
  /** The literal, for each question, under which it asks for the opposite. */
  readonly literals: ReadonlyMap<MonotoneColumn | FlatInvariant, string>;
}

/** An instance on a snapshot of its own, which commits, and the state that it comes to. */
interface Alone {
  readonly flat: FlatProgram;
  readonly script: Script;
  readonly run: Run;
  readonly instance: Instance;
  readonly state: Database;
}

function openMember(
  asker: Asker,
  setting: Setting,
  member: number,
  columns: readonly MonotoneColumn[],
  invariants: readonly FlatInvariant[],
): Opened {
  const alone = standAlone(setting, { ...setting.flat, invariants }, member);
  const { script, run, instance } = alone;
  const literals = new Map<MonotoneColumn | FlatInvariant, string>();
  const ask = (what: MonotoneColumn | FlatInvariant, opposite: Smt): void => {
    const literal = script.constant(`W${String(literals.size)}`, "Bool");
    script.assert(imp(literal, opposite));
    literals.set(what, literal);
  };
  for (const column of columns)
    if (sets(instance.transaction, column)) ask(column, movesOtherWay(alone, column));
  if (invariants.length > 0)
    for (const site of instance.sites)
      if (site.writes.size > 0 && isPoint(alone.flat, site.operation))
        agreeWhereChanged(alone, site.operation.table, run.row(site));
  for (const invariant of invariants) ask(invariant, isBrokenAfter(alone, invariant));
  for (const _ of [0, 1]) run.settle();
  return { solver: asker.open(script.take()), database: run.database, literals };
}

function standAlone(setting: Setting, flat: FlatProgram, member: number): Alone {
  const script = createScript();
  const [instance] = openInstances(flat, [member]);
  if (instance === undefined) throw new Error("a lemma is about a transaction of the program");
  const assumptions = createAssumptions(script);
  const differs = (table: string, column: string): boolean =>
    setting.written.has(columnName(table, column));
  const start = makeDatabase({ ...flat, tables: withoutUnique(flat) }, script, [instance], {
    prefix: "m_",
    assumptions,
    differs,
  });
  const state = makeDatabase(flat, script, [instance], { prefix: "s_", assumptions, differs });
  const run = makeRun({ ...start, flat }, [instance], serialRelations([0]), {
    prefix: "m_",
    mayAbort: false,
    spare: () => [],
    names: true,
  });
  script.assert(not(run.aborted(0)));
  return { flat, script, run, instance, state };
}

function sets(transaction: FlatTransaction | undefined, column: MonotoneColumn): boolean {
  return (transaction?.operations ?? []).some(
    (each) =>
      each.table === column.table &&
      (Object.hasOwn(each.set, column.column) || Object.hasOwn(each.update ?? {}, column.column)),
  );
}

function movesOtherWay({ flat, script, run, instance }: Alone, column: MonotoneColumn): Smt {
  const { table, column: name, direction } = column;
  const moved = instance.sites
    .filter((site) => site.operation.table === table && site.writes.has(name))
    .map((site) => {
      const row = isPoint(flat, site.operation) ? run.row(site) : anyRow(flat, script, table, 0);
      const before = asInt(run.value(site, table, row, name));
      const after = asInt(run.written(site, row, name));
      const wrong = direction === "grows" ? lt(after, before) : lt(before, after);
      return and(run.touches(site, row), run.alive(site, table, row), wrong);
    });
  return or(...moved);
}

/** Rows of the state break the invariant when the writes have arrived. */
function isBrokenAfter(alone: Alone, invariant: FlatInvariant): Smt {
  const { flat, script, run, instance, state } = alone;
  const rows = invariant.tables.map((table, at): readonly [string, RowTerm] => [
    table,
    anyRow(flat, script, table, at),
  ]);
  for (const [table, row] of rows) agreeWhereChanged(alone, table, row);
  const column = (name: string): SqlValue => {
    const { row: at, column: of } = fromRowColumn(name);
    const [table, row] = rows[at] ?? ["", []];
    const key = row[keyColumns(tableOf(flat, table)).indexOf(of)];
    if (key !== undefined) return sqlInt(key);
    const changed = changesRow(run, instance, table, row);
    return choose(changed, run.value("final", table, row, of), state.value(table, row, of));
  };
  const alive = rows.map(([table, row]) =>
    ite(
      changesRow(run, instance, table, row),
      run.alive("final", table, row),
      state.alive(table, row),
    ),
  );
  return and(...alive, isTrue(termValue(invariant.broken, { ...run.scope(-1), column })));
}

function agreeWhereChanged(
  { script, run, instance, state }: Alone,
  table: string,
  row: RowTerm,
): void {
  const { database } = run;
  database.mention(table, row);
  state.mention(table, row);
  const same = tableOf(database.flat, table).columns.map(({ name }) => {
    const [one, other] = [database.value(table, row, name), state.value(table, row, name)];
    return and(eq(one.isNull, other.isNull), eq(asInt(one), asInt(other)));
  });
  script.assert(
    imp(
      changesRow(run, instance, table, row),
      and(eq(database.alive(table, row), state.alive(table, row)), ...same),
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

/** The `at`-th of some rows of a table: any. */
function anyRow(flat: FlatProgram, script: Script, table: string, at: number): RowTerm {
  const name = `row${String(Object.keys(flat.tables).sort().indexOf(table))}_${String(at)}_`;
  return keyColumns(tableOf(flat, table)).map((_, column) =>
    script.constant(`${name}${String(column)}`, "Int"),
  );
}
