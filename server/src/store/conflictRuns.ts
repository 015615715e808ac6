// Runs in which the server aborts a transaction because of concurrent ones: instances that wait for each other in a cycle (a deadlock),
// one that meets a row that changed since its snapshot (a serialization failure), or one whose key another one took since it looked.
import { ERRORS } from "../program/errors";
import type { Program } from "../program/program";
import type { Statement, StatementId } from "../program/statement";
import type { ScheduleStep } from "../protocol/witness";
import type { Setup } from "./execution";
import { NotExecutable, REFUSALS } from "./failure";
import { freshValues } from "./freshValues";
import { lossBefore } from "./losses";
import { requireValidArguments, requireValidRows } from "./initialState";
import { initialRows } from "./row";
import { runEveryOrder } from "./run";
import type { Run } from "./runRecord";
import {
  advance,
  nextStatement,
  pendingStatement,
  runOf,
  startServer,
  type Event,
  type LevelOf,
} from "./server";
import type { Server, Session } from "./serverState";
import { brokenBy } from "./totals";

/** A statement that an instance reaches for the `nth` time, from 1. */
export interface Reached {
  readonly instance: string;
  readonly statement: StatementId;
  readonly nth: number;
}

/** A statement that waits for others. */
export interface Wait {
  readonly instance: string;
  /** 1-based among the executed statements of the instance. */
  readonly number: number;
  readonly statement: Statement;
  readonly holders: readonly string[];
  /** The wanted lock, if it has a name: `rowName` for a row. */
  readonly wants?: string;
  /** The number of steps that the run had when it began to wait. */
  readonly at: number;
}

/** A run in which the server aborts one instance. */
export interface RefusedRun {
  readonly run: Run;
  readonly schedule: readonly ScheduleStep[];
  readonly waits: readonly Wait[];
  readonly victim: string;
  /** The refused statement. */
  readonly refused: Wait;
  /** The product's SQLSTATE. */
  readonly code: string;
}

/**
 * The run in which the instances reach these statements one after the other and then all continue; undefined if the server aborts none of
 * them for a deadlock, or if one waits or ends earlier.
 */
export function runToDeadlock(
  program: Program,
  levelOf: LevelOf,
  setup: Setup,
  holds: readonly Reached[],
): RefusedRun | undefined {
  return guarded(() => {
    const course = begin(program, levelOf, setup);
    for (const hold of holds) if (!comeTo(course, hold)) return undefined;
    for (const { instance } of holds) while (!course.refusal && isReady(course, instance)) go(course, instance); // prettier-ignore
    if (course.refusal?.code !== REFUSALS.deadlock) return undefined;
    return isUnderstood(program, setup, course) ? ended(course) : undefined;
  });
}

/**
 * The run in which one instance reaches a statement, another begins and changes the row, and the first meets the change: the server aborts
 * the one with the older snapshot. Undefined if it aborts none.
 */
export function runToConflict(
  program: Program,
  levelOf: LevelOf,
  setup: Setup,
  { holds, meets }: { readonly holds: Reached; readonly meets: string },
): RefusedRun | undefined {
  return guarded(() => {
    const course = begin(program, levelOf, setup);
    if (!comeTo(course, holds)) return undefined;
    while (!course.refusal && isReady(course, meets)) go(course, meets);
    while (!course.refusal && isReady(course, holds.instance)) go(course, holds.instance);
    if (course.refusal?.code !== REFUSALS.changedRow) return undefined;
    return isUnderstood(program, setup, course) ? ended(course) : undefined;
  });
}

/**
 * The run in which one instance is about to insert, or has just looked for what it inserts, another inserts the same key, and the server
 * refuses the first one's row. Undefined if it does not, or if it refuses a key as well where the instances run one after the other.
 */
export function runToDuplicate(
  program: Program,
  levelOf: LevelOf,
  setup: Setup,
  {
    meets,
    looks,
    takes,
  }: { readonly meets: Reached; readonly looks: Reached; readonly takes: Reached },
): RefusedRun | undefined {
  const from = (pause: (course: Course) => boolean): RefusedRun | undefined =>
    guarded(() => {
      const course = begin(program, levelOf, setup);
      if (!pause(course) || !comeTo(course, takes)) return undefined;
      for (const { instance } of [meets, takes, meets])
        while (!course.refusal && isReady(course, instance)) go(course, instance);
      if (course.refusal?.code !== ERRORS.duplicate) return undefined;
      if (course.refusal.victim !== meets.instance) return undefined;
      if (!isUnderstood(program, setup, course) || refusesInOrder(program, setup)) return undefined;
      return ended(course);
    });
  // Behind its own changes the first may hold a lock that the other waits for.
  return from((course) => comeBefore(course, meets)) ?? from((course) => comeTo(course, looks));
}

/** True if a key is refused where the instances run one after the other, in some order. */
function refusesInOrder(program: Program, setup: Setup): boolean {
  const names = setup.instances.map(({ instance }) => instance);
  return runEveryOrder(program, setup, names, freshValues(setup)).some(({ run }) =>
    run.steps.some(({ why }) => why?.startsWith(ERRORS.duplicate)),
  );
}

interface Course {
  readonly server: Server;
  readonly schedule: ScheduleStep[];
  readonly waits: Wait[];
  refusal: { readonly victim: string; readonly refused: Wait; readonly code: string } | undefined;
}

function guarded(run: () => RefusedRun | undefined): RefusedRun | undefined {
  try {
    return run();
  } catch (problem) {
    if (problem instanceof NotExecutable) return undefined;
    throw problem;
  }
}

function begin(program: Program, levelOf: LevelOf, setup: Setup): Course {
  requireValidArguments(program, setup.instances);
  requireValidRows(program, initialRows(program.schema, setup.initial));
  const broken = brokenBy(program, setup.initial);
  if (broken) throw new NotExecutable(`the initial rows break the invariant "${broken.text}"`);
  const server = startServer(program, setup, levelOf, freshValues(setup));
  return { server, schedule: [], waits: [], refusal: undefined };
}

function sessionOf({ server }: Course, instance: string): Session | undefined {
  return server.sessions.get(instance);
}

function isReady(course: Course, instance: string): boolean {
  const session = sessionOf(course, instance);
  return session !== undefined && session.ended === undefined && session.waiting === undefined;
}

/** Runs an instance until it has executed the statement; false if it waits or ends earlier, or if others end. */
function comeTo(course: Course, { instance, statement, nth }: Reached): boolean {
  const isIt = (each: Server["steps"][number]): boolean =>
    each.instance === instance && each.source?.id === statement;
  while (course.server.steps.filter(isIt).length < nth) {
    if (course.refusal || !isReady(course, instance)) return false;
    go(course, instance);
  }
  return !course.refusal && isReady(course, instance);
}

/** Runs an instance until the statement is its next one; false if it waits or ends earlier. */
function comeBefore(course: Course, { instance, statement, nth }: Reached): boolean {
  const session = sessionOf(course, instance);
  for (let before = 1; session && isReady(course, instance); go(course, instance)) {
    if (pendingStatement(session)?.id !== statement) continue;
    if (before === nth) return true;
    before += 1;
  }
  return false;
}

/** Runs one step of an instance. */
function go(course: Course, instance: string): void {
  const { server, schedule, waits } = course;
  const session = sessionOf(course, instance);
  if (!session) return;
  const number = nextStatement(session);
  const statement = pendingStatement(session);
  schedule.push({ instance, statement: typeof number === "number" ? number : "commit", sees: [] });
  const at = server.steps.length;
  const events = advance(server, instance);
  const own = statement && typeof number === "number" && { instance, number, statement, at };
  const [first] = events;
  if (own && first?.kind === "waits")
    waits.push({ ...own, holders: first.holders, ...(first.wants && { wants: first.wants.name }) });
  noteRefusal(course, events, own ? { ...own, holders: [] } : undefined);
}

function noteRefusal(course: Course, events: readonly Event[], own: Wait | undefined): void {
  for (const event of events) {
    if (event.kind !== "aborted" || course.refusal) continue;
    const wait = course.waits.findLast(({ instance }) => instance === event.instance);
    // An earlier wait of it is over.
    const isOwn = own?.instance === event.instance && own.number !== wait?.number;
    const refused = isOwn ? own : wait;
    if (refused) course.refusal = { victim: event.instance, refused, code: event.failure.code };
  }
}

/** True if no instance passed a part that is not understood up to its last step. */
function isUnderstood(
  program: Program,
  { instances }: Setup,
  { server, refusal }: Course,
): boolean {
  return instances.every(({ instance, transaction }) => {
    const ran = server.steps.flatMap((step) =>
      step.instance === instance && step.source ? [step.source] : [],
    );
    const last = refusal?.victim === instance ? refusal.refused.statement : undefined;
    return lossBefore(program, transaction, last ? [...ran, last] : ran) === undefined;
  });
}

/** Runs all others to their ends. */
function ended(course: Course): RefusedRun | undefined {
  const { server, refusal } = course;
  const names = [...server.sessions.keys()];
  while (refusal) {
    const ready = names.find((name) => isReady(course, name));
    if (ready === undefined) break;
    go(course, ready);
  }
  if (!refusal || [...server.sessions.values()].some(({ ended: end }) => end === undefined))
    return undefined;
  const { schedule, waits } = course;
  return { run: runOf(server), schedule, waits, ...refusal };
}
