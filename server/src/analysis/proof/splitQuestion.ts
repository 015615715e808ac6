// One question where each statement has a snapshot of its own: may the second of a chain be left, by a stale read, before the moment at
// which it was entered? Operations find any state; program order and locks that are kept until the commit order the moments.
import { createAssumptions } from "../encoding/assumptions";
import type { Assumption } from "../encoding/assumptions";
import { makeDatabase } from "../encoding/relational/database";
import type { RowTerm } from "../encoding/relational/database";
import { staticEdges } from "../encoding/relational/edges";
import type { StaticEdge } from "../encoding/relational/edges";
import { isPoint } from "../encoding/relational/instances";
import type { Instance, Site } from "../encoding/relational/instances";
import { columnName, ownRows } from "../encoding/relational/meeting";
import { serialRelations } from "../encoding/relational/relations";
import { makeRun } from "../encoding/relational/runner";
import { FALSE, and, createScript, imp, le, lt, not, or } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import type { FlatProgram } from "../operations/operation";
import { openInstances, withoutUnique } from "./accesses";
import { mayConcern, rowsOf } from "./dependencies";
import type { Side } from "./dependencies";
import { lockOf, readsOlder, readsState, releasesLocks } from "./moments";
import type { Views } from "./moments";
import { spareRows } from "./question";
import type { OpenSelector } from "./question";

/** A program whose statements see states of their own. */
export interface Statements {
  /** In open form. */
  readonly flat: FlatProgram;
  readonly views: readonly Views[];
  /** Columns that someone writes. */
  readonly written: ReadonlySet<string>;
}

export interface SplitQuestion {
  readonly text: string;
  readonly assumptions: readonly Assumption[];
  /** Ways to come to the second, and to leave it. */
  readonly entering: readonly OpenSelector[];
  readonly leaving: readonly OpenSelector[];
}

/** A transaction with the moments of its statements. */
interface Timed extends Side {
  readonly views: Views;
  /** True if what it locks stays locked until it commits. */
  readonly holds: boolean;
  readonly commit: Smt;
  /** Between the start and the end of its statement: when the operation looks at what it does not lock. */
  look(site: Site): Smt;
  /** When its statement has ended, and with it the last wait for a lock. */
  end(site: Site): Smt;
}

/**
 * Encodes the chain of the first, the second and the last member; with two members it leads back to the first.
 * A dependency leaves at an earlier moment than it enters, so on a cycle some transaction is left no later than its predecessor.
 */
export function encodeSplit(
  { flat, views, written }: Statements,
  members: readonly number[],
): SplitQuestion {
  const script = createScript();
  const assumptions = createAssumptions(script);
  const instances = openInstances(flat, members);
  const sides: Timed[] = [];
  for (const instance of instances) {
    const own = views[members[instance.index] ?? -1];
    if (!own) continue;
    const side = sideOf(flat, script, instances, instance, { written, assumptions, sides });
    sides.push(timed(script, side, own));
    script.assert(not(side.run.aborted(instance.index)));
  }
  for (const one of sides)
    for (const other of sides)
      if (one.instance.index < other.instance.index)
        assertLocks(
          script,
          one,
          other,
          spareRows(flat, script, one.instance.index, other.instance.index),
        );
  const [first, middle] = sides;
  const last = sides[2] ?? first;
  if (!first || !middle || !last) throw new Error("a chain has two members or three");
  const left = script.constant("left", "Int");
  const select = (edge: StaticEdge, name: string, formula: Smt): OpenSelector => {
    const selector = script.constant(name, "Bool");
    script.assert(imp(selector, formula));
    return { name: selector, edge };
  };
  const entering = staticEdges(first.instance, middle.instance).map((edge, at) =>
    select(edge, `in${String(at)}`, entry(script, first, middle, edge, left)),
  );
  const leaving = staticEdges(middle.instance, last.instance)
    .filter((edge) => isOlder(middle, edge))
    .map((edge, at) => select(edge, `out${String(at)}`, exit(script, middle, last, edge, left)));
  script.assert(or(...entering.map(({ name }) => name)));
  script.assert(or(...leaving.map(({ name }) => name)));
  for (const _ of [0, 1, 2]) for (const { run } of sides) run.settle();
  return { text: script.take(), assumptions: assumptions.all(), entering, leaving };
}

/** True if what is read at the edge may be older than the commit of the one that it leads to. */
function isOlder(
  { views, instance, run }: Pick<Timed, "views" | "instance" | "run">,
  edge: StaticEdge,
): boolean {
  return (
    edge.dependency === "rw" && readsOlder(run.database.flat, views, instance.transaction, edge)
  );
}

function sideOf(
  flat: FlatProgram,
  script: Script,
  instances: readonly Instance[],
  instance: Instance,
  {
    written,
    assumptions,
    sides,
  }: {
    readonly written: ReadonlySet<string>;
    readonly assumptions: ReturnType<typeof createAssumptions>;
    readonly sides: readonly Side[];
  },
): Side {
  const prefix = `m${String(instance.index)}_`;
  const differs = (table: string, column: string): boolean =>
    written.has(columnName(table, column));
  const start = makeDatabase({ ...flat, tables: withoutPromises(flat) }, script, instances, {
    prefix,
    assumptions,
    differs,
  });
  const run = makeRun({ ...start, flat }, [instance], serialRelations([instance.index]), {
    prefix,
    mayAbort: false,
    spare: (table) => sides.flatMap((side) => ownRows(side.run, side.instance, table)),
    names: true,
    states: { of: ({ operation }) => `${prefix}o${String(operation.index)}_`, differs },
  });
  return { instance, run };
}

/** Nothing is relied on that rows keep together: the states of two statements differ. */
function withoutPromises(flat: FlatProgram): FlatProgram["tables"] {
  return Object.fromEntries(
    Object.entries(withoutUnique(flat)).map(([name, table]) => [name, { ...table, checks: [] }]),
  );
}

function timed(script: Script, side: Side, views: Views): Timed {
  const { instance, run } = side;
  const prefix = `t${String(instance.index)}_`;
  const moment = (name: string): Smt => script.constant(`${prefix}${name}`, "Int");
  const start = (step: number): Smt => moment(`s${String(step)}`);
  const end = (step: number): Smt => moment(`e${String(step)}`);
  const commit = moment("c");
  const steps = [...new Set(instance.sites.map(({ operation }) => operation.step))].sort(
    (a, b) => a - b,
  );
  steps.forEach((step, at) => {
    const next = steps[at + 1];
    script.assert(le(start(step), end(step)));
    script.assert(lt(end(step), next === undefined ? commit : start(next)));
  });
  const look = ({ operation }: Site): Smt => moment(`l${String(operation.index)}`);
  const isOfState = ({ operation }: Site): boolean =>
    readsState(instance.transaction, views, operation);
  const plain = instance.sites.filter(isOfState);
  const firstPlain = plain[0]?.operation.step;
  for (const site of instance.sites) {
    const { step } = site.operation;
    if (!isOfState(site)) {
      script.assert(and(le(start(step), look(site)), le(look(site), end(step))));
      continue;
    }
    if (views.plain === "statement") {
      script.assert(and(le(start(step), look(site)), le(look(site), start(step))));
      continue;
    }
    // One state for all of them, of the first that is executed.
    const shared = moment("plain");
    script.assert(and(le(shared, look(site)), le(look(site), shared)));
    script.assert(imp(run.executed(site), le(shared, start(step))));
    if (views.plain === "first-plain-read" && firstPlain !== undefined)
      script.assert(le(start(firstPlain), shared));
  }
  return {
    ...side,
    views,
    holds: !releasesLocks(instance.transaction),
    commit,
    look,
    end: ({ operation }) => end(operation.step),
  };
}

/** Asserts of two that lock the same row that one has committed before the other has it. */
function assertLocks(
  script: Script,
  one: Timed,
  other: Timed,
  spare: (table: string) => readonly RowTerm[],
): void {
  if (!one.holds || !other.holds) return;
  for (const mine of one.instance.sites)
    for (const theirs of other.instance.sites) {
      const { table } = mine.operation;
      if (table !== theirs.operation.table) continue;
      if (mine.operation.lock === "share" && theirs.operation.lock === "share") continue;
      for (const row of rowsOf({ from: mine, to: theirs, table }, one, other, spare)) {
        const both = and(locks(one, mine, row), locks(other, theirs, row));
        const apart = or(lt(one.commit, other.end(theirs)), lt(other.commit, one.end(mine)));
        script.assert(imp(both, apart));
      }
    }
}

/** True if the operation has the row locked from then on, against all that change it. */
function locks({ run }: Timed, site: Site, row: RowTerm): Smt {
  const { operation } = site;
  if (site.writes.size > 0) return run.touches(site, row);
  if (lockOf(operation) === "none" || operation.lock === "key-share") return FALSE;
  if (!isPoint(run.database.flat, operation)) return FALSE;
  return and(run.executed(site), run.present(site, row));
}

/** The edge comes to the second; the first was left no earlier than `left`. */
function entry(script: Script, first: Timed, second: Timed, edge: StaticEdge, left: Smt): Smt {
  const { flat } = first.run.database;
  const spare = spareRows(flat, script, first.instance.index, second.instance.index);
  const { operation } = edge.to;
  const isOnce =
    readsState(second.instance.transaction, second.views, operation) || isPoint(flat, operation);
  const found = isOnce ? second.look(edge.to) : second.end(edge.to);
  return or(
    ...rowsOf(edge, first, second, spare).map((row) => {
      const wrote = and(first.run.changes(edge.from, row), le(left, first.commit));
      switch (edge.dependency) {
        case "wr":
          return and(wrote, mayConcern(second.run, edge.to, row), lt(first.commit, found));
        case "ww":
          return and(wrote, second.run.changes(edge.to, row), lt(first.commit, found));
        case "rw": {
          // It waited for who had locked what it read, or what was read was not locked.
          const waited = and(le(left, first.commit), lt(first.commit, second.end(edge.to)));
          const look = first.look(edge.from);
          const older = isOlder(first, edge)
            ? and(
                le(left, look),
                lt(look, second.commit),
                not(keepsOlderAway(first, edge.from, row)),
              )
            : FALSE;
          return and(
            mayConcern(first.run, edge.from, row),
            second.run.changes(edge.to, row),
            or(waited, older),
          );
        }
        default: {
          const never: never = edge.dependency;
          return never;
        }
      }
    }),
  );
}

/** The second is left at the edge, no later than `left`. */
function exit(script: Script, second: Timed, last: Timed, edge: StaticEdge, left: Smt): Smt {
  const { flat } = second.run.database;
  const spare = spareRows(flat, script, second.instance.index, last.instance.index);
  const look = second.look(edge.from);
  return or(
    ...rowsOf(edge, second, last, spare).map((row) =>
      and(
        mayConcern(second.run, edge.from, row),
        last.run.changes(edge.to, row),
        lt(look, last.commit),
        le(look, left),
        not(keepsOlderAway(second, edge.from, row)),
      ),
    ),
  );
}

/** Rows that it has locked it has found in their newest version. */
function keepsOlderAway(side: Timed, site: Site, row: RowTerm): Smt {
  return side.holds ? locks(side, site, row) : FALSE;
}
