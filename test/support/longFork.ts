// Two PostgreSQL servers that replicate a table each to the other, and what transactions read on both sides before and
// after their writes have arrived.
import { checkHistory, type HistoryLevel } from "../../server/src/history/check";
import { startReading } from "../../server/src/history/formats/readHistory";
import { startPostgres, type TemporaryServer } from "../../server/src/replay/servers/temporary";
import { must } from "../../server/src/replay/stage";
import type { LiveSession } from "../../server/src/replay/servers/liveSession";

/** The reader's view of both tables. */
export interface Sight {
  readonly x: number;
  readonly y: number;
}

export interface LongFork {
  readonly ok: true;
  readonly version: string;
  /** Read at each side while neither write had arrived at the other one. */
  readonly sights: readonly [Sight, Sight];
  /** The same when both had. */
  readonly after: readonly [Sight, Sight];
  /** One reader has seen the first write alone, the other the second one. */
  readonly isLongFork: boolean;
  /** The history checker's verdicts on the four transactions. */
  readonly verdicts: ReadonlyMap<HistoryLevel, string>;
}

export type ForkResult =
  | LongFork
  /** `installed`: there is a PostgreSQL, and it did not start. */
  | { readonly ok: false; readonly installed: boolean; readonly reason: string };

/** Starts both servers, runs two writers and two readers, lets the writes arrive, and stops the servers. */
export async function showLongFork(): Promise<ForkResult> {
  const servers: TemporaryServer[] = [];
  try {
    for (let side = 0; side < 2; side++) {
      const started = await startPostgres(["wal_level=logical"]);
      if (!started.ok) return started;
      servers.push(started.temporary);
    }
    const [left, right] = servers;
    if (!left || !right) throw new Error("two servers were started");
    return await fork(left, right);
  } finally {
    for (const server of servers) await server.stop();
  }
}

async function fork(left: TemporaryServer, right: TemporaryServer): Promise<LongFork> {
  const [a, b] = [await left.server.open(), await right.server.open()];
  for (const [session, own] of [
    [a, "x"],
    [b, "y"],
  ] as const) {
    for (const table of ["x", "y"])
      await must(session, `CREATE TABLE ${table} (id int PRIMARY KEY, value int NOT NULL)`);
    await must(session, `INSERT INTO ${own} VALUES (1, 0)`);
    await must(session, `CREATE PUBLICATION own FOR TABLE ${own}`);
  }
  await must(a, subscription(right));
  await must(b, subscription(left));
  await eventually(a, b, ({ x, y }) => x === 0 && y === 0);

  // Nothing arrives from here on, so that the moment between a write and its arrival lasts.
  for (const session of [a, b]) await must(session, "ALTER SUBSCRIPTION other DISABLE");
  await must(a, "UPDATE x SET value = 1");
  await must(b, "UPDATE y SET value = 1");
  const sights = [await seen(a), await seen(b)] as const;
  for (const session of [a, b]) await must(session, "ALTER SUBSCRIPTION other ENABLE");
  const after = await eventually(a, b, ({ x, y }) => x === 1 && y === 1);
  for (const session of [a, b]) await must(session, "DROP SUBSCRIPTION other");
  const [one, other] = sights;
  return {
    ok: true,
    version: left.server.version,
    sights,
    after,
    isLongFork: one.x === 1 && one.y === 0 && other.x === 0 && other.y === 1,
    verdicts: verdictsOn(sights),
  };
}

function subscription({ address }: TemporaryServer): string {
  const { socket = "", user, database } = address;
  const connection = `host=${socket} user=${user} dbname=${database}`;
  return `CREATE SUBSCRIPTION other CONNECTION '${connection}' PUBLICATION own`;
}

/** Reads both tables in one transaction at REPEATABLE READ. */
async function seen(session: LiveSession): Promise<Sight> {
  await must(session, "BEGIN ISOLATION LEVEL REPEATABLE READ");
  const value = async (table: string): Promise<number> => {
    const [row] = await must(session, `SELECT value FROM ${table}`);
    return Number(row?.["value"] ?? -1);
  };
  const sight = { x: await value("x"), y: await value("y") };
  await must(session, "COMMIT");
  return sight;
}

/** Reads until both sides see what is waited for. Throws if that does not happen. */
async function eventually(
  a: LiveSession,
  b: LiveSession,
  isRight: (sight: Sight) => boolean,
): Promise<readonly [Sight, Sight]> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const sights = [await seen(a), await seen(b)] as const;
    if (sights.every(isRight)) return sights;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error("the servers do not replicate to each other");
}

const MOST_TRIES = 600;
/** Milliseconds. */
const PAUSE = 50;

function verdictsOn(sights: readonly Sight[]): ReadonlyMap<HistoryLevel, string> {
  const read = (key: string, value: number): unknown => ({ r: [key, value === 0 ? null : value] });
  const history = {
    format: "isolens-history",
    version: 1,
    sessions: [
      [{ id: "writes x", status: "committed", ops: [{ w: ["x", 1] }] }],
      [{ id: "writes y", status: "committed", ops: [{ w: ["y", 1] }] }],
      ...sights.map(({ x, y }, at) => [
        { id: `reader ${String(at + 1)}`, status: "committed", ops: [read("x", x), read("y", y)] },
      ]),
    ],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(history));
  const reading = startReading("json", bytes.length);
  reading.file("history");
  const fault = reading.feed(bytes) ?? reading.endFile();
  if (fault) throw new Error(fault.message);
  return checkHistory(reading.finish()).verdicts;
}

/** The events, line by line, for people. */
export function parallelForkText({
  version,
  sights,
  after,
  isLongFork,
  verdicts,
}: LongFork): readonly string[] {
  const line = (sight: Sight): string => `x = ${String(sight.x)}, y = ${String(sight.y)}`;
  const levels = [...verdicts].map(([level, verdict]) => `${level}: ${verdict}`).join(", ");
  return [
    `Two servers of ${version}; A owns x and replicates it to B, B owns y and replicates it to A.`,
    "T1 at A: UPDATE x SET value = 1, committed",
    "T2 at B: UPDATE y SET value = 1, committed",
    `T3 at A, REPEATABLE READ, before T2 has arrived: ${line(sights[0])}`,
    `T4 at B, REPEATABLE READ, before T1 has arrived: ${line(sights[1])}`,
    `when both have arrived: ${line(after[0])} at A, ${line(after[1])} at B`,
    isLongFork
      ? "A long fork: T3 saw T1 and not T2, T4 saw T2 and not T1."
      : "No long fork: the readers agree.",
    levels,
  ];
}
