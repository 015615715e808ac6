// `npm run conformance`: the scenarios of the Hermitage project on every server that can be started or is named, statement
// by statement, beside what was recorded. Prints whether each anomaly happens per level, and every answer that differs.
//
//   npm run conformance -- [--server URL]... [--only REGEX]
import process from "node:process";
import { parseArgs } from "node:util";
import { replayServer } from "../../server/src/cli/replayArguments";
import { addressOf, connectTo } from "../../server/src/replay/servers/address";
import type { LiveServer } from "../../server/src/replay/servers/liveServer";
import { must } from "../../server/src/replay/stage";
import { serverFor } from "../support/liveServers";
import { readHermitage, type HermitageRun, type HermitageStep } from "../unit/store/hermitageData";
import { productOf } from "../unit/store/programs";
import type { LiveSession, StatementResult } from "../../server/src/replay/servers/liveSession";

interface Actor {
  readonly session: LiveSession;
  /** Statements that were sent and not answered, the one at hand included. */
  waiting: number;
  done: Promise<void>;
  /** The server ended its transaction. */
  isOver: boolean;
}

const { values: options } = parseArgs({
  options: { server: { type: "string", multiple: true }, only: { type: "string", default: "" } },
});
const PAUSE = 10;
const DATABASE = "isolens_conformance";
const sums = { scenarios: 0, differences: 0 };

main().then(
  () => process.exit(sums.differences > 0 ? 1 : 0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);

async function main(): Promise<void> {
  for (const written of options.server ?? []) {
    const wanted = replayServer(written);
    if (typeof wanted === "string" || wanted.kind !== "url")
      throw new Error(`--server: a URL is needed, as postgres://user@host:port/database`);
    const server = await connectTo(wanted.product, addressOf(wanted.url, wanted.product));
    await runAll(server).finally(() => server.close());
  }
  if (options.server === undefined)
    for (const product of ["postgres", "mariadb"] as const) {
      const temporary = await serverFor(product, {
        diagnostic: (message) => {
          console.log(message);
        },
      });
      if (temporary) await runAll(temporary.server).finally(() => temporary.stop());
    }
  console.log(
    `${String(sums.scenarios)} scenarios, ${String(sums.differences)} answers that differ`,
  );
}

async function runAll(server: LiveServer): Promise<void> {
  const recorded = readHermitage(server.product).filter(({ name }) =>
    new RegExp(options.only).test(name),
  );
  const levels = [...new Set(recorded.map(({ level }) => level))];
  const width = Math.max(...levels.map((level) => level.length)) + 2;
  console.log(`${server.version}\n${["", ...levels].map((each) => each.padEnd(width)).join("")}`);
  const differences: string[] = [];
  for (const name of new Set(recorded.map((each) => each.name))) {
    const cells = [name];
    for (const level of levels) {
      const scenario = recorded.find((each) => each.name === name && each.level === level);
      const found = scenario ? await runScenario(server, scenario) : [];
      sums.scenarios += scenario ? 1 : 0;
      sums.differences += found.length;
      differences.push(...found.map((each) => `${name} at ${level}: ${each}`));
      const verdict = scenario?.anomaly === true ? "yes" : "no";
      cells.push(!scenario ? "" : found.length > 0 ? "differs" : verdict);
    }
    console.log(cells.map((each) => each.padEnd(width)).join(""));
  }
  for (const each of differences) console.log(`  ${each}`);
}

/** The answers that differ from the recorded ones. */
async function runScenario(server: LiveServer, recorded: HermitageRun): Promise<readonly string[]> {
  const isMariadb = server.product === "mariadb";
  const admin = await server.open();
  const kind = isMariadb ? "DATABASE" : "SCHEMA";
  const enter = isMariadb ? `USE ${DATABASE}` : `SET search_path = ${DATABASE}`;
  await must(admin, `CREATE ${kind} ${DATABASE}`);
  const actors = new Map<string, Actor>();
  try {
    await must(admin, enter);
    await must(
      admin,
      `CREATE TABLE test (id int PRIMARY KEY, value int)${isMariadb ? " ENGINE = InnoDB" : ""}`,
    );
    await must(admin, "INSERT INTO test (id, value) VALUES (1, 10), (2, 20)");
    for (const name of new Set(recorded.steps.map(({ session }) => session))) {
      const session = await server.open();
      actors.set(name, { session, waiting: 0, done: Promise.resolve(), isOver: false });
      await must(session, enter);
      if (name === "c") continue;
      for (const sql of server.begin(productOf(recorded.level))) await must(session, sql);
    }
    return await play(server, actors, recorded);
  } finally {
    for (const { session } of actors.values()) await server.kill(session);
    await must(admin, `DROP ${kind} ${DATABASE}${isMariadb ? "" : " CASCADE"}`);
    await admin.close();
  }
}

async function play(
  server: LiveServer,
  actors: ReadonlyMap<string, Actor>,
  { name, steps }: HermitageRun,
): Promise<readonly string[]> {
  const differences: string[] = [];
  // Whom PostgreSQL rolls back depends on whose timer is the first.
  const isTimed = name === "Deadlock" && server.product === "postgres";
  for (const step of steps) {
    const actor = actors.get(step.session);
    if (!actor || step.skipped === true || actor.isOver) continue;
    const isLate = actor.waiting > 0;
    actor.waiting += 1;
    actor.done = actor.done.then(async () => {
      const result = actor.isOver ? undefined : await actor.session.execute(step.sql);
      actor.waiting -= 1;
      if (!result) return;
      if (!result.ok) actor.isOver = true;
      const found = answerText(result, step);
      const expected = expectedText(step);
      if (found !== expected && !isTimed)
        differences.push(`T${step.session} ${step.sql}: ${found}, recorded ${expected}`);
    });
    const isBlocked = await settle(server, actors, actor);
    if (!isLate && !isTimed && isBlocked !== (step.blocked === true))
      differences.push(`T${step.session} ${step.sql}: ${isBlocked ? "waits" : "does not wait"}`);
  }
  await Promise.all([...actors.values()].map(({ done }) => done));
  return differences;
}

/** Asks until the actor has answered or waits for a lock, and the others have gone on as far as they can. */
async function settle(
  server: LiveServer,
  actors: ReadonlyMap<string, Actor>,
  actor: Actor,
): Promise<boolean> {
  let before: ReadonlySet<number> = new Set();
  for (;;) {
    // A deadlock is a wait for a moment only: who waits is asked twice.
    const now = new Set((await server.waits()).keys());
    const waits = new Set([...now].filter((id) => before.has(id)));
    before = now;
    const isSettled = ({ waiting, session }: Actor): boolean =>
      waiting === 0 || waits.has(session.id);
    if ([...actors.values()].every(isSettled)) return actor.waiting > 0;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

function answerText(result: StatementResult, step: HermitageStep): string {
  if (!result.ok) return `error ${result.code}`;
  if (step.rows !== undefined || result.rows.length > 0)
    return result.rows.map((row) => Object.values(row).map(String).join("=>")).join(" ");
  return step.affected === undefined ? "ok" : `${String(result.affected)} rows`;
}

function expectedText({ rows, affected, error }: HermitageStep): string {
  if (error !== undefined) return `error ${error.split(" ")[0] ?? error}`;
  return rows ?? (affected === undefined ? "ok" : `${String(affected)} rows`);
}
