// Constraints of lemmas on two snapshots: versions of a row are totally ordered, and a snapshot without a writer of a row has an
// earlier version than that writer read (writers of a row see each other, visibility is transitive).
import type { Assumptions } from "../encoding/assumptions";
import type { RowTerm } from "../encoding/relational/database";
import { HIDDEN_KEY, keyColumns, tableOf } from "../encoding/relational/instances";
import type { Run } from "../encoding/relational/run";
import { and, imp, le, not, or } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import { asInt, sqlInt } from "../encoding/sqlValue";
import type { SqlValue } from "../encoding/sqlValue";
import type { Side, Standing } from "./dependencies";
import { hasLemmas } from "./setting";
import type { MonotoneColumn, Parent, Setting } from "./setting";

/** The names by which a refutation tells which lemmas it needs. */
export function keptName(table: string): string {
  return `lemma rows of ${table} are never deleted`;
}

export function monotoneName({ table, column, direction }: MonotoneColumn): string {
  return `lemma ${table}.${column} never ${direction === "grows" ? "decreases" : "increases"}`;
}

export function freshName(table: string, column: string): string {
  return `lemma ${table}.${column === HIDDEN_KEY ? "row" : column} is new with every insertion`;
}

export function parentName({ child, table }: Parent): string {
  return `lemma rows of ${child} have the row of ${table} that they refer to`;
}

/** Asserts that rows which an instance mentions have their parents in its snapshot. */
export function assertParents(
  script: Script,
  assumptions: Assumptions,
  { lemmas }: Setting,
  { run: { database }, instance, run }: Side,
): void {
  for (const parent of lemmas.parents) {
    const isLookedFor = instance.sites.some(({ operation }) => operation.table === parent.table);
    if (!isLookedFor) continue;
    for (const row of run.rows(parent.child)) {
      database.mention(parent.child, row);
      const key = keyColumns(tableOf(database.flat, parent.child));
      const values = parent.columns.map((column): SqlValue => {
        const at = row[key.indexOf(column)];
        return at === undefined ? database.value(parent.child, row, column) : sqlInt(at);
      });
      const named = values.map(asInt);
      const refers = and(
        database.alive(parent.child, row),
        ...values.map((each) => not(each.isNull)),
      );
      const literal = assumptions.literal(parentName(parent));
      script.assert(imp(and(literal, refers), database.alive(parent.table, named)));
    }
  }
}

/** Asserts what is proved of the snapshots of a pair: the first looks, the second writes. */
export function assertLemmas(
  script: Script,
  assumptions: Assumptions,
  setting: Setting,
  standing: Standing,
  looking: Side,
  writing: Side,
  spare: (table: string) => readonly RowTerm[],
): void {
  if (!hasLemmas(setting)) return;
  const { lemmas } = setting;
  const sees = standing.sees(looking.instance.index, writing.instance.index);
  for (const table of Object.keys(looking.run.database.flat.tables).sort()) {
    const rows = namedRows(looking, writing, table, spare);
    for (const row of rows)
      for (const { run } of [looking, writing]) run.database.mention(table, row);
    const isKept = lemmas.kept.includes(table);
    const columns = lemmas.monotone.filter((each) => each.table === table);
    if (!isKept) continue;
    for (const row of rows) {
      const then = aliveAtStart(writing.run, table, row);
      const now = aliveAtStart(looking.run, table, row);
      const changed = changes(writing, table, row);
      const kept = assumptions.literal(keptName(table));
      script.assert(imp(and(kept, sees, or(then, changed)), now));
      script.assert(imp(and(kept, not(sees), changed, now), then));
      for (const column of columns) {
        const [seen, found, left] = [
          startValue(looking.run, column, row),
          startValue(writing.run, column, row),
          asInt(writing.run.value("final", table, row, column.column)),
        ];
        const moves = assumptions.literal(monotoneName(column));
        script.assert(imp(and(moves, sees, then), ordered(column, found, seen)));
        script.assert(imp(and(moves, sees, changed), ordered(column, left, seen)));
        script.assert(imp(and(moves, not(sees), changed, now), ordered(column, seen, found)));
      }
    }
  }
  for (const { table, column } of lemmas.fresh)
    assertFresh(
      script,
      looking,
      writing,
      table,
      column,
      assumptions.literal(freshName(table, column)),
      sees,
    );
}

/** A row with a value that only its own insertion makes exists in no snapshot without that insertion. */
function assertFresh(
  script: Script,
  looking: Side,
  writing: Side,
  table: string,
  column: string,
  literal: Smt,
  sees: Smt,
): void {
  if (!keyColumns(tableOf(looking.run.database.flat, table)).includes(column)) return;
  for (const site of writing.instance.sites) {
    if (site.operation.kind !== "insert" || site.operation.table !== table) continue;
    const row = writing.run.row(site);
    script.assert(imp(and(literal, aliveAtStart(looking.run, table, row)), sees));
  }
}

function namedRows(
  looking: Side,
  writing: Side,
  table: string,
  spare: (table: string) => readonly RowTerm[],
): readonly RowTerm[] {
  const touched = [looking, writing].some(({ instance }) =>
    instance.sites.some((site) => site.operation.table === table),
  );
  if (!touched) return [];
  const all = [...looking.run.rows(table), ...writing.run.rows(table), ...spare(table)];
  return [...new Map(all.map((row) => [row.join(" "), row])).values()];
}

function aliveAtStart(run: Run, table: string, row: RowTerm): Smt {
  return run.database.alive(table, row);
}

function startValue(run: Run, { table, column }: MonotoneColumn, row: RowTerm): Smt {
  return asInt(run.database.value(table, row, column));
}

function changes({ instance, run }: Side, table: string, row: RowTerm): Smt {
  const writers = instance.sites.filter(
    (site) => site.operation.table === table && site.writes.size > 0,
  );
  return or(...writers.map((site) => run.changes(site, row)));
}

function ordered({ direction }: MonotoneColumn, earlier: Smt, later: Smt): Smt {
  return direction === "grows" ? le(earlier, later) : le(later, earlier);
}
