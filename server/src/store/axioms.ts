// The store's own check that a run's visibility and arbitration satisfy a paper's level. Order of steps is arbitration;
// visibility is what the steps' `sees` list, plus earlier steps of the same instance.
import type { Axiom, PaperLevel } from "../isolation/levels";
import { COMMITTED, type Run } from "./runRecord";
import { rowName } from "./recorder";

/** An executed statement of a committed instance. */
interface Event {
  readonly name: string;
  readonly instance: string;
  readonly step: number;
  /** Rows written, empty for pure reads. */
  readonly rows: ReadonlySet<string>;
  /** Names of visible writing statements of other committed instances. */
  readonly sees: ReadonlySet<string>;
}

/** The first of the level's axioms (isolation/levels.ts) that the run violates, in words; undefined when it is allowed. */
export function violatedAxiom(level: PaperLevel, run: Run): string | undefined {
  const events = eventsOf(run);
  for (const axiom of level.axioms) {
    const violation = AXIOMS[axiom](events);
    if (violation !== undefined) return `${level.label} forbids this: ${violation}`;
  }
  return undefined;
}

function eventsOf(run: Run): readonly Event[] {
  const names = run.steps.map((step) => `${step.instance}.${step.statement}`);
  const rowsAt = run.steps.map(() => new Set<string>());
  for (const write of run.writes) rowsAt[write.step]?.add(rowName(write.table, write.key));
  const written = new Map(names.map((name, step) => [name, (rowsAt[step]?.size ?? 0) > 0]));
  return run.steps.flatMap((step, index) => {
    if (typeof step.statement !== "number" || run.status[step.instance] !== COMMITTED) return [];
    const own = `${step.instance}.`;
    const sees = step.sees.filter((name) => written.get(name) === true && !name.startsWith(own));
    return [
      {
        name: names[index] ?? "",
        instance: step.instance,
        step: index,
        rows: rowsAt[index] ?? new Set<string>(),
        sees: new Set(sees),
      },
    ];
  });
}

const AXIOMS: Readonly<Record<Axiom, (events: readonly Event[]) => string | undefined>> = {
  atomic: (events) => interleaved(events) ?? tornVisibility(events),
  monotonic: (events) =>
    first(events, (q, later) =>
      q.instance === later.instance && q.step < later.step
        ? missing(later, q.sees, "its transaction has seen it before")
        : undefined,
    ),
  repeatable: (events) =>
    first(events, (q, other) =>
      q.instance === other.instance
        ? missing(other, q.sees, `${q.name} of the same transaction sees it`)
        : undefined,
    ),
  causal: (events) =>
    first(events, (b, q) => {
      if (!q.sees.has(b.name)) return undefined;
      const before = events.filter((each) => each.instance === b.instance && each.step <= b.step);
      for (const each of before) {
        const seen = [...each.sees].filter((name) => !name.startsWith(`${q.instance}.`));
        if (each !== b && each.rows.size > 0) seen.push(each.name);
        const problem = missing(q, new Set(seen), `${b.name}, which it sees, comes after it`);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }),
  prefix: (events) =>
    first(events, (b, q) => {
      if (!q.sees.has(b.name)) return undefined;
      const earlier = writersBefore(events, b.step, q.instance);
      return missing(q, earlier, `${b.name}, which it sees, is arbitrated later`);
    }),
  noConflict: (events) =>
    first(events, (a, b) => {
      const conflict = [...a.rows].some((row) => b.rows.has(row));
      return conflict && a.step < b.step && a.instance !== b.instance
        ? missing(b, new Set([a.name]), "both write the same row")
        : undefined;
    }),
  total: (events) =>
    first(events, (q, same) =>
      q === same
        ? missing(q, writersBefore(events, q.step, q.instance), "it is arbitrated before")
        : undefined,
    ),
};

/** Arbitration must not interleave the statements of two transactions. */
function interleaved(events: readonly Event[]): string | undefined {
  const last = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const before = last.get(event.instance);
    if (before !== undefined && before !== index - 1)
      return `the statements of ${event.instance} are not arbitrated together`;
    last.set(event.instance, index);
  }
  return undefined;
}

/** Who sees one write of a transaction sees all of them. */
function tornVisibility(events: readonly Event[]): string | undefined {
  return first(events, (w, q) => {
    if (w.rows.size === 0 || !q.sees.has(w.name)) return undefined;
    const all = events.filter((each) => each.instance === w.instance && each.rows.size > 0);
    return missing(q, new Set(all.map((each) => each.name)), `it sees ${w.name}`);
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
