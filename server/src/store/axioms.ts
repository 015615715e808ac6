// The store's own check that a run's visibility and arbitration satisfy a paper's level. Arbitration is the order of steps; visibility is
// the steps' `sees` lists, plus earlier steps of the same instance.
import { refutation } from "../isolation/evaluateFormula";
import type { FormulaHistory } from "../isolation/evaluateFormula";
import type { WrittenAxiom } from "../isolation/formula";
import { AXIOMS } from "../isolation/levels";
import type { Axiom, PaperLevel } from "../isolation/levels";
import { arePaired, labelOfLevels, paperLevelAt } from "../isolation/mixedLevels";
import type { Levels } from "../isolation/mixedLevels";
import type { Table } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import { COMMITTED, transactionAt, type Run } from "./runRecord";
import { uniqueKeysOf } from "./constraints";
import { rowName } from "./recorder";
import type { Write } from "./row";
import { renderValue } from "./value";

/** A key that a statement newly gave to a row. */
interface TakenKey {
  /** Table, columns and values. */
  readonly key: string;
  /** The row of a non-primary key, which another statement may give to the same row. */
  readonly row?: string;
}

/** An executed statement of a committed instance. */
interface Event {
  readonly name: string;
  /** Its transaction: a unit has several, which form a session. */
  readonly instance: string;
  readonly step: number;
  /** Rows written, empty for pure reads. */
  readonly rows: ReadonlySet<string>;
  /** Primary and unique keys that it gave to rows; with the row if others may give them to that row as well. */
  readonly taken: readonly TakenKey[];
  /** Names of visible writing statements of other committed instances. */
  readonly sees: ReadonlySet<string>;
}

/**
 * The first axiom of the levels (isolation/levels.ts) that the run violates, in words; undefined if the run is allowed. With mixed levels,
 * an axiom on what a statement sees is governed by its own transaction's level, one on two writers of a row by the later one's, and one
 * against interleaving by both; user-written axioms say themselves whom they concern.
 */
export function violatedAxiom(levels: Levels, run: Run): string | undefined {
  const transactions = new Map(
    run.machines.map((machine) => [machine.instance, machine.transaction.id]),
  );
  const idOf = (instance: string): string => transactions.get(sessionOf(instance)) ?? "";
  const levelOf = (instance: string): PaperLevel => paperLevelAt(levels, idOf(instance));
  const events = eventsOf(run);
  for (const axiom of AXIOMS) {
    const governs = (instance: string): boolean => levelOf(instance).axioms.includes(axiom);
    if (![...transactions.keys()].some(governs)) continue;
    const violation = CHECKS[axiom](events, governs);
    if (violation !== undefined) return `${labelOfLevels(levels)} forbids this: ${violation}`;
  }
  const own = [...transactions.keys()].flatMap((instance) => levelOf(instance).own ?? []);
  for (const axiom of new Map(own.map((each) => [each.text, each])).values()) {
    const governs = (instance: string): boolean =>
      (levelOf(instance).own ?? []).some(({ text }) => text === axiom.text);
    if (axiom.concerns.length === 0 && ![...transactions.keys()].every(governs)) continue;
    const violation = refused(axiom, events, governs);
    if (violation !== undefined) return `${labelOfLevels(levels)} forbids this: ${violation}`;
  }
  const paired = (a: string, b: string): boolean =>
    sessionOf(a) !== sessionOf(b) && arePaired(levels, idOf(a), idOf(b));
  const violation = interleaved(events, paired) ?? unserialized(events, paired);
  return violation && `the two are kept serializable: ${violation}`;
}

/** The instance part of a `transactionAt` name. */
function sessionOf(transaction: string): string {
  return transaction.replace(/\/\d+$/, "");
}

function eventsOf(run: Run): readonly Event[] {
  const names = run.steps.map((step) => `${step.instance}.${step.statement}`);
  const rowsAt = run.steps.map(() => new Set<string>());
  const takenAt = run.steps.map((): TakenKey[] => []);
  const tables = new Map(run.schema.tables.map((table) => [table.name, table]));
  for (const write of run.writes) {
    rowsAt[write.step]?.add(rowName(write.table, write.key));
    takenAt[write.step]?.push(...takenKeys(write, tables.get(write.table)));
  }
  const written = new Map(names.map((name, step) => [name, (rowsAt[step]?.size ?? 0) > 0]));
  return run.steps.flatMap((step, index) => {
    if (typeof step.statement !== "number" || ownEntry(run.status, step.instance) !== COMMITTED)
      return [];
    const own = `${step.instance}.`;
    const sees = step.sees.filter((name) => written.get(name) === true && !name.startsWith(own));
    // A session sees its own commits.
    const before = run.steps.flatMap((each, at) => {
      const name = names[at] ?? "";
      const isEarlier = each.instance === step.instance && each.part !== step.part && at < index;
      return isEarlier && written.get(name) === true ? [name] : [];
    });
    return [
      {
        name: names[index] ?? "",
        instance: transactionAt(step),
        step: index,
        rows: rowsAt[index] ?? new Set<string>(),
        taken: takenAt[index] ?? [],
        sees: new Set([...sees, ...before]),
      },
    ];
  });
}

/** The keys that a write gives to its row, without keys that contain NULL and partial keys. */
function takenKeys(write: Write, table: Table | undefined): readonly TakenKey[] {
  if (!table || write.alive !== true) return [];
  const { before } = write;
  const after = { ...before?.values, ...write.values };
  return uniqueKeysOf(table).flatMap(({ columns, where }): TakenKey[] => {
    const isKey = columns.every((column) => (ownEntry(after, column) ?? null) !== null);
    if (where !== undefined || !isKey) return [];
    const keyOf = (row: Write["values"]): string =>
      JSON.stringify([
        write.table,
        columns,
        columns.map((column) => renderValue(ownEntry(row, column) ?? null)),
      ]);
    const key = keyOf(after);
    if (before?.alive === true && keyOf(before.values) === key) return [];
    const isPrimary = columns.join() === table.primaryKey.join();
    return [{ key, ...(!isPrimary && { row: rowName(write.table, write.key) }) }];
  });
}

function writeSameRow(one: Event, other: Event): boolean {
  return [...one.rows].some((row) => other.rows.has(row));
}

/** True if both gave rows the same primary key, or two rows the same unique key. */
function takeSameKey(one: Event, other: Event): boolean {
  return one.taken.some(({ key, row }) =>
    other.taken.some((taken) => taken.key === key && (row === undefined || taken.row !== row)),
  );
}

/** True if an axiom holds for an instance. */
type Governs = (instance: string) => boolean;

const CHECKS: Readonly<
  Record<Axiom, (events: readonly Event[], governs: Governs) => string | undefined>
> = {
  atomicVisibility: tornVisibility,
  atomicArbitration: (events, governs) =>
    interleaved(events, (a, b) => a !== b && governs(a) && governs(b)),
  monotonic: (events, governs) =>
    first(events, (q, later) =>
      governs(q.instance) && q.instance === later.instance && q.step < later.step
        ? missing(later, q.sees, "its transaction has seen it before")
        : undefined,
    ),
  repeatable: (events, governs) =>
    first(events, (q, other) =>
      governs(q.instance) && q.instance === other.instance
        ? missing(other, q.sees, `${q.name} of the same transaction sees it`)
        : undefined,
    ),
  causal: (events, governs) =>
    first(events, (b, q) => {
      if (!governs(q.instance)) return undefined;
      const own = b.instance === q.instance && b.step < q.step;
      if (!own && !q.sees.has(b.name)) return undefined;
      const before = events.filter((each) => each.instance === b.instance && each.step <= b.step);
      const inside = new Set(
        events.filter((each) => each.instance === q.instance).map((each) => each.name),
      );
      for (const each of before) {
        const seen = [...each.sees].filter((name) => !inside.has(name));
        if (!own && each !== b && each.rows.size > 0) seen.push(each.name);
        const problem = missing(q, new Set(seen), `${b.name}, which it sees, comes after it`);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }),
  prefix: (events, governs) =>
    first(events, (b, q) => {
      if (!governs(q.instance) || !q.sees.has(b.name)) return undefined;
      const earlier = writersBefore(events, b.step, q.instance);
      return missing(q, earlier, `${b.name}, which it sees, is arbitrated later`);
    }),
  uniqueKeys: (events, governs) => conflict(events, governs, takeSameKey, "both take the same key"),
  noConflict: (events, governs) =>
    conflict(events, governs, writeSameRow, "both write the same row"),
  total: (events, governs) =>
    first(events, (q, same) =>
      q === same && governs(q.instance)
        ? missing(q, writersBefore(events, q.step, q.instance), "it is arbitrated before")
        : undefined,
    ),
};

/** The violation of a user-written axiom. Sessions are instances. */
function refused(
  axiom: WrittenAxiom,
  events: readonly Event[],
  governs: Governs,
): string | undefined {
  const at = (statement: number): Event => {
    const event = events[statement];
    if (event === undefined) throw new Error(`there is no statement ${String(statement)}`);
    return event;
  };
  const instances = [...new Set(events.map(({ instance }) => instance))];
  const history: FormulaHistory = {
    size: events.length,
    transactionOf: (a) => instances.indexOf(at(a).instance),
    programOrder: (a, b) => at(a).instance === at(b).instance && at(a).step < at(b).step,
    sessionOrder: (a, b) =>
      at(a).instance !== at(b).instance &&
      sessionOf(at(a).instance) === sessionOf(at(b).instance) &&
      at(a).step < at(b).step,
    arbitration: (a, b) => at(a).step < at(b).step,
    sees: (reader, writer) => at(reader).sees.has(at(writer).name),
    writes: (a) => at(a).rows.size > 0,
    conflict: (a, b) => writeSameRow(at(a), at(b)),
    sameKey: (a, b) => a !== b && takeSameKey(at(a), at(b)),
  };
  const found = refutation(axiom, history, (a) => governs(at(a).instance));
  if (found === undefined) return undefined;
  const named = [...found].map(([variable, a]) => `${variable} = ${at(a).name}`).join(", ");
  return `${axiom.text}${named === "" ? "" : ` does not hold for ${named}`}`;
}

/** The violation if the later of two conflicting instances does not see the earlier. */
function conflict(
  events: readonly Event[],
  governs: Governs,
  share: (a: Event, b: Event) => boolean,
  why: string,
): string | undefined {
  return first(events, (a, b) => {
    if (!governs(b.instance) || a.step >= b.step || a.instance === b.instance) return undefined;
    return share(a, b) ? missing(b, new Set([a.name]), why) : undefined;
  });
}

/** A relation between two different instances, by name. */
type Between = (a: string, b: string) => boolean;

/** The violation if arbitration interleaves the statements of two such instances. */
function interleaved(events: readonly Event[], apart: Between): string | undefined {
  for (const [index, event] of events.entries()) {
    const later = events.slice(index + 1);
    const back = later.findIndex((each) => each.instance === event.instance);
    const between = later.slice(0, Math.max(0, back));
    const other = between.find((each) => apart(event.instance, each.instance));
    if (other !== undefined)
      return `the statements of ${event.instance} and ${other.instance} are interleaved`;
  }
  return undefined;
}

/** The violation if the later of two such instances does not see all writes of the earlier. */
function unserialized(events: readonly Event[], paired: Between): string | undefined {
  return first(events, (w, q) =>
    w.rows.size > 0 && w.step < q.step && paired(w.instance, q.instance)
      ? missing(q, new Set([w.name]), "it comes before it")
      : undefined,
  );
}

/** The violation if some writes of a transaction are visible and others are not. */
function tornVisibility(events: readonly Event[], governs: Governs): string | undefined {
  return first(events, (w, q) => {
    if (!governs(q.instance) || w.rows.size === 0 || !q.sees.has(w.name)) return undefined;
    const all = events.filter((each) => each.instance === w.instance);
    const writes = all.filter((each) => each.rows.size > 0).map((each) => each.name);
    const late = all.find((each) => each.step > q.step);
    return (
      missing(q, new Set(writes), `it sees ${w.name}`) ??
      (late && `${q.name} sees ${w.name} before ${late.name} of the same transaction`)
    );
  });
}

function writersBefore(
  events: readonly Event[],
  step: number,
  instance: string,
): ReadonlySet<string> {
  return new Set(
    events
      .filter((each) => each.rows.size > 0 && each.step < step && each.instance !== instance)
      .map((each) => each.name),
  );
}

function missing(event: Event, wanted: ReadonlySet<string>, why: string): string | undefined {
  for (const name of wanted)
    if (!event.sees.has(name)) return `${event.name} does not see ${name}, although ${why}`;
  return undefined;
}

function first(
  events: readonly Event[],
  test: (a: Event, b: Event) => string | undefined,
): string | undefined {
  for (const a of events)
    for (const b of events) {
      const problem = test(a, b);
      if (problem !== undefined) return problem;
    }
  return undefined;
}
