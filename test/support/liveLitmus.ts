// Litmus programs on real servers: statement after statement in every interleaving, or in a sample of them. Whether a
// statement waits is what the server says of its locks, so that a schedule does not depend on time.
import type { ProductLevel } from "../../server/src/isolation/levels";
import { hasDeadlock, type LiveServer } from "../../server/src/replay/servers/liveServer";
import {
  conditionParts,
  outcomeText,
  type Litmus,
  type LitmusStatement,
} from "../unit/store/litmus";
import type { LiveSession, StatementResult } from "../../server/src/replay/servers/liveSession";

export interface LiveOutcomes {
  /** Outcomes of the runs in which every transaction committed, as `runText` has them. */
  readonly outcomes: ReadonlySet<string>;
  /** Interleavings that were run, those in which the server aborted a transaction included. */
  readonly runs: number;
  readonly aborted: number;
  /** Statements that waited for a lock, over all runs. */
  readonly waits: number;
  /** Every interleaving was run. */
  readonly complete: boolean;
}

/** A database with the litmus' table, and as many sessions as a program has transactions at most. */
export interface LiveStage {
  readonly server: LiveServer;
  readonly admin: LiveSession;
  readonly sessions: readonly LiveSession[];
  close(): Promise<void>;
}

const SESSIONS = 4;
/** Milliseconds between two questions who waits. */
const PAUSE = 1;

/** Opens the sessions and makes the table. */
export async function openStage(server: LiveServer): Promise<LiveStage> {
  const admin = await server.open();
  if (server.product === "mariadb") await must(admin, "CREATE DATABASE IF NOT EXISTS litmus");
  const use = server.product === "mariadb" ? ["USE litmus"] : [];
  const engine = server.product === "mariadb" ? " ENGINE = InnoDB" : "";
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => server.open()));
  for (const each of [admin, ...sessions]) for (const sql of use) await must(each, sql);
  await must(admin, "DROP TABLE IF EXISTS t");
  await must(admin, `CREATE TABLE t (id int PRIMARY KEY, v int)${engine}`);
  const close = async (): Promise<void> => {
    for (const each of [admin, ...sessions]) await each.close();
  };
  return { server, admin, sessions, close };
}

/**
 * Runs a litmus program, each transaction at its level. All interleavings, depth first, where there are at most `most`;
 * else so many that `choose` picks: it gets a number and returns a smaller one.
 */
export async function runLive(
  stage: LiveStage,
  litmus: Litmus,
  levels: readonly ProductLevel[],
  options: { readonly most: number; readonly choose: (below: number) => number },
): Promise<LiveOutcomes> {
  const outcomes = new Set<string>();
  let [runs, aborted, waits] = [0, 0, 0];
  const play = async (turn: (ready: number) => number): Promise<void> => {
    const result = await runOnce(stage, litmus, levels, turn);
    runs += 1;
    waits += result.waits;
    if (result.outcome === undefined) aborted += 1;
    else outcomes.add(result.outcome);
  };
  // Which of those that were ready went on, and how many they were.
  let path: { taken: number; of: number }[] = [];
  let [complete, strayed] = [false, false];
  while (runs < options.most && !complete) {
    const prefix = path;
    path = [];
    await play((ready) => {
      const wanted = prefix[path.length]?.taken ?? 0;
      // Whom a server rolls back in a deadlock may differ from run to run.
      if (wanted >= ready) strayed = true;
      const taken = Math.min(wanted, ready - 1);
      path.push({ taken, of: ready });
      return taken;
    });
    while (path.length > 0 && (path.at(-1)?.taken ?? 0) + 1 >= (path.at(-1)?.of ?? 0)) path.pop();
    const last = path.pop();
    if (last === undefined) complete = true;
    else path.push({ ...last, taken: last.taken + 1 });
    // Too many for all of them: those at the beginning are much alike.
    if (runs === 1 && interleavings(litmus) > options.most) break;
  }
  while (runs < options.most && !complete) await play(options.choose);
  return { outcomes, runs, aborted, waits, complete: complete && !strayed };
}

interface Player {
  readonly name: string;
  readonly session: LiveSession;
  readonly statements: readonly LitmusStatement[];
  readonly registers: Map<string, number>;
  next: number;
  /** A statement that has not been answered. */
  pending: Promise<void> | undefined;
  ended: "committed" | "rolled back" | "aborted" | undefined;
}

/** One run; `turn` chooses among the players that are ready. No outcome when the server aborted a transaction. */
async function runOnce(
  { server, admin, sessions }: LiveStage,
  litmus: Litmus,
  levels: readonly ProductLevel[],
  turn: (ready: number) => number,
): Promise<{ readonly outcome: string | undefined; readonly waits: number }> {
  await must(admin, "DELETE FROM t");
  if (server.product === "postgres")
    await must(admin, "ALTER TABLE t DROP CONSTRAINT IF EXISTS t_v_key");
  if (litmus.key !== undefined)
    await must(
      admin,
      `ALTER TABLE t ADD CONSTRAINT t_v_key UNIQUE (v) DEFERRABLE INITIALLY ${litmus.key}`,
    );
  const rows = Object.entries(litmus.initial).map(([id, v]) => `(${id}, ${v})`);
  if (rows.length > 0) await must(admin, `INSERT INTO t (id, v) VALUES ${rows.join(", ")}`);
  const players = litmus.transactions.flatMap((statements, at): Player[] => {
    const session = sessions[at];
    if (session === undefined) return [];
    const name = `T${String(at + 1)}`;
    return [
      {
        name,
        session,
        statements,
        registers: new Map(),
        next: 0,
        pending: undefined,
        ended: undefined,
      },
    ];
  });
  for (const [at, { session }] of players.entries()) {
    const level = levels[at % levels.length];
    if (level !== undefined) for (const sql of server.begin(level)) await must(session, sql);
  }
  let waits = 0;
  for (;;) {
    const ready = players.filter((each) => each.ended === undefined && each.pending === undefined);
    if (ready.length === 0) {
      if (players.every((each) => each.ended !== undefined)) break;
      await Promise.race(players.flatMap((each) => each.pending ?? []));
      continue;
    }
    const player = ready[turn(ready.length)];
    if (player === undefined) throw new Error("the turn was given to nobody");
    player.pending = step(server, player).finally(() => {
      player.pending = undefined;
    });
    await settled(server, players);
    if (player.pending !== undefined) waits += 1;
  }
  if (players.some((each) => each.ended === "aborted")) return { outcome: undefined, waits };
  const final = await must(admin, "SELECT id, v FROM t");
  const registers = players.flatMap((each) =>
    [...each.registers].map(([name, value]): [string, number] => [`${each.name}.${name}`, value]),
  );
  const left = final.map(({ id, v }): [string, number] => [String(id), Number(v)]);
  return { outcome: outcomeText(registers, left), waits };
}

/** Until everybody has been answered or waits for a lock, and nobody for each other. */
async function settled(server: LiveServer, players: readonly Player[]): Promise<void> {
  for (;;) {
    const pending = players.filter((each) => each.pending !== undefined);
    if (pending.length === 0) return;
    const turn = new Promise((resolve) => setTimeout(resolve, PAUSE));
    await Promise.race([turn, ...pending.flatMap((each) => each.pending ?? [])]);
    const open = players.filter((each) => each.pending !== undefined);
    if (open.length === 0) return;
    const waits = await server.waits();
    // Answers that came meanwhile count: what the server says is of a moment before them.
    const still = players.filter((each) => each.pending !== undefined);
    const allWait =
      still.length === open.length && still.every(({ session }) => waits.has(session.id));
    if (allWait && !hasDeadlock(waits)) return;
  }
}

async function step(server: LiveServer, player: Player): Promise<void> {
  const { session, statements, registers } = player;
  const statement = statements[player.next];
  player.next += 1;
  if (statement === undefined) {
    const result = await session.execute("COMMIT");
    player.ended = result.ok ? "committed" : "aborted";
    return;
  }
  if (statement.when !== undefined && !holds(statement.when, registers)) {
    if (statement.into !== undefined) registers.set(statement.into, 0);
    return;
  }
  if (statement.sql === "ROLLBACK") {
    await session.execute("ROLLBACK");
    player.ended = "rolled back";
    return;
  }
  const result = await session.execute(textFor(server, statement.sql, registers));
  if (!result.ok) {
    await session.execute("ROLLBACK");
    player.ended = "aborted";
    return;
  }
  if (statement.into !== undefined)
    registers.set(statement.into, registerOf(statement.as ?? "", result));
}

function registerOf(what: string, result: Extract<StatementResult, { ok: true }>): number {
  const values = result.rows.map((row) => Number(row["v"]));
  switch (what) {
    case "value of v, -1 if no row":
      return values[0] ?? -1;
    case "sum of v":
      return values.reduce((sum, each) => sum + each, 0);
    case "number of rows":
      return result.rows.length;
    case "affected rows":
      return result.affected;
    default:
      throw new Error(`a register of an unknown kind: ${what}`);
  }
}

/** The statement in the server's words, with the registers' values. */
function textFor(
  { product }: LiveServer,
  sql: string,
  registers: ReadonlyMap<string, number>,
): string {
  const text = sql.replace(/:(\w+)/g, (_, name: string) => String(registers.get(name) ?? 0));
  if (product === "postgres") return text;
  return text
    .replace(/ FOR SHARE$/, " LOCK IN SHARE MODE")
    .replace(/^INSERT (.*) ON CONFLICT( \(id\))? DO NOTHING$/, "INSERT IGNORE $1")
    .replace(/ ON CONFLICT \(id\) DO UPDATE SET v = t\.v/, " ON DUPLICATE KEY UPDATE v = v");
}

function holds(when: string, registers: ReadonlyMap<string, number>): boolean {
  const { register, below } = conditionParts(when);
  return (registers.get(register) ?? 0) < below;
}

/** How many orders of all statements and commits there are, waiting aside. */
function interleavings({ transactions }: Litmus): number {
  let [count, placed] = [1, 0];
  for (const { length } of transactions)
    for (let nth = 1; nth <= length + 1; nth += 1) {
      placed += 1;
      count = (count * placed) / nth;
    }
  return count;
}

async function must(
  session: LiveSession,
  sql: string,
): Promise<Extract<StatementResult, { ok: true }>["rows"]> {
  const result = await session.execute(sql);
  if (!result.ok) throw new Error(`${sql}: ${result.message} (${result.code})`);
  return result.rows;
}
