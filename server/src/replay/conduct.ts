// Runs the instances of a witness on a server in schedule order. The server tells whether a session is at a gate, waits for another one or
// has answered; time only limits the polling.
import type { ProductLevel } from "../isolation/levels";
import { namedLevel } from "../program/declaredLevel";
import type { Step } from "../protocol/report";
import { reasonOf } from "../protocol/fault";
import type { Row, Witness } from "../protocol/witness";
import type { Gates } from "./gates";
import type { CallJob, Job } from "./jobs";
import type { ScriptRun } from "./scriptRun";
import { must } from "./stage";
import type { LiveServer } from "./servers/liveServer";
import type { LiveSession, StatementResult } from "./servers/liveSession";

/** The end of one instance. */
export interface InstanceEnd {
  readonly status: "committed" | "rolled back";
  /** The server's code and text for a rollback. */
  readonly reason?: string;
  /** The rows returned to it, statement by statement, as JSON. */
  readonly returned: readonly string[];
  /** The visible results of its queries: rows of scripts, variables of routines. */
  readonly seen: readonly string[];
}

export interface ObservedWait {
  readonly instance: string;
  readonly statement: number;
  readonly waitedFor: readonly string[];
  /** True if the witness expects this wait. */
  readonly isExpected: boolean;
}

export interface ConductResult {
  readonly ends: ReadonlyMap<string, InstanceEnd>;
  readonly waits: readonly ObservedWait[];
  /** The first step of the schedule that the server did not allow. */
  readonly divergence?: string;
}

interface Player {
  readonly name: string;
  readonly number: number;
  readonly job: Job;
  readonly script: ScriptRun | undefined;
  readonly session: LiveSession;
  pending: Promise<void> | undefined;
  begun: boolean;
  called: boolean;
  lastGate: number | undefined;
  failure: string | undefined;
  ended: boolean;
  readonly returned: string[];
  readonly seen: string[];
}

type Standing =
  | { readonly kind: "answered" }
  | { readonly kind: "gate"; readonly number: number }
  | { readonly kind: "waits"; readonly for: readonly string[] }
  /** The session shows no activity on the server. */
  | { readonly kind: "silent" };

/** Milliseconds between two polls, and the limit for a session that does none of the three things. */
const PAUSE = 2;
const PATIENCE = 20_000;

export interface Cast {
  readonly server: LiveServer;
  readonly gates: Gates;
  readonly jobs: readonly Job[];
  /** Sessions in the order of `jobs`. */
  readonly sessions: readonly LiveSession[];
  readonly levelOf: (instance: string) => ProductLevel;
  readonly stopped: () => boolean;
  /** True if a step only reads its snapshot. */
  readonly isPlainRead: (step: Step) => boolean;
}

/** Follows the schedule as far as the server allows; afterwards every instance has ended. */
export async function conduct(
  cast: Cast,
  witness: Witness,
  steps: readonly Step[],
): Promise<ConductResult> {
  const players = playersOf(cast);
  const waits: ObservedWait[] = [];
  let divergence: string | undefined;
  for (const player of players) {
    for (const sql of cast.gates.enter(player.number)) await must(player.session, sql);
    await cast.gates.hold(player.number);
  }
  for (const { instance, statement } of witness.schedule) {
    if (cast.stopped()) divergence = "it was stopped";
    if (divergence === undefined) await takeSnapshots(cast, players, steps);
    const player = players.find(({ name }) => name === instance);
    if (!player || player.ended || divergence !== undefined) continue;
    if (statement === "commit") divergence = await finish(cast, players, player);
    else {
      const step = steps.find((each) => each.instance === instance && each.statement === statement);
      divergence = await advance(cast, players, player, statement, step);
      if (divergence !== undefined) continue;
      const standing = await settle(cast, players, player);
      if (standing.kind === "waits") {
        const isExpected = step?.waitedFor !== undefined;
        waits.push({ instance, statement, waitedFor: standing.for, isExpected });
      }
    }
  }
  await cast.gates.releaseAll();
  const ends = await endAll(cast, players);
  return { ends, waits, ...(divergence !== undefined && { divergence }) };
}

/** Runs the instances serially. */
export async function conductSerially(
  cast: Cast,
  order: readonly string[],
): Promise<ReadonlyMap<string, InstanceEnd>> {
  const ends = new Map<string, InstanceEnd>();
  for (const name of order) {
    const at = cast.jobs.findIndex((job) => job.instance === name);
    const [job, session] = [cast.jobs[at], cast.sessions[at]];
    if (!job || !session) continue;
    const player = playerOf(job, session, at + 1);
    await begin(cast, player);
    if (job.kind === "call") {
      start(player, job);
      await player.pending;
    } else {
      while (player.failure === undefined && startNext(player)) await player.pending;
    }
    await end(cast, player);
    ends.set(name, endOf(player));
  }
  return ends;
}

function playersOf({ jobs, sessions }: Cast): readonly Player[] {
  return jobs.flatMap((job, index): Player[] => {
    const session = sessions[index];
    return session ? [playerOf(job, session, index + 1)] : [];
  });
}

function playerOf(job: Job, session: LiveSession, number: number): Player {
  return {
    name: job.instance,
    number,
    job,
    script: job.kind === "script" ? job.start() : undefined,
    session,
    pending: undefined,
    begun: false,
    called: false,
    lastGate: undefined,
    failure: undefined,
    ended: false,
    returned: [],
    seen: [],
  };
}

async function begin(cast: Cast, player: Player): Promise<void> {
  if (player.begun) return;
  player.begun = true;
  const { job, session } = player;
  const level = cast.levelOf(player.name);
  const beginning = job.isOwnTransaction ? cast.server.prepare(level) : cast.server.begin(level);
  for (const sql of [...cast.gates.listen, ...job.before, ...beginning]) await must(session, sql);
}

/** Begins the instances whose snapshot is taken by BEGIN, as soon as everything that they read has been committed. */
async function takeSnapshots(
  cast: Cast,
  players: readonly Player[],
  steps: readonly Step[],
): Promise<void> {
  for (const player of players) {
    if (player.begun || !namedLevel(cast.levelOf(player.name).name).isAtBegin) continue;
    const own = steps.filter((each) => each.instance === player.name && cast.isPlainRead(each));
    const writers = new Set(own.flatMap(({ reads }) => reads.map(({ writer }) => writer)));
    if (players.some((each) => each !== player && !each.ended && writers.has(each.name))) continue;
    await begin(cast, player);
    if (player.job.kind === "script" || player.called) continue;
    player.called = true;
    start(player, player.job);
    await settle(cast, players, player);
  }
}

/** Sends the script's next statement; false at its end. */
function startNext(player: Player, expected?: Step): boolean {
  const step = player.script?.next();
  if (!step || step.kind === "end") {
    if (step?.sql === "ROLLBACK") player.failure ??= "it rolls itself back";
    return false;
  }
  if (step.kind === "stuck") {
    player.failure = step.reason;
    return false;
  }
  if (step.kind === "part") {
    run(player, async () => {
      const result = await player.session.execute(step.sql);
      if (!result.ok) return textOf(result);
      player.script?.tookPart();
      return undefined;
    });
    return true;
  }
  const { statement, sql } = step;
  const { start: place } = statement.source.range;
  const from = expected?.range.start;
  if (from && (from.line !== place.line || from.character !== place.character)) return false;
  run(player, async () => {
    for (const each of sql.slice(0, -1)) {
      const prepared = await player.session.execute(each);
      if (!prepared.ok) return textOf(prepared);
    }
    const result = await player.session.execute(sql.at(-1) ?? "");
    if (!result.ok) return textOf(result);
    const rows = step.rowsAfter === undefined ? result.rows : await rowsOf(player, step.rowsAfter);
    const isShown = player.script?.took(statement, rows, result.affected) ?? true;
    const given = rows.map((row) => JSON.stringify(Object.values(row)));
    if (rows.length > 0) player.seen.push(JSON.stringify(given.sort()));
    if (isShown && rows.length > 0) player.returned.push(JSON.stringify(rows));
    return undefined;
  });
  return true;
}

/** Lets a player run its next statement; returns the obstacle if it cannot. */
async function advance(
  cast: Cast,
  players: readonly Player[],
  player: Player,
  statement: number,
  step: Step | undefined,
): Promise<string | undefined> {
  const { job, name } = player;
  const what = `statement ${String(statement)} of ${name}`;
  if (player.failure !== undefined) return `${what} is not reached: ${player.failure}`;
  await begin(cast, player);
  if (job.kind === "script") {
    const before = await settle(cast, players, player);
    if (before.kind !== "answered") return `${what} is not reached: ${waitText(player, before)}`;
    // The unit's remaining commands are in its next transaction.
    while (player.script?.next().kind === "part" && startNext(player)) await player.pending;
    if (startNext(player, step)) return undefined;
    return `${what} is not reached: ${player.failure ?? "the script goes another way"}`;
  }
  if (!player.called) {
    player.called = true;
    start(player, job);
  }
  const wanted = step && job.gateOf(step);
  const standing = await settle(cast, players, player);
  if (wanted === undefined || isBehind(player, wanted, standing)) return undefined;
  if (standing.kind === "answered") {
    return `${what} is not reached: ${player.failure ?? "the routine has ended without it"}`;
  }
  if (standing.kind !== "gate") return `${what} is not reached: ${waitText(player, standing)}`;
  if (standing.number !== wanted) return `${name} runs another statement than the analysis expects`;
  player.lastGate = wanted;
  await cast.gates.release(player.number);
  return undefined;
}

/** Two reads of one routine statement share a gate, which the second one has already passed. */
function isBehind({ lastGate }: Player, wanted: number, standing: Standing): boolean {
  return lastGate === wanted && !(standing.kind === "gate" && standing.number === wanted);
}

function start(player: Player, { sql, outputs }: CallJob): void {
  run(player, async () => {
    const result = await player.session.execute(sql);
    if (!result.ok) return textOf(result);
    const rows = outputs === undefined ? result.rows : await rowsOf(player, outputs);
    if (rows.length > 0) player.returned.push(JSON.stringify(rows));
    return undefined;
  });
}

/** Starts an action; its result is a failure, or undefined. */
function run(player: Player, action: () => Promise<string | undefined>): void {
  player.pending = action().then(
    (failure) => {
      if (failure !== undefined) player.failure = failure;
      player.pending = undefined;
    },
    (error: unknown) => {
      // The connection was lost.
      player.failure = reasonOf(error);
      player.pending = undefined;
    },
  );
}

function textOf(result: Extract<StatementResult, { ok: false }>): string {
  return `${result.code}: ${result.message}`;
}

async function rowsOf({ session }: Player, sql: string): Promise<readonly Row[]> {
  const result = await session.execute(sql);
  return result.ok ? result.rows : [];
}

async function finish(
  cast: Cast,
  players: readonly Player[],
  player: Player,
): Promise<string | undefined> {
  let standing = await settle(cast, players, player);
  // Statements after the witness's last one read and write nothing.
  while (standing.kind === "gate") {
    await cast.gates.release(player.number);
    standing = await settle(cast, players, player);
  }
  if (standing.kind !== "answered")
    return `${player.name} does not come to its end: ${waitText(player, standing)}`;
  if (player.script) {
    const rest = player.script.next();
    if (rest.kind === "part") {
      startNext(player);
      return undefined;
    }
    if (rest.kind === "statement") return `${player.name} has more to do than the analysis expects`;
    if (rest.kind === "stuck") player.failure ??= rest.reason;
    if (rest.kind === "end" && rest.sql === "ROLLBACK") player.failure ??= "it rolls itself back";
  }
  await end(cast, player);
  return undefined;
}

async function end({ gates }: Cast, player: Player): Promise<void> {
  player.ended = true;
  run(player, async () => {
    const sql = player.failure === undefined ? "COMMIT" : "ROLLBACK";
    const result = await player.session.execute(sql);
    if (!result.ok) return player.failure ?? textOf(result);
    // The results of a script's queries are known already.
    if (player.failure !== undefined || player.job.kind === "script") return player.failure;
    for (const { seen } of await rowsOf(player, gates.noted))
      if (typeof seen === "string") player.seen.push(...seen.split("\n").filter(Boolean));
    return undefined;
  });
  await player.pending;
}

/** Ends all remaining sessions, first those that wait for nobody. */
async function endAll(
  cast: Cast,
  players: readonly Player[],
): Promise<ReadonlyMap<string, InstanceEnd>> {
  let left = players;
  while (left.length > 0) {
    const before = left.length;
    for (const player of left) {
      const standing = await settle(cast, players, player);
      if (standing.kind === "silent") {
        player.failure ??= "it did not answer";
        await cast.server.kill(player.session);
        await player.pending;
        player.ended = true;
      }
      if (standing.kind !== "answered") continue;
      if (player.begun) await end(cast, player);
      player.ended = true;
    }
    left = left.filter(({ ended }) => !ended);
    // The server resolves a deadlock itself, after a while.
    if (left.length === before) await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return new Map(
    players.map((player) => {
      if (!player.begun) player.failure = "it was not begun";
      return [player.name, endOf(player)];
    }),
  );
}

function endOf({ failure, returned, seen }: Player): InstanceEnd {
  return failure === undefined
    ? { status: "committed", returned, seen }
    : { status: "rolled back", reason: failure, returned, seen };
}

/** Polls the server until the player has answered, is at a gate, or waits for another player. */
async function settle(
  { server, gates }: Cast,
  players: readonly Player[],
  player: Player,
): Promise<Standing> {
  const until = Date.now() + PATIENCE;
  while (player.pending && Date.now() < until) {
    const gate = await gates.standsAt(player.number, player.session);
    if (gate !== undefined) return { kind: "gate", number: gate };
    const holders = (await server.waits()).get(player.session.id);
    const others = players.filter(({ session }) => holders?.includes(session.id));
    if (others.length > 0) return { kind: "waits", for: others.map(({ name }) => name) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return player.pending ? { kind: "silent" } : { kind: "answered" };
}

function waitText({ name }: Player, standing: Standing): string {
  if (standing.kind === "waits") return `${name} waits for ${standing.for.join(" and ")}`;
  return `${name} neither answers nor waits for another one`;
}
