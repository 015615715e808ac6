// The encoding of a product's level for one tuple in one commit order: a concurrent run with snapshot cuts, its dependencies, and on demand
// serial runs to compare with. Complete for histories whose writers hold their locks until they commit: an event is placed by the number of
// earlier commits, and nothing else about time matters.
import type { Levels } from "../../../isolation/mixedLevels";
import type { FlatProgram } from "../../operations/operation";
import { preconditionName } from "../assumptions";
import { FALSE, TRUE, and, createScript, imp, lt, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { isTrue } from "../sqlValue";
import { makeDatabase } from "./database";
import type { Database } from "./database";
import { dependencyOver, mayDepend } from "./edges";
import { handsOn, mayHandOn, mayRefuse } from "./keys";
import { assertLocks, lockQueues } from "./locks";
import type { LockQueue } from "./locks";
import {
  OTHER_READ,
  OTHER_STATE,
  OTHER_VALUE,
  READABLE,
  SPARSE,
  PRESENCE,
  dependencyName,
  otherRowsName,
  serialPlaceName,
} from "./names";
import { detectedDependency } from "./conflictDetection";
import { differences, timelessDifference } from "./outcome";
import type { Member } from "./parts";
import { makeRun } from "./run";
import { assertOrder } from "./scans";
import { assertSessionLocks } from "./sessionLocks";
import { makeSnapshots } from "./snapshots";
import { assertTableLocks } from "./tableLocks";
import { assertTimes } from "./times";
import { EXISTS, makeTuple, overlooksReads } from "./tuple";
import type { Access, ProductTuple, TupleTable } from "./tuple";
import { SEES_ALL } from "./views";
import type { Times, Snapshots, Run } from "./execution";

/** A run of some instances one after the other, and the condition that the others did not commit. */
interface SerialRun {
  readonly run: Run;
  readonly alone: Smt;
}

export interface ProductEncoding {
  readonly tuple: ProductTuple;
  readonly script: Script;
  readonly database: Database;
  readonly run: Run;
  readonly snapshots: Snapshots;
  /** True if some statements look at rows without locking them, so that IN_ORDER can be assumed. */
  readonly searches: boolean;
  /** Per instance and statement, the condition that it runs. */
  readonly executed: readonly (readonly Smt[])[];
  /** Per instance, the condition that it commits: not every transaction of a unit begins, and some are undone. */
  readonly happens: readonly Smt[];
  /** Per instance, the condition that it begins. */
  readonly begins: readonly Smt[];
  /** Per instance and statement, the condition that a row of its snapshot prevents it from taking any lock. */
  readonly passing: readonly (readonly Smt[])[];
  /** Per ordered pair of transactions or units, the tables over which the text allows a dependency. */
  readonly dependencies: readonly Dependencies[];
  /** The times of statements, if some read uncommitted data. */
  readonly times?: Times | undefined;
  /** Order constraints on the beginnings of statements that take no snapshot. */
  readonly queues: readonly LockQueue[];
  /** The serial runs that outcomes are compared with; see `addSerialRun`. */
  readonly serial: SerialRun[];
}

export interface Dependencies {
  readonly from: number;
  readonly to: number;
  readonly tables: readonly { readonly name: string; readonly literal: Smt }[];
}

/**
 * Encodes the tuple (indexes into the program's transactions, in commit order), without asking for a cycle. `script.take()` gives the text.
 */
export function encodeProduct(
  flat: FlatProgram,
  levels: Levels,
  members: readonly number[],
  commits?: readonly Member[],
): ProductEncoding {
  const tuple = makeTuple(flat, levels, members, members, commits);
  const script = createScript();
  script.constant(READABLE, "Bool");
  script.constant(SPARSE, "Bool");
  script.constant(PRESENCE, "Bool");
  const database = makeDatabase(script, tuple);
  const snapshots = makeSnapshots(script, tuple);
  const order = tuple.transactions.map((_, instance) => instance);
  const run = makeRun(script, tuple, database, { ...snapshots, order, serial: false });
  for (const [instance, transaction] of tuple.transactions.entries())
    for (const [at, condition] of transaction.preconditions.entries()) {
      const assumed = database.assumptions.literal(preconditionName(transaction.id, at));
      script.assert(imp(assumed, isTrue(run.value(instance, condition))));
    }
  const dependencies = betweenUnits(script, tuple, allowedBy(script, tuple, run, snapshots));
  const searches = assertOrder(script, tuple, run, snapshots);
  const executed = order.map((instance) => executedSteps(script, tuple, run, instance));
  const passing = order.map((instance) => passingSteps(script, tuple, run, instance));
  const happens = tuple.parts.map((part, instance) => {
    if (!part) return TRUE;
    const { guard, undone } = part;
    const [begins, ends] = [guard, undone].map((each) => isTrue(run.value(instance, each)));
    return script.name(and(begins ?? TRUE, not(ends ?? FALSE)), "Bool");
  });
  const begins = tuple.parts.map((part, instance) =>
    part ? script.name(isTrue(run.value(instance, part.guard)), "Bool") : TRUE,
  );
  const queues = lockQueues(script, tuple, run, snapshots);
  const { times } = snapshots;
  const schedule = { searches, executed, happens, begins, passing, queues, times };
  return { tuple, script, database, run, snapshots, ...schedule, dependencies, serial: [] };
}

/** Asserts that the levels allow the run and that all instances commit; returns its dependencies. */
export function allowedBy(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): readonly Dependencies[] {
  for (const [instance, { exceeds }] of tuple.transactions.entries()) {
    script.assert(not(run.failures[instance] ?? FALSE));
    if (exceeds) script.assert(not(isTrue(run.value(instance, exceeds))));
  }
  assertLocks(script, tuple, run, snapshots);
  assertTableLocks(script, tuple, run, snapshots);
  assertSessionLocks(script, tuple, run, snapshots);
  assertTimes(script, tuple, run, snapshots);
  const order = [...tuple.transactions.keys()];
  const dependencies = order.flatMap((from) =>
    order
      .filter((to) => to !== from)
      .map((to) => dependenciesBetween(script, tuple, run, snapshots, [from, to])),
  );
  assertSerializable(script, tuple, run, snapshots, dependencies);
  return dependencies;
}

/** Dependencies between units: those between any of their transactions. */
function betweenUnits(
  script: Script,
  { units }: ProductTuple,
  dependencies: readonly Dependencies[],
): readonly Dependencies[] {
  return units.flatMap((own, from) =>
    units.flatMap((others, to): readonly Dependencies[] => {
      if (from === to) return [];
      const byTable = new Map<string, Smt[]>();
      for (const each of dependencies) {
        if (!own.includes(each.from) || !others.includes(each.to)) continue;
        for (const { name, literal } of each.tables)
          byTable.set(name, [...(byTable.get(name) ?? []), literal]);
      }
      const tables = [...byTable].map(([name, literals]) => ({
        name,
        // Only named terms have values in a model.
        literal: script.name(or(...literals), "Bool"),
      }));
      return [{ from, to, tables }];
    }),
  );
}

function dependenciesBetween(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  [from, to]: readonly [number, number],
): Dependencies {
  const tables = [...tuple.tables.values()].flatMap((table) => {
    const between = (may: (a: Access, b: Access) => boolean): boolean =>
      (tuple.accesses[from] ?? []).some(
        (a) => a.table === table && (tuple.accesses[to] ?? []).some((b) => may(a, b)),
      );
    const mayMeet = between(mayHandOn) || between(mayRefuse);
    const handed = from < to && mayMeet ? handsOn(tuple, run, from, to, table) : FALSE;
    const condition = between((a, b) => mayDepend(a, b, from < to))
      ? or(dependencyOver(tuple, run, snapshots, from, to, table), handed)
      : handed;
    if (condition === FALSE) return [];
    const literal = script.constant(dependencyName(from, to, table.id), "Bool");
    script.assert(`(= ${literal} ${condition})`);
    return [{ name: table.table.name, literal }];
  });
  return { from, to, tables };
}

/** Asserts that instances at SERIALIZABLE have no cycle among themselves that the server detects; others are not looked at. */
function assertSerializable(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  dependencies: readonly Dependencies[],
): void {
  const isSafe = (instance: number): boolean => tuple.levels[instance]?.ssi === true;
  const place = (instance: number): Smt => script.constant(serialPlaceName(instance), "Int");
  for (const { from, to, tables } of dependencies) {
    if (!isSafe(from) || !isSafe(to)) continue;
    const overlooks = [from, to].some((each) => {
      const [level, transaction] = [tuple.levels[each], tuple.transactions[each]];
      return level && transaction && overlooksReads(level, transaction);
    });
    for (const { name, literal } of tables) {
      const table = tuple.tables.get(name);
      // The server does not detect who takes over a released key.
      const hasKeys = table && (table.table.uniqueKeys.length > 0 || table.table.deferredKeys);
      const condition =
        table && overlooks
          ? detectedDependency(tuple, run, snapshots, from, to, table)
          : table && hasKeys
            ? dependencyOver(tuple, run, snapshots, from, to, table)
            : literal;
      if (condition !== FALSE) script.assert(imp(condition, lt(place(from), place(to))));
    }
  }
}

/** A cycle through all instances: for each step of some cyclic order, its table. */
export interface CycleShape {
  readonly literals: readonly Smt[];
  /** Distinct tables, sorted. */
  readonly tables: readonly string[];
}

/** All cycles through all instances that the text allows, one table per step; `mayLead` rules out steps. */
export function cycleShapes(
  encoding: ProductEncoding,
  mayLead: (from: number, to: number) => boolean = () => true,
): readonly CycleShape[] {
  const { dependencies, tuple } = encoding;
  const size = tuple.units.length;
  const between = (from: number, to: number): Dependencies["tables"] =>
    dependencies.find((each) => each.from === from && each.to === to)?.tables ?? [];
  const shapes: CycleShape[] = [];
  const extend = (
    path: readonly number[],
    literals: readonly Smt[],
    names: readonly string[],
  ): void => {
    const last = path.at(-1) ?? 0;
    const finished = path.length === size;
    const targets = finished ? [0] : [...tuple.units.keys()].filter((n) => !path.includes(n));
    for (const target of targets.filter((each) => mayLead(last, each)))
      for (const { name, literal } of between(last, target)) {
        const [all, tables] = [
          [...literals, literal],
          [...names, name],
        ];
        if (finished) shapes.push({ literals: all, tables: [...new Set(tables)].sort() });
        else extend([...path, target], all, tables);
      }
  };
  extend([0], [], []);
  return shapes;
}

/** The condition that no proper subset of the instances forms a cycle: those anomalies are found as smaller tuples. */
export function isMinimal({ dependencies, tuple }: ProductEncoding): Smt {
  const without: Smt[] = [];
  const size = tuple.units.length;
  const leads = (from: number, to: number): Smt => someDependency(dependencies, from, to);
  const extend = (path: readonly number[]): void => {
    const [first = 0, ...rest] = path;
    if (rest.length > 0) {
      const steps = path.map((from, at) => leads(from, path[at + 1] ?? first));
      without.push(not(and(...steps)));
    }
    if (path.length === size - 1) return;
    // Each cycle once, starting at its least member.
    for (let next = first + 1; next < size; next += 1)
      if (!path.includes(next)) extend([...path, next]);
  };
  if (size > 2) for (const first of tuple.units.keys()) extend([first]);
  return and(...without);
}

/** The condition that some dependency leads from one instance to the other. */
export function someDependency(
  dependencies: readonly Dependencies[],
  from: number,
  to: number,
): Smt {
  const between = dependencies.find((each) => each.from === from && each.to === to);
  return or(...(between?.tables ?? []).map((each) => each.literal));
}

/** Makes `literal` imply one of these cycles. */
export function askForCycle(
  encoding: ProductEncoding,
  literal: string,
  shapes: readonly CycleShape[],
): void {
  const { script } = encoding;
  script.constant(literal, "Bool");
  script.assert(imp(literal, or(...shapes.map((shape) => and(...shape.literals)))));
}

/** Adds a serial run of whole transactions and units in one order, which OTHER_STATE, OTHER_VALUE and OTHER_READ then also differ from. */
export function addSerialRun(encoding: ProductEncoding, units: readonly number[]): void {
  const { script, tuple, database, run } = encoding;
  const order = units.flatMap((unit) => tuple.units[unit] ?? []);
  for (const some of committing(encoding, order)) {
    const serial = makeRun(script, tuple, database, { ...SEES_ALL, order: some, serial: true });
    const { state, value, read } = differences(script, tuple, run, serial);
    // Instances that rolled back count as not having happened.
    const others = order.filter((each) => !some.includes(each));
    const alone = and(...others.map((each) => not(run.commits[each] ?? TRUE)));
    encoding.serial.push({ run: serial, alone });
    for (const [name, differs] of [
      [OTHER_STATE, state],
      [OTHER_VALUE, value],
      [OTHER_READ, read],
    ] as const)
      script.assert(imp(and(script.constant(name, "Bool"), alone), differs));
  }
}

/** The literal by which the final rows of a table, times aside, differ from those of all serial runs that were added. */
export function otherRows({ script, run, serial }: ProductEncoding, table: TupleTable): string {
  const literal = otherRowsName(table.id, serial.length);
  script.constant(literal, "Bool");
  for (const { run: other, alone } of serial)
    script.assert(imp(and(literal, alone), timelessDifference(table, run, other)));
  return literal;
}

/** The order and, if instances may roll back, its restrictions without some of these. */
function committing(
  { tuple, times }: ProductEncoding,
  order: readonly number[],
): readonly (readonly number[])[] {
  const mayAbort = (instance: number): boolean => {
    const aborts = tuple.transactions[instance]?.aborts;
    return times !== undefined && !(aborts?.kind === "bool" && !aborts.value);
  };
  return order
    .reduce<readonly (readonly number[])[]>(
      (all, each) => [...all.map((one) => [...one, each]), ...(mayAbort(each) ? all : [])],
      [[]],
    )
    .filter((some) => some.length > 0);
}

function passingSteps(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  instance: number,
): readonly Smt[] {
  const passing: Smt[] = [];
  for (const access of tuple.accesses[instance] ?? []) {
    const row = run.done[instance]?.[access.operation.index]?.row;
    if (!row || !access.skips) continue;
    const kept = run.state(access, "snapshot", EXISTS, row).value;
    passing[access.operation.step] = script.name(and(run.exec(access), kept), "Bool");
  }
  return passing;
}

function executedSteps(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  instance: number,
): readonly Smt[] {
  const steps = tuple.transactions[instance]?.steps;
  const part = tuple.parts[instance];
  if (steps)
    return steps.map(({ guard }, step) => {
      const isOwn = !part || (step >= part.from && step < part.to);
      return isOwn ? script.name(isTrue(run.value(instance, guard)), "Bool") : FALSE;
    });
  const executed: Smt[] = [];
  for (const access of tuple.accesses[instance] ?? []) {
    const { step } = access.operation;
    executed[step] = script.name(or(executed[step] ?? FALSE, run.exec(access)), "Bool");
  }
  return executed;
}
