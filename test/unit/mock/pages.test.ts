// ORDER BY key LIMIT n: rows are read in parts, in the order of an index. The answers are those of a whole read, few rows
// are read, and histories keep their level.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import pg from "pg";
import type { Key, Lookup, Reply, Value } from "../../../server/src/exploration/client";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import type { HistoryLevel } from "../../../server/src/history/check";
import { findLevel } from "../../../server/src/isolation/levels";
import { openStore } from "../../../server/src/mock/openStore";
import { createMockStore } from "../../../server/src/mock/store/mockStore";

const ROWS = 500;
const SCHEMA = `CREATE TABLE item (id int PRIMARY KEY, rank numeric(6,1) NOT NULL, note text, maybe int);
CREATE INDEX item_rank ON item (rank);
CREATE INDEX item_maybe ON item (maybe);
INSERT INTO item SELECT x, (x * 7) % 90 + 0.5, 'n' || x % 10, nullif(x % 5, 0) FROM generate_series(1, ${ROWS}) x;`;

const QUERIES = [
  "SELECT id FROM item ORDER BY id LIMIT 5",
  "SELECT id FROM item ORDER BY id DESC LIMIT 5 OFFSET 3",
  "SELECT id FROM item WHERE id > 250 ORDER BY id LIMIT 7",
  "SELECT id FROM item WHERE id BETWEEN 20 AND 22 ORDER BY id LIMIT 70",
  "SELECT id FROM item WHERE id > 250 AND note = 'n3' ORDER BY id DESC LIMIT 30",
  "SELECT id, rank FROM item ORDER BY rank, id DESC LIMIT 9",
  "SELECT id, rank FROM item WHERE rank > 40.5 ORDER BY rank DESC, id LIMIT 4",
  "SELECT id FROM item WHERE note = 'nowhere' ORDER BY id LIMIT 1",
  "SELECT id, maybe FROM item ORDER BY maybe, id LIMIT 3",
  "SELECT id, maybe FROM item ORDER BY maybe DESC, id LIMIT 3",
  "SELECT id * 2 AS twice FROM item ORDER BY twice LIMIT 3",
  "SELECT id FROM item ORDER BY id LIMIT 0",
  "SELECT id FROM item ORDER BY id LIMIT NULL OFFSET 498",
];

async function served(
  level: string,
  body: (url: string, store: Awaited<ReturnType<typeof openStore>>) => Promise<void>,
): Promise<void> {
  const store = await openStore({ level, schema: SCHEMA, seed: 7 });
  try {
    await body(store.url, store);
  } finally {
    await store.close();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** The query over all rows at once, which no index orders. */
function whole(sql: string): string {
  return sql.replace(/FROM item (?!i )/u, "FROM (SELECT * FROM item OFFSET 0) item ");
}

describe("a part of the rows gives what all of them give", () => {
  for (const sql of QUERIES)
    test(sql, async () => {
      await served("postgres:read-committed", async (url) => {
        const client = await connected(url);
        const answers = async (): Promise<void> => {
          const [part, all] = [await client.query(sql), await client.query(whole(sql))];
          assert.deepEqual(part.rows, all.rows);
        };
        await answers();
        await client.query("BEGIN");
        await client.query("DELETE FROM item WHERE id < 100 OR id > 450");
        await client.query("UPDATE item SET rank = 1, id = id + 1000 WHERE id % 40 = 0");
        await client.query("SAVEPOINT one");
        await client.query("INSERT INTO item VALUES (0, 0.5, 'n3', null), (5000, 95, 'n3', 9)");
        await answers();
        await client.query("ROLLBACK");
        await answers();
        await client.end();
      });
    });
});

/** All of some ranks, or so many of them from one end. */
function ranked(count: number, side: "low" | "high"): Lookup {
  const orderOf = (version: Value): number | undefined =>
    typeof version === "number" ? version : undefined;
  const valueOf = (version: Value): string | undefined => (version === undefined ? undefined : "");
  const range = { orderOf, from: 2, to: 90, most: { count, side } };
  return { prefix: "a/", index: "a/@rank", value: "", valueOf, range };
}

test("the store reads so many keys from one end of a range, with all that have the last one's place", async () => {
  const level = findLevel("postgres:serializable");
  assert.ok(level?.family === "product");
  const ranks = [1, 2, 3, 4, 4, 4, 5, 90, 91];
  const initial = new Map<Key, Value>(ranks.map((rank, at) => [`a/${String(at)}`, rank]));
  const store = createMockStore({ level, initial, seed: 1, strategy: "latest" });
  const session = store.open();
  await session.ask({ kind: "begin" });
  const read = async (count: number, side: "low" | "high"): Promise<Reply> =>
    session.ask({ kind: "read", keys: [], lookups: [ranked(count, side)] });
  const low = await read(3, "low");
  assert.ok(low.kind === "values");
  assert.deepEqual([...low.values.values()], [2, 3, 4, 4, 4]);
  assert.deepEqual(low.part, { from: 2, to: 4, isLast: false });
  const high = await read(2, "high");
  assert.ok(high.kind === "values");
  assert.deepEqual([...high.values.values()], [5, 90]);
  assert.deepEqual(high.part, { from: 5, to: 90, isLast: false });
  const all = await read(100, "low");
  assert.ok(all.kind === "values");
  assert.equal(all.values.size, 7);
  assert.deepEqual(all.part, { from: 2, to: 90, isLast: true });
});

const LEVELS = [
  ["read-committed", "read-committed"],
  ["causal", "causal"],
  ["snapshot-isolation", "snapshot-isolation"],
  ["serializable", "serializable"],
  ["postgres:repeatable-read", "snapshot-isolation"],
  ["postgres:serializable", "serializable"],
] as const satisfies readonly (readonly [string, HistoryLevel])[];

describe("a history with parts of tables keeps its level", () => {
  for (const [level, kept] of LEVELS)
    test(level, async () => {
      await served(level, async (url, store) => {
        const random = randomNumbers(11);
        const number = (most: number): number => random(most);
        const clients = await Promise.all([1, 2, 3].map(() => connected(url)));
        const statement = (): string =>
          [
            `SELECT id FROM item WHERE id > ${number(20)} ORDER BY id LIMIT 3`,
            `SELECT id FROM item ORDER BY rank DESC LIMIT 2`,
            `DELETE FROM item WHERE id = ${number(25)}`,
            `UPDATE item SET rank = ${number(99)} WHERE id = ${number(25)}`,
            `INSERT INTO item VALUES (${-number(9)}, ${number(99)}) ON CONFLICT DO NOTHING`,
          ][number(5)] ?? "";
        const turn = async (client: pg.Client): Promise<void> => {
          const run = (sql: string): Promise<unknown> => client.query(sql).catch(() => undefined);
          for (let at = 0; at < 12; at++) {
            await run("BEGIN");
            for (let more = 0; more < 3; more++) await run(statement());
            await run("COMMIT");
          }
        };
        await Promise.all(clients.map(turn));
        assert.equal(store.verdicts()[kept], "ok");
        await Promise.all(clients.map((client) => client.end()));
      });
    });
});
