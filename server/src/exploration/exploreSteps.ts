// Explores levels at which all read from one copy of the database: a run is an order of steps (`sequences.ts`), each of
// which reads what is there. Of all orders that do the same only the smallest is gone on with, and beginnings of smallest
// orders are smallest, so nothing has to be remembered to meet every history once.
import type { Reply, Request } from "./client";
import type { Work } from "./exploration";
import { startAll, settled } from "./exploreCausal";
import type { Finished, Ground, Steps } from "./exploreCausal";
import { INITIAL, OWN } from "./history";
import type { TransactionId } from "./history";
import { Log, ended, openTransaction, writesOf } from "./log";
import type { OpenTransaction } from "./log";
import { isSmallest } from "./sequences";
import type { Step } from "./sequences";
import { readsOf, stepsOfTransaction } from "./stepsOf";
import type { SnapshotLevel } from "./stepsOf";
import type { Point } from "./unfolding";

/** A finished run and its steps. */
export interface FinishedSteps extends Finished {
  readonly steps: readonly Step[];
}

/**
 * Runs the first history that begins with these sessions' steps, and hands on the beginnings of others. Undefined where
 * all that begins so was met elsewhere. Among `n` steps of `s` sessions each costs at most `s` runs of a transaction, and
 * as many searches for a smaller order.
 */
export function* runSteps(
  ground: Ground,
  level: SnapshotLevel,
  work: readonly number[],
  more: (work: Work) => void,
): Steps<FinishedSteps | undefined> {
  const timeline = new Timeline(ground, level, yield* startAll(ground));
  const way: number[] = [];
  for (;;) {
    const given = work[way.length];
    const sessions = given === undefined ? timeline.waiting() : [given];
    const possible: Move[] = [];
    for (const session of sessions) {
      const move = yield* timeline.attempt(session);
      if (move === undefined) continue;
      if (given !== undefined || isSmallest([...timeline.steps, move.step])) possible.push(move);
    }
    const [chosen, ...others] = possible;
    if (chosen === undefined) break;
    for (const { step } of others.reverse()) more({ kind: "steps", steps: [...way, step.session] });
    way.push(chosen.step.session);
    timeline.take(chosen);
  }
  if (timeline.waiting().length > 0 || !isSmallest(timeline.steps, true)) return undefined;
  return timeline.finished();
}

/** What a session would do next. */
interface Move {
  readonly step: Step;
  readonly open: OpenTransaction;
  readonly point: Point;
  /** The commit waits: it is a step of its own. */
  readonly held: boolean;
  readonly ending: Parameters<typeof ended>[1] | undefined;
}

const DONE: Reply = { kind: "done" };

/** The one copy, and where the sessions are. */
class Timeline {
  readonly steps: Step[] = [];
  private readonly log: Log;
  private readonly last = new Map<string, TransactionId>();
  private readonly held = new Map<number, OpenTransaction>();

  constructor(
    private readonly ground: Ground,
    private readonly level: SnapshotLevel,
    private readonly points: Point[],
  ) {
    this.log = new Log(ground.client.initial);
  }

  /** Sessions that are not at their end; those whose commit waits come first. */
  waiting(): readonly number[] {
    const sessions = this.points.flatMap((point, session) =>
      point.request === undefined ? [] : [session],
    );
    return [
      ...sessions.filter((session) => this.held.has(session)),
      ...sessions.filter((session) => !this.held.has(session)),
    ];
  }

  /** What the session would do; undefined if it may not go on now. Changes nothing. */
  *attempt(session: number): Steps<Move | undefined> {
    const point = this.points[session];
    if (point?.request === undefined) return undefined;
    const held = this.held.get(session);
    return held === undefined ? yield* this.begin(point) : yield* this.commit(point, held);
  }

  take({ step, open, point, held, ending }: Move): void {
    this.steps.push(step);
    this.points[step.session] = point;
    if (held) {
      this.held.set(step.session, open);
      return;
    }
    this.held.delete(step.session);
    if (ending === undefined) return;
    const transaction = ended(open, ending);
    this.log.add(transaction);
    for (const key of writesOf(transaction).keys()) {
      this.last.set(key, transaction.id);
      this.ground.universe.wrote(key);
    }
  }

  finished(): FinishedSteps {
    const problems = this.points.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    return { history: this.log.history(), problems, points: this.points, steps: this.steps };
  }

  private *commit(point: Point, open: OpenTransaction): Steps<Move> {
    const { request } = point;
    const result = request?.kind === "commit" ? request.result : undefined;
    const next = yield* settled(this.ground.unfolding.answer(point, DONE));
    return {
      step: {
        session: point.session,
        transaction: open.id,
        reads: [],
        commits: [...open.writes.keys()],
        holds: [],
        first: false,
        last: true,
      },
      open,
      point: next,
      held: false,
      ending: { status: "committed", ...(result !== undefined && { result }) },
    };
  }

  /** Runs a transaction on what is there now. */
  private *begin(begin: Point): Steps<Move | undefined> {
    const { unfolding } = this.ground;
    const name = begin.request?.kind === "begin" ? begin.request.name : undefined;
    const open = openTransaction(begin.session, begin.begun, name);
    let point = yield* settled(unfolding.answer(begin, DONE));
    let request: Request | undefined;
    while ((request = point.request) !== undefined) {
      if (request.kind === "commit" || request.kind === "abort") break;
      point = yield* settled(unfolding.answer(point, this.answerTo(open, request)));
    }
    const commits = request?.kind === "commit" ? [...open.writes.keys()] : [];
    const [step, commit] = stepsOfTransaction(open, readsOf(open) ?? [], commits, this.level);
    if (step.holds.some((key) => this.isHeld(key))) return undefined;
    const held = commit !== undefined;
    if (held) return { step, open, point, held, ending: undefined };
    if (request === undefined) {
      const failure = point.problem?.message ?? "ended";
      return { step, open, point, held, ending: { status: "aborted", failure } };
    }
    const result = request.kind === "commit" || request.kind === "abort" ? request.result : null;
    const status = request.kind === "commit" ? "committed" : "aborted";
    return {
      step,
      open,
      point: yield* settled(unfolding.answer(point, DONE)),
      held,
      ending: { status, ...(result !== undefined && { result }) },
    };
  }

  private isHeld(key: string): boolean {
    for (const open of this.held.values()) if (open.writes.has(key)) return true;
    return false;
  }

  private answerTo(open: OpenTransaction, request: Request): Reply {
    if (request.kind === "write") {
      open.events.push({ kind: "write", key: request.key, value: request.value });
      open.writes.set(request.key, request.value);
      return DONE;
    }
    if (request.kind !== "read") return DONE;
    if (request.continues !== true) open.statement++;
    return {
      kind: "values",
      values: new Map(
        this.ground.universe.keysOf(request).map((key) => {
          const from = open.writes.has(key) ? OWN : (this.last.get(key) ?? INITIAL);
          open.events.push({ kind: "read", key, from, statement: open.statement });
          return [key, this.log.value(open, key, from)];
        }),
      ),
    };
  }
}
