// One copy of the database, and sessions that take steps on it: whole transactions at serializability, snapshots and
// commits at snapshot isolation and prefix consistency.
import type { Reply, Request } from "./client";
import { settled } from "./ground";
import type { Finished, Ground, Steps } from "./ground";
import { INITIAL, OWN } from "./history";
import type { TransactionId } from "./history";
import { Log, ended, openTransaction, writesOf } from "./log";
import type { OpenTransaction } from "./log";
import type { Step } from "./sequences";
import { readsOf, stepsOfTransaction } from "./stepsOf";
import type { SnapshotLevel } from "./stepsOf";
import type { Point } from "./unfolding";

/** What a session would do next. */
export interface Move {
  readonly step: Step;
  readonly open: OpenTransaction;
  readonly point: Point;
  /** The commit waits: it is a step of its own. */
  readonly held: boolean;
  readonly ending: Parameters<typeof ended>[1] | undefined;
}

const DONE: Reply = { kind: "done" };

/** The one copy, and where the sessions are. */
export class Timeline {
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

  finished(): Finished {
    const problems = this.points.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    return { history: this.log.history(), problems, steps: this.steps };
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
