// Runs the instances of a program in a given order of steps and tells what came out. A step of a script is a statement, a step
// of a routine goes from one gate to the next, and each commit is a step.
import { bound, callText, ROLLED_BACK, scriptsOf, type Call, type FuzzProgram } from "./program";
import type { Actor, Answer, Stage } from "./stage";

export interface RunOutcome {
  /** Instances that committed, by their place among the calls. */
  readonly committed: readonly number[];
  /** The rows at the end and what those that committed returned, as text. */
  readonly text: string;
  /** The errors of the others. */
  readonly failures: readonly string[];
  /** The instances in the order in which they were let go on. */
  readonly order: readonly number[];
}

/** Milliseconds after which a run is given up. */
const PATIENCE = 8000;
/** Interruptions, each after one more millisecond than the one before. */
const TRIES = 200;

export type Chooser = (ready: readonly number[]) => number;

/** One after the other; the others do not run. */
export function runSerially(
  stage: Stage,
  program: FuzzProgram,
  calls: readonly Call[],
  order: readonly number[],
): Promise<RunOutcome | undefined> {
  const first: Chooser = (ready) => order.find((each) => ready.includes(each)) ?? 0;
  return play(stage, program, calls, order, first);
}

/**
 * Runs those of the calls that are named, each step taken by whom the chooser picks. Undefined where the run did not end in
 * time.
 */
export async function run(
  stage: Stage,
  program: FuzzProgram,
  calls: readonly Call[],
  present: readonly number[],
  choose: Chooser,
): Promise<RunOutcome | undefined> {
  await stage.hold(calls.length);
  return play(stage, program, calls, present, choose);
}

async function play(
  stage: Stage,
  program: FuzzProgram,
  calls: readonly Call[],
  present: readonly number[],
  choose: Chooser,
): Promise<RunOutcome | undefined> {
  const actors = await stage.actors(calls.length);
  const players = [...present]
    .sort((a, b) => a - b)
    .map((at) => playerOf(stage, program, calls, actors, at));
  const order: number[] = [];
  const deadline = Date.now() + PATIENCE;
  try {
    for (;;) {
      const states = await settled(stage, players, calls.length, deadline);
      if (states === undefined) return undefined;
      const ready = players.filter((player, at) => !player.isDone() && states[at] === "ready");
      if (ready.length === 0) break;
      const chosen = choose(ready.map(({ at }) => at));
      const player = ready.find(({ at }) => at === chosen) ?? ready[0];
      if (player === undefined) break;
      order.push(player.at);
      await player.step();
    }
  } finally {
    await stage.letGo();
    await interrupt(stage, players);
    for (const player of players) await player.end();
    await stage.rest();
  }
  const committed = players.filter(
    (player) =>
      player.failure() === undefined && !player.returned().includes(`[${String(ROLLED_BACK)}]`),
  );
  const returned = committed.map((player) => [player.at, player.returned()]);
  return {
    committed: committed.map(({ at }) => at),
    text: `${await stage.state()} ${JSON.stringify(returned)}`,
    failures: players.flatMap((player) => player.failure() ?? []),
    order,
  };
}

/** Interrupts until nobody is busy: a routine may go on after its first interrupted statement. Rejects where one does not end. */
async function interrupt(stage: Stage, players: readonly Player[]): Promise<void> {
  for (let tries = 0; players.some((player) => player.isBusy()); tries += 1) {
    if (tries === TRIES) throw new Error("the server does not end a statement");
    await stage.interrupt();
    await new Promise((resolve) => setTimeout(resolve, tries));
  }
}

type PlayerState = "ready" | "blocked";

/** Waits until each instance stands at a gate, waits for a lock or has answered. */
async function settled(
  stage: Stage,
  players: readonly Player[],
  count: number,
  deadline: number,
): Promise<readonly PlayerState[] | undefined> {
  while (Date.now() < deadline) {
    if (players.every((player) => player.isDone())) return players.map(() => "ready");
    const busy = players.filter((player) => player.isBusy());
    if (busy.length === 0) return players.map(() => "ready");
    const activities = await stage.activities(count);
    const states = players.map((player): PlayerState | "runs" => {
      if (!player.isBusy()) return "ready";
      const activity = activities[player.at] ?? "runs";
      if (activity === "gate") return player.stand();
      return activity;
    });
    const isOpen = states.includes("runs");
    const canGoOn = players.some((player, at) => !player.isDone() && states[at] === "ready");
    if (!isOpen && canGoOn) return states.map((state) => (state === "ready" ? "ready" : "blocked"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

interface Player {
  readonly at: number;
  isBusy(): boolean;
  isDone(): boolean;
  /** It stands at a gate. */
  stand(): "ready";
  step(): Promise<void>;
  end(): Promise<void>;
  failure(): string | undefined;
  returned(): readonly unknown[];
}

function playerOf(
  stage: Stage,
  program: FuzzProgram,
  calls: readonly Call[],
  actors: readonly Actor[],
  at: number,
): Player {
  const call = calls[at];
  const actor = actors[at];
  if (call === undefined || actor === undefined) throw new Error("there is no such instance");
  const script = scriptsOf(program.text).find(({ name }) => name === call.name);
  const left = [
    ...(script
      ? script.statements.slice(1, -1).map((statement) => bound(statement, call))
      : stage.call(call)),
    "COMMIT",
  ];
  const returned: unknown[] = [];
  let failure: string | undefined;
  let pending: Promise<void> | undefined;
  let isAtGate = false;
  let isBegun = false;

  const fail = async ({ code, message }: Extract<Answer, { ok: false }>): Promise<void> => {
    failure = `${callText(call)}: ${code} ${message}`;
    left.splice(0, left.length);
    await actor.execute("ROLLBACK");
  };
  const send = async (sql: string): Promise<void> => {
    const answer = await actor.execute(sql);
    if (!answer.ok) return fail(answer);
    const isQuery = answer.rows.length > 0 || /^\(*\s*select/i.test(sql);
    if (isQuery) returned.push(rowsText(sql, answer.rows));
    // An application sees the variables of its session.
    const variable = /(?:\binto|^set) (@\w+)/i.exec(sql)?.[1];
    const value = variable === undefined ? undefined : await actor.execute(`SELECT ${variable}`);
    if (value?.ok === true) returned.push(rowsText("", value.rows));
  };

  return {
    at,
    isBusy: () => pending !== undefined,
    isDone: () => pending === undefined && left.length === 0,
    stand: () => {
      isAtGate = true;
      return "ready";
    },
    step: async () => {
      if (pending !== undefined) {
        if (isAtGate) {
          isAtGate = false;
          await stage.pass(at);
        }
        return;
      }
      if (!isBegun) {
        isBegun = true;
        for (const sql of stage.begin(program.level, script?.statements[0]))
          await actor.execute(sql);
      }
      const next = left.shift();
      if (next === undefined) return;
      pending = send(next).finally(() => {
        pending = undefined;
      });
      // A quick command has answered by the next turn.
      await Promise.race([pending, new Promise((resolve) => setTimeout(resolve, 1))]);
    },
    end: async () => {
      await pending;
      if (left.length > 0) {
        failure ??= "it was given up";
        await actor.execute("ROLLBACK");
      }
    },
    failure: () => failure,
    returned: () => returned,
  };
}

/** Rows without ORDER BY have no order. */
function rowsText(sql: string, rows: readonly object[]): string {
  const texts = rows.map((row) => JSON.stringify(Object.values(row)));
  return (/order by/i.test(sql) ? texts : [...texts].sort()).join("");
}
