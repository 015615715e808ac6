// One copy of the database, and sessions that act on it step by step, by `copyRules.ts`.
import type { Key, Reply, Value } from "./client";
import type { CopyRules } from "./copyRules";
import { awaitValue } from "./ground";
import type { FinalRun, Ground, Steps } from "./ground";
import { INITIAL } from "./history";
import type { TransactionId } from "./history";
import { Log, endTransaction, openTransaction, writesOf } from "./log";
import { Moment } from "./moment";
import type { Copy, Move, Running, Snapshot } from "./moment";
import type { Step } from "./sequences";
import type { Point } from "./unfolding";

const DONE: Reply = { kind: "done" };

export class Timeline {
  private readonly taken: Step[] = [];
  private readonly log: Log;
  private readonly last = new Map<Key, TransactionId>();
  private readonly running = new Map<number, Running>();
  /** Snapshots of finished transactions. */
  private readonly past: Snapshot[] = [];

  constructor(
    private readonly ground: Ground,
    private readonly rules: CopyRules,
    private readonly points: Point[],
  ) {
    this.log = new Log(ground.client.initial);
  }

  /** Unfinished sessions; those with an open transaction come first. */
  waiting(): readonly number[] {
    const sessions = this.points.flatMap((point, session) =>
      point.request === undefined ? [] : [session],
    );
    return [
      ...sessions.filter((session) => this.running.has(session)),
      ...sessions.filter((session) => !this.running.has(session)),
    ];
  }

  /** The next step of the session; undefined if it must wait, or cannot continue at this level. Changes nothing. */
  *attempt(session: number): Steps<Move | undefined> {
    const { unfolding } = this.ground;
    const at = this.points[session];
    if (at?.request === undefined) return undefined;
    const before = this.running.get(session);
    const name = at.request.kind === "begin" ? at.request.name : undefined;
    const open =
      before === undefined
        ? openTransaction(session, at.begun, name)
        : { ...before.open, events: [...before.open.events], writes: new Map(before.open.writes) };
    const { holds = new Set<Key>(), snapshot } = before ?? {};
    const moment = new Moment(this.copy(), { open, holds, snapshot }, before === undefined);
    let point = before === undefined ? yield* awaitValue(unfolding.answer(at, DONE)) : at;
    for (;;) {
      const { request } = point;
      if (request === undefined) {
        const failure = point.problem?.message ?? "ended";
        return moment.move(point, { status: "aborted", failure });
      }
      if (moment.isOver(request))
        return moment.reserve() ? moment.move(point, undefined) : undefined;
      if (request.kind === "commit" || request.kind === "abort") {
        const status = request.kind === "commit" ? "committed" : "aborted";
        const result: { readonly result?: Value } =
          request.result === undefined ? {} : { result: request.result };
        return moment.move(yield* awaitValue(unfolding.answer(point, DONE)), { status, ...result });
      }
      const reply = moment.answer(request);
      if (reply === undefined) return undefined;
      point = yield* awaitValue(unfolding.answer(point, reply));
    }
  }

  take({ step, running, point, ending }: Move): void {
    this.taken.push(step);
    this.points[step.session] = point;
    if (ending === undefined) {
      this.running.set(step.session, running);
      return;
    }
    this.running.delete(step.session);
    if (running.snapshot !== undefined) this.past.push(running.snapshot);
    const transaction = endTransaction(running.open, ending);
    this.log.add(transaction);
    for (const key of writesOf(transaction).keys()) {
      this.last.set(key, transaction.id);
      this.ground.universe.wrote(key);
    }
  }

  /**
   * The steps so far, and that of a move. The requirements on a snapshot are attached to the step that took it; a snapshot still in use
   * must not differ in anything.
   */
  steps(move?: Move): readonly Step[] {
    const steps = move === undefined ? [...this.taken] : [...this.taken, move.step];
    if (this.rules.moment !== "statement") return steps;
    const over = [...this.past];
    const inUse: Snapshot[] = [];
    for (const { snapshot, open } of this.running.values())
      if (snapshot !== undefined && open.session !== move?.step.session) inUse.push(snapshot);
    const moved = move?.running.snapshot;
    if (moved !== undefined) (move?.ending === undefined ? inUse : over).push(moved);
    for (const { at, reads, compared } of over) demand(steps, at, reads, compared);
    const written = [...new Set([...this.last.keys(), ...(move?.step.commits ?? [])])];
    for (const { at, versions, compared } of inUse) {
      const all = new Map(written.map((key) => [key, versions.get(key) ?? INITIAL]));
      demand(steps, at, all, compared);
    }
    return steps;
  }

  finished(): FinalRun {
    const problems = this.points.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    return { history: this.log.history(), problems, points: this.points, steps: this.steps() };
  }

  private copy(): Copy {
    const { rules, last, ground, log, running } = this;
    return {
      rules,
      last,
      now: this.taken.length,
      isHeld: (key, session) => {
        for (const other of running.values())
          if (other.open.session !== session && other.holds.has(key)) return true;
        return false;
      },
      value: (reader, key, from) => log.value(reader, key, from),
      keysOf: (request) => ground.universe.keysOf(request),
    };
  }
}

/** Adds the requirements on a snapshot to the step that took it. */
function demand(
  steps: Step[],
  at: number,
  reads: ReadonlyMap<Key, TransactionId>,
  remembers: ReadonlySet<Key>,
): void {
  const step = steps[at];
  if (step === undefined) return;
  const all = new Map(step.reads.map(({ key, from }) => [key, from]));
  for (const [key, from] of reads) all.set(key, from);
  steps[at] = {
    ...step,
    reads: [...all].map(([key, from]) => ({ key, from })),
    remembers: [...remembers],
  };
}
