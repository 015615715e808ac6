// One symbolic run of the instances under given relations: what each operation sees, selects, returns and changes. The same code builds the
// weak run (free relations) and the serial runs (constant ones, where most of it folds away).
import { ownEntry } from "../../../protocol/dictionary";
import { EVERY_COLUMN } from "../../operations/operation";
import type { Term } from "../../operations/operation";
import { dependsOnReads } from "../../operations/terms";
import { limitsOfCounts } from "../countLimits";
import { TELLING, applyFree } from "../freeFunction";
import { termValue } from "../termValue";
import type { TermScope } from "../termValue";
import { FALSE, TRUE, add, and, eq, imp, ite, not, or, sameAll } from "../smt";
import type { Script, Smt } from "../smt";
import { SQL_NULL, asInt, choose, isTrue, nameValue, sqlInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { EXISTENCE, isPoint, keyColumns, stepOf, tableOf } from "./instances";
import type { Instance, Site } from "./instances";
import { otherStart } from "./database";
import type { Database, RowTerm } from "./database";
import { errorOf, fails, takesEffect } from "./constraints";
import { createMemo } from "./memo";
import type { Relations } from "./relations";
import type { Run, Viewer } from "./run";
import { aggregateOf, constrainRepresentative, foundRows } from "./rows";

export interface RunOptions {
  /** Distinguishes the runs of one script by prefix. */
  readonly prefix: string;
  /** True if instances may roll back; else the caller asserts that none does. */
  readonly mayAbort: boolean;
  /** Additional rows per table beside those that operations mention, shared by all runs. */
  readonly spare: (table: string) => readonly RowTerm[];
  /** True to name subterms, so that shared structure is written once: shorter text for large terms. */
  readonly names?: boolean;
  /**
   * The visible state of each operation, beside its transaction's own writes, if these are separate states: a prefix of their names.
   * Columns that nobody writes are the same in all states.
   */
  readonly states?: { of(site: Site): string; differs(table: string, column: string): boolean };
}

export function makeRun(
  database: Database,
  instances: readonly Instance[],
  relations: Relations,
  options: RunOptions,
): Run {
  const { flat, script } = database;
  const { prefix } = options;
  const memo = createMemo(script, prefix);
  const sites = instances.flatMap((instance) => instance.sites);
  const rowTerms = new Map<Site, RowTerm>();
  const knownTerms = new Map<number, Map<Term, SqlValue>>();
  let pending: (() => void)[] = [];

  const viewerId = (viewer: Viewer): string => (viewer === "final" ? "final" : viewer.id);
  const ownOf = (index: number): Instance | undefined =>
    instances.find((instance) => instance.index === index);
  const siteOf = (instance: number, operation: number): Site | undefined =>
    ownOf(instance)?.sites.find((site) => site.operation.index === operation);

  const run: Run = {
    database,
    relations,
    instances,
    executed: (site) =>
      memo.condition(`x ${site.id}`, () =>
        isTrue(termValue(site.operation.guard, run.scope(site.instance))),
      ),
    reached: (step) =>
      memo.condition(`r ${String(step.instance)} ${String(step.step)}`, () => {
        const own = ownOf(step.instance);
        const guard = own?.transaction.steps?.[step.step]?.guard;
        if (guard !== undefined) return isTrue(termValue(guard, run.scope(step.instance)));
        const sites = own?.sites.filter((site) => site.operation.step === step.step) ?? [];
        return or(...sites.map(run.executed));
      }),
    row: (site) => {
      const known = rowTerms.get(site);
      if (known !== undefined) return known;
      const made = makeRow(site);
      rowTerms.set(site, made);
      database.mention(site.operation.table, made);
      return made;
    },
    rows: (table) => {
      const all = [
        ...sites
          .filter((site) => site.operation.table === table && hasRow(site))
          .map((site) => run.row(site)),
        ...options.spare(table),
      ];
      const distinct = new Map(all.map((row) => [row.join(" "), row]));
      return [...distinct.values()];
    },
    alive: (viewer, table, row) =>
      memo.condition(`l ${viewerId(viewer)} ${table} ${row.join(" ")}`, () => {
        const { start, remembers } = startFor(viewer, table, EXISTENCE);
        const writers = run
          .writers(table, EXISTENCE)
          .filter(remembers)
          .filter((writer) => run.active(writer, viewer, row) !== FALSE);
        const none = writers.map((writer) => not(run.active(writer, viewer, row)));
        return or(
          and(...none, start.alive(table, row)),
          ...writers
            .filter((writer) => writer.operation.kind === "insert")
            .map((writer) => run.newest(writer, viewer, row, EXISTENCE)),
        );
      }),
    value: (viewer, table, row, column) => {
      const at = row[keyColumns(tableOf(flat, table)).indexOf(column)];
      if (at !== undefined) return sqlInt(at);
      return memo.value(`v ${viewerId(viewer)} ${table} ${column} ${row.join(" ")}`, () => {
        const { start, remembers } = startFor(viewer, table, column);
        let result = start.value(table, row, column);
        for (const writer of run.writers(table, column).filter(remembers)) {
          if (writer.operation.kind === "delete") continue;
          const stands = run.newest(writer, viewer, row, column);
          if (stands !== FALSE) result = choose(stands, run.written(writer, row, column), result);
        }
        return result;
      });
    },
    present: (site, row) =>
      memo.condition(`h ${site.id} ${row.join(" ")}`, () => {
        const { table } = site.operation;
        return and(
          run.accepts(site, row, (column) => run.value(site, table, row, column)),
          run.alive(site, table, row),
        );
      }),
    accepts: (site, row, column) => {
      const key = sameKey(site, row);
      if (key === FALSE) return FALSE;
      return and(key, isTrue(termValue(site.operation.where, run.scope(site.instance, column))));
    },
    touches: (site, row) =>
      memo.condition(`e ${site.id} ${row.join(" ")}`, () => touches(site, row)),
    changes: (site, row) => {
      const touched = run.touches(site, row);
      return touched === FALSE ? FALSE : and(touched, not(undone(site, "final")));
    },
    written: (site, row, column) => {
      const { operation } = site;
      const at = isPoint(flat, operation) ? run.row(site) : row;
      const key = at[keyColumns(tableOf(flat, operation.table)).indexOf(column)];
      if (key !== undefined) return sqlInt(key);
      return memo.value(`w ${site.id} ${column} ${at.join(" ")}`, () => {
        const current = (name: string): SqlValue => run.value(site, operation.table, at, name);
        const given = (term: Term | undefined, otherwise: SqlValue): SqlValue =>
          term === undefined ? otherwise : termValue(term, run.scope(site.instance, current));
        if (operation.kind !== "insert")
          return given(ownEntry(operation.set, column), current(column));
        const inserted = given(ownEntry(operation.set, column), SQL_NULL);
        if (operation.update === undefined) return inserted;
        const exists = run.alive(site, operation.table, at);
        return choose(exists, given(ownEntry(operation.update, column), current(column)), inserted);
      });
    },
    active: (writer, viewer, row) =>
      memo.condition(`c ${writer.id} ${viewerId(viewer)} ${row.join(" ")}`, () => {
        const seen = visible(writer, viewer);
        if (seen === FALSE) return FALSE;
        return and(seen, run.touches(writer, row), not(undone(writer, viewer)));
      }),
    newest: (writer, viewer, row, column) => {
      const rivals = run.writers(writer.operation.table, column);
      const key = rivals.map((rival) => rival.id).join(",");
      return memo.condition(`n ${writer.id} ${viewerId(viewer)} ${key} ${row.join(" ")}`, () => {
        const own = run.active(writer, viewer, row);
        if (own === FALSE) return FALSE;
        return and(
          own,
          ...rivals
            .filter((rival) => rival !== writer)
            .map((rival) => imp(run.active(rival, viewer, row), run.before(rival, writer))),
        );
      });
    },
    before: (first, second) =>
      first.instance === second.instance
        ? first.operation.index < second.operation.index
          ? TRUE
          : FALSE
        : relations.before(stepOf(first), stepOf(second)),
    writers: (table, column) =>
      sites.filter((site) => site.operation.table === table && site.writes.has(column)),
    found: (site) =>
      memo.condition(`f ${site.id}`, () => {
        const { operation } = site;
        const concerns = operation.kind === "read" ? run.present : run.touches;
        const rows = isPoint(flat, operation) ? [run.row(site)] : run.rows(operation.table);
        return and(run.executed(site), or(...rows.map((row) => concerns(site, row))));
      }),
    count: (site) => {
      const { operation } = site;
      if (isPoint(flat, operation)) {
        return ite(run.found(site), "1", "0");
      }
      return asInt(
        memo.value(`k ${site.id}`, () => {
          const concerns = operation.kind === "read" ? run.present : run.touches;
          const rows = run.rows(operation.table);
          return sqlInt(
            add(
              ...rows.map((row, at) =>
                ite(
                  and(
                    run.executed(site),
                    concerns(site, row),
                    ...rows.slice(0, at).map((other) => not(sameAll(row, other))),
                  ),
                  "1",
                  "0",
                ),
              ),
            ),
          );
        }),
      );
    },
    output: (site, name) => memo.value(`o ${site.id} ${name}`, () => output(site, name)),
    scope: (instance, column) => ({
      parameter: (name) => database.parameter(instance, name),
      unknown: (id, type) => database.unknown(instance, id, type),
      apply: (what, args) => applyFree(script, TELLING, what, args),
      output: (operation, name) => {
        const site = siteOf(instance, operation);
        return site === undefined ? SQL_NULL : run.output(site, name);
      },
      found: (operation) => {
        const site = siteOf(instance, operation);
        return site === undefined ? FALSE : run.found(site);
      },
      count: (operation) => {
        const site = siteOf(instance, operation);
        return site === undefined ? "0" : run.count(site);
      },
      failed: (operation, code) => {
        const site = siteOf(instance, operation);
        if (site === undefined) return FALSE;
        return memo.condition(`y ${site.id} ${code}`, () => errorOf(run, site, code));
      },
      rows: (operation) => {
        const site = siteOf(instance, operation);
        return site === undefined ? [] : foundRows(run, memo, site);
      },
      ...(options.names === true
        ? { ...naming(instance), ...(column && { column }) }
        : { column: column ?? (() => SQL_NULL) }),
    }),
    aborted: (instance) =>
      memo.condition(`a ${String(instance)}`, () => {
        const own = ownOf(instance);
        if (own === undefined) return FALSE;
        return or(
          isTrue(termValue(own.transaction.aborts, run.scope(instance))),
          ...own.sites.map((site) => fails(run, site)),
        );
      }),
    settle: () => {
      while (pending.length > 0) {
        const now = pending;
        pending = [];
        for (const task of now) task();
      }
    },
  };

  function naming(instance: number): Pick<TermScope, "known" | "shorten"> {
    const known = knownTerms.get(instance) ?? new Map<Term, SqlValue>();
    knownTerms.set(instance, known);
    return { known, shorten: (value) => nameValue(script, value) };
  }

  /**
   * The start of the viewer's version of a column: the transaction's start, or a loop whose rounds are summarised and may have changed it;
   * the transaction's writes before that are then not visible.
   */
  function startFor(viewer: Viewer, table: string, column: string) {
    const all = { start: database, remembers: () => true };
    if (viewer === "final") return all;
    const { index } = viewer.operation;
    const { states } = options;
    const own =
      states?.differs(table, column) === true ? otherStart(database, states.of(viewer)) : undefined;
    const forgotten = ownOf(viewer.instance)?.transaction.forgotten ?? [];
    const last = forgotten
      .filter(({ from, columns }) => {
        const own = ownEntry(columns, table) ?? [];
        return from <= index && (own.includes(EVERY_COLUMN) || own.includes(column));
      })
      .reduce<number | undefined>((latest, { from }) => Math.max(latest ?? from, from), undefined);
    if (last === undefined) return own ? { ...all, start: own } : all;
    return {
      start: own ?? otherStart(database, `${prefix}f${String(viewer.instance)}_${String(last)}_`),
      remembers: (writer: Site): boolean =>
        writer.instance !== viewer.instance || writer.operation.index >= last,
    };
  }

  /** Range writes and aggregates use the rows that others mention. */
  function hasRow(site: Site): boolean {
    return isPoint(flat, site.operation) || site.operation.pick !== "all";
  }

  function makeRow(site: Site): RowTerm {
    const { operation } = site;
    const table = tableOf(flat, operation.table);
    const row = keyColumns(table).map((column, at) => {
      const term = ownEntry(operation.key, column);
      const constant = (): Smt => script.constant(`${prefix}k${site.id}_${String(at)}`, "Int");
      if (term === undefined) {
        // A hidden key belongs to the insert in every run.
        return operation.kind === "insert"
          ? script.constant(`k${site.id}_${String(at)}`, "Int")
          : constant();
      }
      if (!dependsOnReads(term)) {
        return script.name(asInt(termValue(term, run.scope(site.instance))), "Int");
      }
      const key = constant();
      pending.push(() => {
        script.assert(eq(key, asInt(termValue(term, run.scope(site.instance)))));
      });
      return key;
    });
    if (operation.kind !== "insert" && !isPoint(flat, operation)) {
      pending.push(() => {
        constrainRepresentative(run, site, row);
      });
    }
    if (operation.kind === "insert" && table.primaryKey.length === 0) hideKey(site, row);
    return row;
  }

  /** Asserts that hidden keys of inserts are fresh: different from each other and from all initial rows. */
  function hideKey(site: Site, row: RowTerm): void {
    if (options.mayAbort) return;
    script.assert(not(database.alive(site.operation.table, row)));
    for (const other of sites) {
      const inserts = other.operation.kind === "insert" && other !== site;
      if (!inserts || other.operation.table !== site.operation.table) continue;
      const theirs = row.map((_, at) => script.constant(`k${other.id}_${String(at)}`, "Int"));
      script.assert(not(sameAll(row, theirs)));
    }
  }

  /** True if the row satisfies the operation's key equalities; NULL in the key matches nothing. */
  function sameKey(site: Site, row: RowTerm): Smt {
    const { operation } = site;
    const own = run.row(site);
    const columns = keyColumns(tableOf(flat, operation.table));
    return and(
      ...columns.flatMap((column, at) => {
        const term = ownEntry(operation.key, column);
        const [mine, theirs] = [own[at], row[at]];
        if (term === undefined || mine === undefined || theirs === undefined) return [];
        return [eq(mine, theirs), not(termValue(term, run.scope(site.instance)).isNull)];
      }),
    );
  }

  /** True if the operation's write is undone by the time of the viewer. */
  function undone(writer: Site, viewer: Viewer): Smt {
    const own = viewer !== "final" && viewer.instance === writer.instance;
    const step = own ? viewer.operation.step : Infinity;
    const conditions = (writer.operation.undone ?? []).filter(({ from }) => step >= from);
    return or(
      ...conditions.map(({ when }, at) =>
        memo.condition(`z ${writer.id} ${String(at)}`, () =>
          isTrue(termValue(when, run.scope(writer.instance))),
        ),
      ),
    );
  }

  function touches(site: Site, row: RowTerm): Smt {
    const { operation } = site;
    const executed = run.executed(site);
    if (executed === FALSE || operation.kind === "read") return FALSE;
    if (operation.kind === "insert") {
      const same = sameAll(row, run.row(site));
      return same === FALSE ? FALSE : and(executed, same, takesEffect(run, site));
    }
    if (isPoint(flat, operation)) {
      const own = run.row(site);
      const same = sameAll(row, own);
      return same === FALSE ? FALSE : and(executed, same, run.present(site, own));
    }
    const chosen = operation.pick === "all" ? TRUE : sameAll(row, run.row(site));
    return and(executed, chosen, run.present(site, row));
  }

  function visible(writer: Site, viewer: Viewer): Smt {
    const stands = options.mayAbort ? (): Smt => not(run.aborted(writer.instance)) : () => TRUE;
    if (viewer === "final") return stands();
    if (viewer.instance === writer.instance) {
      return writer.operation.step < viewer.operation.step ? TRUE : FALSE;
    }
    const seen = relations.sees(stepOf(viewer), stepOf(writer));
    return seen === FALSE ? FALSE : and(seen, stands());
  }

  function output(site: Site, name: string): SqlValue {
    const { operation } = site;
    if (operation.aggregate?.output === name) return aggregateOf(run, site);
    const term = ownEntry(operation.outputs, name);
    if (term === undefined) return SQL_NULL;
    const row = run.row(site);
    // Outputs refer to the version before an update or delete, after an insert.
    const column = (of: string): SqlValue =>
      operation.kind === "insert"
        ? run.written(site, row, of)
        : run.value(site, operation.table, row, of);
    return choose(run.found(site), termValue(term, run.scope(site.instance, column)), SQL_NULL);
  }

  return run;
}

/** Additional rows per table that is not only accessed by full keys: one, or as many as a row count is compared with. */
export function spareRows(script: Script, database: Database, instances: readonly Instance[]) {
  const { flat } = database;
  const tables = new Set(
    instances
      .flatMap((instance) => instance.sites)
      .filter((site) => !isPoint(flat, site.operation))
      .map((site) => site.operation.table),
  );
  const made = new Map<string, readonly RowTerm[]>();
  [...tables].sort().forEach((table, number) => {
    const limits = instances.flatMap(({ transaction }) => limitsOfCounts(transaction, table));
    const count = Math.max(1, ...limits.filter((limit) => limit <= MOST_SPARE));
    const rows = Array.from({ length: count }, (_, nth) =>
      keyColumns(tableOf(flat, table)).map((__, at) =>
        script.constant(`z${[number, ...(nth > 0 ? [nth] : []), at].join("_")}`, "Int"),
      ),
    );
    for (const row of rows) database.mention(table, row);
    made.set(table, rows);
  });
  return (table: string): readonly RowTerm[] => made.get(table) ?? [];
}

/** More rows are too expensive. */
const MOST_SPARE = 5;
