// The code of the sessions as trees: a session's next request is a function of its answers so far, so each piece of code runs once per
// sequence of answers, however many histories contain it. Only a bounded part of the trees is cached; the rest is re-run.
import { ofNode } from "../query/nodes";
import type { Client, Reply, Request, Session, Value } from "./client";
import { SESSION_SPAN, transactionId } from "./history";
import type { RunLimits, RunProblem } from "./exploration";

/** A place in a session's code: it waits for an answer, or has ended. */
export interface Point {
  readonly session: number;
  /** Undefined if the session has ended. */
  readonly request: Request | undefined;
  /** The reason for a premature end. */
  readonly problem?: RunProblem;
  /** The number of transactions begun by the session. */
  readonly begun: number;
  /** True if a transaction is open. */
  readonly open: boolean;
  /** The number of events in the open transaction. */
  readonly events: number;
  readonly parent: Point | undefined;
  /** The reply that led here from the parent. */
  readonly reply: Reply | undefined;
  readonly next: Map<string, Point>;
}

export interface Unfolding {
  /** The first request of a session. */
  start(session: number): Point | Promise<Point>;
  /** The session's point after a reply; the point must have a request. */
  answer(point: Point, reply: Reply): Point | Promise<Point>;
  /** Re-runs the path to this point, to check that the code is deterministic. */
  repeat(point: Point): void | Promise<void>;
  /** Deviations of re-run code, at most one per session. */
  readonly differences: () => readonly RunProblem[];
  /** The number of starts of code. */
  readonly starts: () => number;
}

const EVENTS = 10_000;
const TRANSACTIONS = 50;
/** Limit of cached points; a point with its request takes some hundred bytes. */
const KEPT = 50_000;
/** Turns of promises, or of the event loop, after which a session counts as stuck. */
const TURNS = 1_000;

/** Running code, and its position. */
interface Live {
  readonly resume: (reply: Reply) => Step | Promise<Step>;
  point: Point;
}

/** The result of resuming code. */
type Step =
  | { readonly kind: "asks"; readonly request: Request }
  | { readonly kind: "ends" }
  | { readonly kind: "thrown" | "stuck"; readonly message: string };

/** The trees of a client's sessions. */
export function unfold(client: Client, limits: RunLimits): Unfolding {
  const roots = new Map<number, Point>();
  const live = new Map<number, Live>();
  const differences = new Map<number, RunProblem>();
  let kept = 0;
  let starts = 0;

  function start(session: number): Point | Promise<Point> {
    const known = roots.get(session);
    if (known !== undefined) return known;
    return then(launch(session), ({ step, resume }) => {
      const point = pointAfter(undefined, undefined, step, session, limits);
      roots.set(session, point);
      live.set(session, { resume, point });
      return point;
    });
  }

  function answer(point: Point, reply: Reply): Point | Promise<Point> {
    const text = replyText(reply);
    const known = point.next.get(text);
    if (known !== undefined) return known;
    return then(standAt(point), (running) =>
      then(running.resume(reply), (step) => {
        const next = pointAfter(point, reply, step, point.session, limits);
        if (++kept > KEPT) forget();
        point.next.set(text, next);
        running.point = next;
        return next;
      }),
    );
  }

  /** Entries in use stay referenced; the garbage collector takes the rest. */
  function forget(): void {
    for (const root of roots.values()) root.next.clear();
    kept = 0;
  }

  /** Code that is at this point: the running one, or a re-run that was led here. */
  function standAt(point: Point): Live | Promise<Live> {
    const running = live.get(point.session);
    if (running?.point === point) return running;
    return then(follow(point), (result) => {
      note(point, result);
      const at: Live = { resume: result.resume, point };
      live.set(point.session, at);
      return at;
    });
  }

  function note({ session }: Point, { difference }: Followed): void {
    if (difference === undefined || differences.has(session)) return;
    differences.set(session, { session, kind: "not-deterministic", message: difference });
  }

  /** Starts the session's code and replays the answers on the path to the point. */
  function follow(point: Point): Followed | Promise<Followed> {
    const way: Point[] = [];
    for (let each: Point | undefined = point; each; each = each.parent) way.push(each);
    way.reverse();
    return then(launch(point.session), ({ step, resume }) => {
      const go = (at: number, came: Step): Followed | Promise<Followed> => {
        let step = came;
        for (let index = at; ; index++) {
          const expected = way[index];
          const difference = expected && differenceOf(expected, step);
          if (difference !== undefined) return { resume, difference };
          const reply = way[index + 1]?.reply;
          if (reply === undefined) return { resume };
          const next = resume(reply);
          if (next instanceof Promise) return next.then((later) => go(index + 1, later));
          step = next;
        }
      };
      return go(0, step);
    });
  }

  function launch(session: number): Launched | Promise<Launched> {
    starts++;
    const code = client.sessions[session];
    if (code === undefined) throw new Error(`there is no session ${session}`);
    return code.kind === "sync" ? launchSync(code) : launchAsync(code, limits);
  }

  return {
    start,
    answer,
    repeat: (point) => then(follow(point), (result) => note(point, result)),
    differences: () => [...differences.values()],
    starts: () => starts,
  };
}

interface Launched {
  readonly step: Step;
  readonly resume: Live["resume"];
}

interface Followed {
  readonly resume: Live["resume"];
  /** The deviation from the earlier run. */
  readonly difference?: string;
}

function launchSync(session: Extract<Session, { kind: "sync" }>): Launched {
  let code: Generator<Request, void, Reply>;
  const stepOf = (go: () => IteratorResult<Request, void>): Step => {
    try {
      const result = go();
      return result.done === true ? { kind: "ends" } : { kind: "asks", request: result.value };
    } catch (problem) {
      return { kind: "thrown", message: textOf(problem) };
    }
  };
  const step = stepOf(() => {
    code = session.run();
    return code.next();
  });
  return { step, resume: (reply) => stepOf(() => code.next(reply)) };
}

function launchAsync(
  session: Extract<Session, { kind: "async" }>,
  limits: RunLimits,
): Promise<Launched> {
  let asked: Request | undefined;
  let answered: ((reply: Reply) => void) | undefined;
  let ended: Step | undefined;
  const ask = (request: Request): Promise<Reply> => {
    if (asked !== undefined || ended !== undefined)
      ended ??= {
        kind: "thrown",
        message: `asked for ${request.kind} while the answer to an earlier request was not there yet: await each request before the next one.`,
      };
    asked = request;
    return new Promise((resolve) => (answered = resolve));
  };
  const wait = async (): Promise<Step> => {
    for (let turn = 0; asked === undefined && ended === undefined && turn < TURNS; turn++)
      await (turn < 50 || limits.turn === undefined ? undefined : limits.turn());
    if (ended !== undefined) return ended;
    if (asked !== undefined) return { kind: "asks", request: asked };
    return {
      kind: "stuck",
      message: "waits for something that is not the store, and that does not come.",
    };
  };
  (async () => session.run(ask))().then(
    () => (ended ??= { kind: "ends" }),
    (problem: unknown) => (ended ??= { kind: "thrown", message: textOf(problem) }),
  );
  const resume = (reply: Reply): Promise<Step> => {
    asked = undefined;
    answered?.(reply);
    return wait();
  };
  return wait().then((step) => ({ step, resume }));
}

function pointAfter(
  parent: Point | undefined,
  reply: Reply | undefined,
  step: Step,
  session: number,
  limits: RunLimits,
): Point {
  const was = parent?.request?.kind;
  const closed = was === "commit" || was === "abort" || reply?.kind === "failed";
  const begun = (parent?.begun ?? 0) + (was === "begin" ? 1 : 0);
  const open = was === "begin" || ((parent?.open ?? false) && !closed);
  const events = open && was !== "begin" ? (parent?.events ?? 0) + sizeOf(reply) : 0;
  const place = { session, begun, open, events, parent, reply, next: new Map<string, Point>() };
  const problem =
    step.kind === "asks"
      ? wrongRequest(step.request, open, begun, events, limits)
      : wrongEnd(step, open);
  if (problem === undefined)
    return { ...place, request: step.kind === "asks" ? step.request : undefined };
  const [kind, message] = problem;
  const transaction = transactionId(session, begun - 1);
  return {
    ...place,
    request: undefined,
    problem: { session, ...(open && { transaction }), kind, message },
  };
}

type Wrong = readonly [RunProblem["kind"], string];

function wrongEnd(step: Exclude<Step, { kind: "asks" }>, open: boolean): Wrong | undefined {
  if (step.kind !== "ends") return [step.kind, step.message];
  return open ? ["wrong-request", "ended without commit or abort."] : undefined;
}

function wrongRequest(
  request: Request,
  open: boolean,
  begun: number,
  events: number,
  limits: RunLimits,
): Wrong | undefined {
  const most = Math.min(limits.transactions ?? TRANSACTIONS, SESSION_SPAN - 1);
  if (request.kind === "begin") {
    if (open) return ["wrong-request", "began a transaction inside another one."];
    if (begun >= most)
      return ["too-many-transactions", `ran ${most} transactions and wants another one.`];
    return undefined;
  }
  if (!open) return ["wrong-request", `asked for ${request.kind} outside of a transaction.`];
  const limit = limits.events ?? EVENTS;
  if (events > limit)
    return ["too-many-events", `made more than ${limit} reads and writes in one transaction.`];
  return undefined;
}

function sizeOf(reply: Reply | undefined): number {
  return reply?.kind === "values" ? Math.max(1, reply.values.size) : 1;
}

/** The difference between the code's action and the earlier one at this point. */
function differenceOf(expected: Point, step: Step): string | undefined {
  const now =
    step.kind === "asks"
      ? requestText(step.request)
      : step.kind === "ends"
        ? "ended"
        : `${step.kind}: ${step.message}`;
  // A problem found by the store replaces the request that caused it.
  if (expected.problem !== undefined) return undefined;
  const before = expected.request === undefined ? "ended" : requestText(expected.request);
  return now === before
    ? undefined
    : `asked the same question twice and did something else the second time, although all answers were the same: first ${before}, then ${now}. Clocks, random numbers and variables outside of the session are the usual reasons.`;
}

function requestText(request: Request): string {
  switch (request.kind) {
    case "begin":
      return `begin ${request.name ?? ""}`;
    case "read":
      return `read ${[...request.keys, ...(request.scans ?? []).map((each) => `${each}*`)].join(", ")}`;
    case "write":
      return `write ${request.key} = ${valueText(request.value)}`;
    case "commit":
    case "abort":
      return `${request.kind} ${valueText(request.result)}`;
  }
}

function replyText(reply: Reply): string {
  switch (reply.kind) {
    case "done":
      return "";
    case "failed":
      return `! ${reply.code}`;
    case "values": {
      let text = "";
      for (const [key, value] of reply.values) text += `${key}\u0000${valueText(value)}\u0001`;
      return text;
    }
  }
}

const objectText = ofNode((value: object) => JSON.stringify(value));

/** A text that is equal exactly for equal values. */
export function valueText(value: Value): string {
  if (typeof value === "number") return String(Object.is(value, -0) ? "-0" : value);
  if (value === undefined) return "";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return objectText(value);
}

function textOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : String(problem);
}

/** Continues synchronously if nothing has to be awaited. */
function then<T, U>(value: T | Promise<T>, go: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(go) : go(value);
}
