// Runs in which the server ends a transaction for what others do at the same time: instances that wait for each other in
// a ring (a deadlock), or one that meets a row which has changed since its snapshot (a serialization failure).
import type { Program } from "../program/program";
import type { Statement, StatementId } from "../program/statement";
import type { ScheduleStep } from "../protocol/witness";
import type { Setup } from "./execution";
import { NotExecutable, REFUSALS } from "./failure";
import { freshValues } from "./freshValues";
import { requireValidArguments, requireValidRows } from "./initialState";
import { initialRows } from "./row";
import type { Run } from "./runRecord";
import {
  advance,
  nextStatement,
  pendingStatement,
  runOf,
  startServer,
  type Event,
  type LevelOf,
  type Server,
  type Session,
} from "./server";

/** A statement that an instance comes to: the `nth` time, from 1, that it runs this one. */
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
  /** The lock that it waits for, where that has a name: `rowName` of a row. */
  readonly wants?: string;
  /** The number of steps that the run had when it began to wait. */
  readonly at: number;
}

/** A run in which the server ended one instance. */
export interface RefusedRun {
  readonly run: Run;
  readonly schedule: readonly ScheduleStep[];
  readonly waits: readonly Wait[];
  readonly victim: string;
  /** Its statement that was refused. */
  readonly refused: Wait;
  /** The SQLSTATE, as the product has it. */
  readonly code: string;
}

/**
 * The run in which the instances come to these statements one after the other and then all go on; undefined where the
 * server ends none of them for a deadlock in it, or where one waits or ends before.
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
    return course.refusal?.code === REFUSALS.deadlock ? ended(course) : undefined;
  });
}

/**
 * The run in which one instance comes to a statement, another begins and changes the row, and the first meets that: the
 * server ends whoever has the older snapshot. Undefined where it ends none.
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
    return course.refusal?.code === REFUSALS.changedRow ? ended(course) : undefined;
  });
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

/** Lets an instance run until it has executed the statement; false where it waits or ends before, or others end. */
function comeTo(course: Course, { instance, statement, nth }: Reached): boolean {
  const isIt = (each: Server["steps"][number]): boolean =>
    each.instance === instance && each.source?.id === statement;
  while (course.server.steps.filter(isIt).length < nth) {
    if (course.refusal || !isReady(course, instance)) return false;
    go(course, instance);
  }
  return !course.refusal && isReady(course, instance);
}

/** Lets an instance make one step. */
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
    const refused =
      course.waits.findLast(({ instance }) => instance === event.instance) ??
      (own?.instance === event.instance ? own : undefined);
    if (refused) course.refusal = { victim: event.instance, refused, code: event.failure.code };
  }
}

/** All others go on to their ends. */
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
