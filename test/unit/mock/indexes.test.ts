// Look-ups by values of rows: they find what scans find, and what comes into being behind them counts as read.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Key, Lookup, Value } from "../../../server/src/exploration/client";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { checkHistory, type HistoryLevel } from "../../../server/src/history/check";
import { findLevel } from "../../../server/src/isolation/levels";
import { openStore } from "../../../server/src/mock/openStore";
import { createMockStore, type MockLevel } from "../../../server/src/mock/store/mockStore";
import { recordedHistory } from "./recorded";

const LEVELS = [
  "read-committed",
  "read-atomic",
  "causal",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
  "serializable",
] as const satisfies readonly HistoryLevel[];

const INITIAL: ReadonlyMap<Key, Value> = new Map([
  ["a/1", { owner: "ann" }],
  ["a/2", { owner: "bob" }],
]);

function ownedBy(value: string): Lookup {
  const valueOf = (version: Value): string | undefined => {
    if (typeof version !== "object" || version === null || !("owner" in version)) return undefined;
    return typeof version.owner === "string" ? version.owner : undefined;
  };
  return { prefix: "a/", index: "a/@owner", value, valueOf };
}

/** All owned by someone, of some ranks. */
function ranked(from: number, to: number): Lookup {
  const orderOf = (version: Value): number | undefined => {
    if (typeof version !== "object" || version === null || !("rank" in version)) return undefined;
    return typeof version.rank === "number" ? version.rank : undefined;
  };
  const valueOf = (version: Value): string | undefined => (version === undefined ? undefined : "");
  return { prefix: "a/", index: "a/@rank", value: "", valueOf, range: { orderOf, from, to } };
}

function postgresSerializable(): MockLevel {
  const level = findLevel("postgres:serializable");
  assert.ok(level?.family === "product");
  return level;
}

test("an index that is asked to be kept finds what is written, without a wait", async () => {
  const store = createMockStore({
    level: postgresSerializable(),
    initial: INITIAL,
    seed: 1,
    strategy: "latest",
  });
  const session = store.open();
  const { value, ...index } = ownedBy("cid");
  await session.ask({ kind: "begin" });
  await session.ask({ kind: "read", keys: ["a/3"], indexes: [index] });
  // More rows than are put into a new index without letting others have their turn.
  for (let id = 3; id < 5000; id++)
    await session.ask({
      kind: "write",
      key: `a/${String(id)}`,
      value: { owner: `o${String(id)}` },
    });
  await session.ask({ kind: "write", key: "a/5000", value: { owner: value } });
  await session.ask({ kind: "commit" });
  await session.ask({ kind: "begin" });
  const reply = session.ask({ kind: "read", keys: [], lookups: [{ ...index, value }] });
  assert.ok(!(reply instanceof Promise) && reply.kind === "values");
  assert.deepEqual([...reply.values.keys()], ["a/5000"]);
});

test("a store that begins where another one ends has its whole indexes, and makes what is half made", async () => {
  const level = postgresSerializable();
  const rows = Array.from(
    { length: 5000 },
    (_, id) => [`a/${String(id)}`, { owner: `o${String(id)}` }] as const,
  );
  const loading = createMockStore({ level, initial: new Map(rows), seed: 1, strategy: "latest" });
  const session = loading.open();
  await session.ask({ kind: "begin" });
  await session.ask({ kind: "read", keys: [], lookups: [ownedBy("o7")] });
  await session.ask({ kind: "write", key: "a/7", value: { owner: "ann" } });
  await session.ask({ kind: "commit" });
  // One whose making is given up on the way.
  await session.ask({ kind: "begin" });
  const unmade = session.ask({ kind: "read", keys: [], lookups: [ranked(0, 1)] });
  assert.ok(unmade instanceof Promise);
  session.close();
  const indexes = loading.indexes();
  const initial = loading.finalState();
  const store = createMockStore({ level, initial, seed: 1, strategy: "latest", indexes });
  const reader = store.open();
  await reader.ask({ kind: "begin" });
  const reply = reader.ask({ kind: "read", keys: [], lookups: [ownedBy("ann")] });
  assert.ok(!(reply instanceof Promise) && reply.kind === "values");
  assert.deepEqual([...reply.values.keys()], ["a/7"]);
  assert.ok(reader.ask({ kind: "read", keys: [], lookups: [ranked(0, 1)] }) instanceof Promise);
});

describe("a look-up", () => {
  for (const level of ["serializable", postgresSerializable()] as const) {
    const name = typeof level === "string" ? level : level.name;
    for (const [what, key] of [
      ["a row that is made", "a/3"],
      ["a row that is changed so", "a/2"],
    ] as const) {
      test(`at ${name} has read that ${what} was not there`, async () => {
        const store = createMockStore({ level, initial: INITIAL, seed: 1, strategy: "latest" });
        const [one, other] = [store.open(), store.open()];
        for (const session of [one, other]) {
          await session.ask({ kind: "begin" });
          const reply = await session.ask({
            kind: "read",
            keys: [],
            lookups: [ownedBy("ann")],
          });
          assert.deepEqual(reply.kind === "values" && [...reply.values.keys()], ["a/1"]);
        }
        await one.ask({ kind: "write", key, value: { owner: "ann" } });
        await other.ask({ kind: "write", key: "a/9", value: { owner: "ann" } });
        assert.equal((await one.ask({ kind: "commit" })).kind, "done");
        assert.equal((await other.ask({ kind: "commit" })).kind, "failed");
      });
    }
  }

  for (const level of LEVELS)
    test(`keeps histories at ${level}`, async () => {
      for (let seed = 1; seed <= 40; seed++) {
        const verdicts = checkHistory(recordedHistory(await randomRun(level, seed))).verdicts;
        assert.equal(verdicts.get(level), "ok", `seed ${String(seed)}`);
      }
    });
});

/** Types of columns with values that they hold, and values that a condition compares with them. */
const COLUMNS = {
  postgres: [
    ["float8", ["'Infinity'", "'NaN'", "1", "1e21"], ["'NaN'", "'Infinity'", "1", "1e21::numeric"]],
    ["bigint", ["9007199254740992", "9007199254740993"], ["9007199254740992::float8"]],
    ["numeric", ["1e21", "1.50", "0.1"], ["1e21::float8", "1.5", "0.1::float8", "'NaN'"]],
    ["interval", ["'1 day'", "'30 days'"], ["'24 hours'", "'1 mon'"]],
    ["numeric[]", ["'{1.0}'"], ["ARRAY[1]::numeric[]"]],
    ["varchar(9)", ["'b'", "'b  '"], ["'b'::char(3)", "'b'"]],
    ["char(3)", ["'b'"], ["'b'", "'b '", "'b'::text"]],
  ],
  mysql: [
    ["double", ["9007199254740992", "1e21"], ["9007199254740993", "1000000000000000000000"]],
    ["bigint", ["9007199254740992", "9007199254740993"], ["'9007199254740993'", "'1'"]],
    ["decimal(30,4)", ["1e21", "1.5"], ["1e21", "'1.50'"]],
    ["varchar(9)", ["'b'", "'B '", "'1'"], ["'b'", "'B'", "1"]],
  ],
} as const;

describe("a condition on an index", () => {
  for (const protocol of ["postgres", "mysql"] as const)
    for (const [type, held, compared] of COLUMNS[protocol])
      test(`of ${type} in ${protocol} finds what the condition is true of`, async () => {
        const rows = held.map((value, at) => `(${String(at)}, ${value})`).join();
        const schema = `CREATE TABLE t (id int PRIMARY KEY, x ${type}); CREATE INDEX i ON t (x); INSERT INTO t VALUES ${rows};`;
        const store = await openStore({ protocol, level: "serializable", schema });
        const { query, end } = await connected(protocol, store.url);
        try {
          for (const value of compared) {
            const found = await query(`SELECT id FROM t WHERE x = ${value} ORDER BY id`);
            const all = await query(`SELECT id FROM t WHERE (x = ${value}) IS TRUE ORDER BY id`);
            assert.deepEqual(found, all, value);
          }
        } finally {
          await end();
          await store.close();
        }
      });
});

describe("what a query reads", () => {
  const schema = `
    CREATE TABLE shop (id int PRIMARY KEY);
    CREATE TABLE stock (shop int REFERENCES shop, item int, count int, PRIMARY KEY (shop, item));
    CREATE TABLE line (shop int, day int, at int, item int, sent date, PRIMARY KEY (shop, day, at));
    CREATE INDEX sent_lines ON line (sent);
    INSERT INTO shop VALUES (1);
    INSERT INTO stock VALUES (1, 1, 5), (1, 2, 5), (1, 3, 5);
    INSERT INTO line VALUES (1, 1, 1, 1, '2026-01-01'), (1, 2, 1, 2, '2026-01-02'), (1, 3, 1, 3, '2026-01-03');`;
  for (const [name, sql, read] of [
    [
      "by a range behind the beginning of a key",
      "SELECT * FROM line WHERE shop = 1 AND day < 3 AND day >= 2",
      ["line/1,2,1"],
    ],
    [
      "by a range of days",
      "SELECT * FROM line WHERE sent BETWEEN '2026-01-02' AND '2026-01-02'",
      ["line/1,2,1"],
    ],
    [
      "by the keys that another table leads to, where a foreign key is known as well",
      "SELECT * FROM stock s, line l WHERE s.shop = 1 AND l.item = s.item AND l.shop = 1 AND l.day = 2",
      ["line/1,2,1", "stock/1,2"],
    ],
  ] as const)
    test(`are the rows that it finds ${name}`, async () => {
      const store = await openStore({ level: "postgres:serializable", schema });
      const { query, end } = await connected("postgres", store.url);
      try {
        await query(sql);
        const all = store.history().sessions.flatMap((each) => each.flatMap(({ ops }) => ops));
        const keys = all.flatMap((each) => ("r" in each ? [each.r[0]] : []));
        assert.deepEqual([...new Set(keys)].sort(), read);
      } finally {
        await end();
        await store.close();
      }
    });
});

test("a join by names of columns compares across types, as a condition does", async () => {
  const schema =
    "CREATE TABLE a (x date PRIMARY KEY); CREATE TABLE b (x timestamp PRIMARY KEY); INSERT INTO a VALUES ('2026-01-01'); INSERT INTO b VALUES ('2026-01-01');";
  const store = await openStore({ level: "serializable", schema });
  const { query, end } = await connected("postgres", store.url);
  try {
    assert.deepEqual(await query("SELECT 1 AS n FROM a JOIN b USING (x)"), [{ n: 1 }]);
    assert.deepEqual(await query("SELECT 1 AS n FROM b JOIN a USING (x)"), [{ n: 1 }]);
  } finally {
    await end();
    await store.close();
  }
});

async function connected(protocol: "postgres" | "mysql", url: string) {
  if (protocol === "mysql") {
    const client = await mysql.createConnection(url);
    const query = async (sql: string): Promise<unknown> => (await client.query(sql))[0];
    return { query, end: () => client.end() };
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = async (sql: string): Promise<unknown> => (await client.query(sql)).rows;
  return { query, end: () => client.end() };
}

/** Three sessions that look up owners and give rows away, one step at a time. */
async function randomRun(level: MockLevel, seed: number) {
  const random = randomNumbers(seed);
  const store = createMockStore({ level, initial: INITIAL, seed, strategy: "uniform" });
  const sessions = [store.open(), store.open(), store.open()].map((session) => ({
    session,
    isOpen: false,
  }));
  const owners = ["ann", "bob", "eve"];
  for (let step = 0; step < 60; step++) {
    const chosen = sessions[random(sessions.length)];
    if (chosen === undefined) continue;
    const { session } = chosen;
    if (!chosen.isOpen) {
      await session.ask({ kind: "begin" });
      chosen.isOpen = true;
    }
    const owner = owners[random(owners.length)] ?? "ann";
    const key = `a/${String(1 + random(4))}`;
    switch (random(4)) {
      case 0: {
        const from = random(3);
        await session.ask({ kind: "read", keys: [], lookups: [ranked(from, from + random(2))] });
        break;
      }
      case 1:
        await session.ask({ kind: "read", keys: [], lookups: [ownedBy(owner)] });
        break;
      case 2:
        await session.ask({ kind: "read", keys: [key] });
        await session.ask({ kind: "write", key, value: { owner, rank: random(4) } });
        break;
      default:
        await session.ask({ kind: "commit" });
        chosen.isOpen = false;
    }
  }
  return store.history();
}
