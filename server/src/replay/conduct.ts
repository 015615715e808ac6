// Runs the instances of a witness on a server in the order of its schedule. Whether a session stands at a gate, waits
// for another one or has answered is what the server says; time only bounds how long it is asked.
import type { Step } from "../protocol/report";
import type { ProductLevel } from "../isolation/levels";
import type { Witness } from "../protocol/witness";
import type { Gates } from "./gates";
import type { Job } from "./jobs";
import type { ScriptRun } from "./scriptRun";
import type { LiveServer, LiveSession, StatementResult } from "./servers/liveServer";

/** What one instance came to. */
export interface InstanceEnd {
  readonly status: "committed" | "rolled back";
  /** Why it was rolled back: the server's code and words. */
  readonly reason?: string;
  /** The rows that it was given, statement by statement. */
  readonly returned: readonly string[];
}

export interface ObservedWait {
  readonly instance: string;
  readonly statement: number;
  readonly waitedFor: readonly string[];
}

export interface Conducted {
  readonly ends: ReadonlyMap<string, InstanceEnd>;
  readonly waits: readonly ObservedWait[];
  /** What the schedule wanted and the server did not let happen. */
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
}

type Standing =
  | { readonly kind: "answered" }
  | { readonly kind: "gate"; readonly number: number }
  | { readonly kind: "waits"; readonly for: readonly string[] };

/** Milliseconds between two questions, and for how long a session may do none of the three things. */
const PAUSE = 2;
const PATIENCE = 20_000;

export interface Cast {
  readonly server: LiveServer;
  readonly gates: Gates;
  readonly jobs: readonly Job[];
  /** In the order of `jobs`. */
  readonly sessions: readonly LiveSession[];
  readonly levelOf: (instance: string) => ProductLevel;
  readonly stopped: () => boolean;
}

/** Follows the schedule as far as the server goes along; every instance has ended afterwards. */
export async function conduct(
  cast: Cast,
  witness: Witness,
  steps: readonly Step[],
): Promise<Conducted> {
  const players = playersOf(cast);
  const waits: ObservedWait[] = [];
  let divergence: string | undefined;
  for (const player of players) {
    for (const sql of cast.gates.enter(player.number)) await player.session.execute(sql);
    await cast.gates.hold(player.number);
  }
  for (const { instance, statement } of witness.schedule) {
    if (cast.stopped()) divergence = "it was stopped";
    const player = players.find(({ name }) => name === instance);
    if (!player || player.ended || divergence !== undefined) continue;
    if (statement === "commit") divergence = await finish(cast, players, player);
    else {
      const step = steps.find((each) => each.instance === instance && each.statement === statement);
      divergence = await advance(cast, players, player, statement, step);
      const standing = await settle(cast, players, player);
      if (standing.kind === "waits") waits.push({ instance, statement, waitedFor: standing.for });
    }
  }
  await cast.gates.releaseAll();
  const ends = await endAll(cast, players);
  return { ends, waits, ...(divergence !== undefined && { divergence }) };
}

/** Runs the instances whole, one after the other. */
export async function conductSerially(
  cast: Pick<Cast, "server" | "jobs" | "sessions" | "levelOf">,
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
      start(player, job.sql);
      await player.pending;
    } else {
      while (player.failure === undefined && startNext(player)) await player.pending;
    }
    await end(player);
    ends.set(name, endOf(player.failure, player.returned));
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
  };
}

async function begin(cast: Pick<Cast, "server" | "levelOf">, player: Player): Promise<void> {
  if (player.begun) return;
  player.begun = true;
  for (const sql of cast.server.begin(cast.levelOf(player.name))) await player.session.execute(sql);
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
  const { statement, sql } = step;
  const { start: place } = statement.source.range;
  const from = expected?.range.start;
  if (from && (from.line !== place.line || from.character !== place.character)) return false;
  player.pending = (async () => {
    for (const [index, each] of sql.entries()) {
      const result = await player.session.execute(each);
      if (!result.ok) player.failure = `${result.code}: ${result.message}`;
      else if (index === sql.length - 1) {
        const isShown = player.script?.took(statement, result.rows, result.affected) ?? true;
        if (isShown && result.rows.length > 0) player.returned.push(JSON.stringify(result.rows));
      }
      if (!result.ok) break;
    }
    player.pending = undefined;
  })();
  return true;
}

/** Lets a player run its next statement; what is in the way if it does not come to it. */
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
    if (before.kind === "waits") return `${what} is not reached: ${waitText(player, before.for)}`;
    if (startNext(player, step)) return undefined;
    return `${what} is not reached: ${player.failure ?? "the script goes another way"}`;
  }
  if (!player.called) {
    player.called = true;
    start(player, job.sql);
  }
  const wanted = step && job.gateOf(step);
  const standing = await settle(cast, players, player);
  if (wanted === undefined || isBehind(player, wanted, standing)) return undefined;
  if (standing.kind === "waits") return `${what} is not reached: ${waitText(player, standing.for)}`;
  if (standing.kind === "answered") {
    return `${what} is not reached: ${player.failure ?? "the routine has ended without it"}`;
  }
  if (standing.number !== wanted) return `${name} runs another statement than the analysis expects`;
  player.lastGate = wanted;
  await cast.gates.release(player.number);
  return undefined;
}

/** Two reads of one statement of the routine have one gate: the second one is behind it already. */
function isBehind({ lastGate }: Player, wanted: number, standing: Standing): boolean {
  return lastGate === wanted && !(standing.kind === "gate" && standing.number === wanted);
}

function start(player: Player, sql: string): void {
  player.pending = player.session.execute(sql).then((result) => {
    player.failure = noted(result, player.returned);
    player.pending = undefined;
  });
}

function noted(result: StatementResult, returned: string[]): string | undefined {
  if (!result.ok) return `${result.code}: ${result.message}`;
  if (result.rows.length > 0) returned.push(JSON.stringify(result.rows));
  return undefined;
}

async function finish(
  cast: Cast,
  players: readonly Player[],
  player: Player,
): Promise<string | undefined> {
  let standing = await settle(cast, players, player);
  // What follows the last statement that the witness names reads and writes nothing.
  while (standing.kind === "gate") {
    await cast.gates.release(player.number);
    standing = await settle(cast, players, player);
  }
  if (standing.kind === "waits")
    return `${player.name} does not come to its end: ${waitText(player, standing.for)}`;
  if (player.script) {
    const rest = player.script.next();
    if (rest.kind === "statement") return `${player.name} has more to do than the analysis expects`;
    if (rest.kind === "stuck") player.failure ??= rest.reason;
    if (rest.kind === "end" && rest.sql === "ROLLBACK") player.failure ??= "it rolls itself back";
  }
  await end(player);
  return undefined;
}

async function end(player: Player): Promise<void> {
  player.ended = true;
  const result = await player.session.execute(player.failure === undefined ? "COMMIT" : "ROLLBACK");
  if (!result.ok) player.failure ??= `${result.code}: ${result.message}`;
}

/** Ends whoever has not ended, those first who wait for nobody. */
async function endAll(
  cast: Cast,
  players: readonly Player[],
): Promise<ReadonlyMap<string, InstanceEnd>> {
  for (let left = players; left.length > 0; left = left.filter(({ ended }) => !ended)) {
    for (const player of left) {
      const standing = await settle(cast, players, player);
      if (standing.kind === "waits") continue;
      if (player.begun) await end(player);
      player.ended = true;
    }
  }
  return new Map(
    players.map(({ name, failure, returned, begun }) => [
      name,
      endOf(begun ? failure : "it was not begun", returned),
    ]),
  );
}

function endOf(failure: string | undefined, returned: readonly string[]): InstanceEnd {
  return failure === undefined
    ? { status: "committed", returned }
    : { status: "rolled back", reason: failure, returned };
}

/** Asks the server until the player has answered, stands at a gate, or waits for another player. */
async function settle(
  { server, gates }: Cast,
  players: readonly Player[],
  player: Player,
): Promise<Standing> {
  for (let spent = 0; spent < PATIENCE; spent += PAUSE) {
    if (!player.pending) return { kind: "answered" };
    const gate = await gates.standsAt(player.session);
    if (gate !== undefined) return { kind: "gate", number: gate };
    const holders = (await server.waits()).get(player.session.id) ?? [];
    const others = players.filter(({ session }) => holders.includes(session.id));
    if (others.length > 0) return { kind: "waits", for: others.map(({ name }) => name) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error(`${player.name} neither answers nor waits for anyone`);
}

function waitText({ name }: Player, others: readonly string[]): string {
  return `${name} waits for ${others.join(" and ")}`;
}
