// The questions of a session to the store: which keys a statement reads, and how transactions and errors become requests.
import assert from "node:assert/strict";
import test from "node:test";
import type { Request } from "../../../server/src/exploration/client";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import type { LockingRule } from "../../../server/src/sqlstore/run/rows";
import { createSqlSession, runNow, type SqlOutcome } from "../../../server/src/sqlstore/session";

interface Opened {
  readonly run: (sql: string, parameters?: readonly unknown[]) => SqlOutcome;
  readonly asked: () => readonly string[];
  readonly status: () => string;
}

async function open(
  setUp: readonly string[],
  dialect: "postgres" | "mysql" | "mariadb" = "postgres",
  rule: LockingRule = "snapshot",
): Promise<Opened> {
  const database = createDatabase({ dialect, parser: await loadPgParser() });
  const store = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0,
    rule,
  });
  let requests: Request[] = [];
  const run: Opened["run"] = (sql, parameters) =>
    runNow(session.execute(sql, parameters), (request) => {
      requests.push(request);
      return store.answer(request);
    });
  for (const sql of setUp) assert.ok(run(sql).ok, sql);
  return {
    run,
    asked() {
      const texts = requests.map(asText);
      requests = [];
      return texts;
    },
    status: session.status,
  };
}

function asText(request: Request): string {
  switch (request.kind) {
    case "read": {
      const scans = (request.scans ?? []).map((prefix) => `${prefix}*`);
      const words = [request.current === true ? "newest" : "read", ...request.keys, ...scans];
      return [...words, ...(request.continues === true ? ["..."] : [])].join(" ");
    }
    case "write":
      return `${request.value === undefined ? "delete" : "write"} ${request.key}`;
    default:
      return request.kind;
  }
}

const SHOP = [
  "create table items (id int primary key, stock int)",
  "create table lines (o int, n int, item int references items (id), qty int, primary key (o, n))",
  "insert into items values (1, 5), (2, 7)",
  "insert into lines values (1, 1, 1, 3), (1, 2, 2, 1), (2, 1, 1, 9)",
];

async function check(
  sql: string,
  expected: readonly string[],
  parameters: readonly unknown[] = [],
): Promise<void> {
  const session = await open([...SHOP, "begin"]);
  session.asked();
  const outcome = session.run(sql, parameters);
  assert.ok(outcome.ok, sql);
  assert.deepEqual(session.asked(), expected, sql);
}

test("a condition on the primary key reads nothing else", async () => {
  await check("select * from items where id = 1", ["read items/1"]);
  await check("select * from items where id = $1", ["read items/2"], ["2"]);
  await check("select * from items where id in (1, 3)", ["read items/1 items/3"]);
  await check("select * from items where id = any($1)", ["read items/1 items/9"], [[1, 9]]);
  await check("select * from items where id = 1 and id = 2 or id = 3", ["read items/*"]);
  await check("select * from items where stock > 1", ["read items/*"]);
});

test("the beginning of a key reads the rows that begin so", async () => {
  await check("select * from lines where o = 1", ["read lines/1,*"]);
  await check("select * from lines where n = 1", ["read lines/*"]);
  await check("select * from lines where n = 1 and o = 2", ["read lines/2,1"]);
});

test("joined rows are read by their keys, all in one request", async () => {
  await check("select * from lines l join items i on i.id = l.item where l.o = 1", [
    "read lines/1,*",
    "read items/1 items/2 ...",
  ]);
  await check("select * from items i, lines l where l.item = i.id and l.o = 2 and l.n = 1", [
    "read lines/2,1",
    "read items/1 ...",
  ]);
  await check(
    "select * from lines l left join items i on i.id = l.item where l.o = 2 and l.n = 1",
    ["read lines/2,1", "read items/1 ..."],
  );
});

test("a branch that is not taken reads nothing", async () => {
  await check("select case when false then (select count(*) from lines) else 1 end", []);
});

test("changes read what they change and what constraints need", async () => {
  await check("update items set stock = stock - 1 where id = 1", ["read items/1", "write items/1"]);
  await check("insert into items values (3, 1)", ["read items/3", "write items/3"]);
  await check("insert into lines values (3, 1, 2, 1)", [
    "read lines/3,1",
    "read items/2 ...",
    "write lines/3,1",
  ]);
  await check("delete from lines where o = 2 and n = 1", ["read lines/2,1", "delete lines/2,1"]);
});

test("where locking reads see the newest versions, PostgreSQL judges a row again and MariaDB looks there at once", async () => {
  const postgres = await open([...SHOP, "begin"], "postgres", "recheck");
  postgres.asked();
  postgres.run("update items set stock = 0 where stock = 5");
  assert.deepEqual(postgres.asked(), ["read items/*", "newest items/1 ...", "write items/1"]);
  const mariadb = await open([...SHOP, "begin"], "mariadb", "current");
  mariadb.asked();
  mariadb.run("update items set stock = 0 where stock = 5");
  assert.deepEqual(mariadb.asked(), ["newest items/*", "write items/1"]);
  mariadb.run("select * from items where id = 2 for update");
  assert.deepEqual(mariadb.asked(), ["newest items/2"]);
});

test("a statement alone is a transaction, and a failed one leaves nothing", async () => {
  const session = await open(SHOP);
  session.asked();
  session.run("update items set stock = 1 where id = 1");
  assert.deepEqual(session.asked(), ["begin", "read items/1", "write items/1", "commit"]);
  assert.equal(session.run("insert into items values (8, 1), (1, 1)").ok, false);
  assert.deepEqual(session.asked(), ["begin", "read items/8 items/1", "abort"]);
});

test("a statement of many rows asks for all of them at once, and once more for what they lead to", async () => {
  const script = [
    "create table owner (id int primary key)",
    "create table pet (id serial primary key, name text unique, owner int references owner)",
    "insert into owner values (1), (2)",
  ];
  const session = await open(script);
  session.asked();
  const rows = Array.from({ length: 40 }, (_, at) => `('p${at}', ${1 + (at % 2)})`);
  assert.ok(session.run(`insert into pet (name, owner) values ${rows.join()}`).ok);
  const reads = (): number => session.asked().filter((each) => /^(read|newest)/.test(each)).length;
  assert.equal(reads(), 2);
  assert.ok(session.run("update pet set name = 'x' || name").ok);
  assert.equal(reads(), 3);
  assert.ok(session.run("delete from pet").ok);
  assert.equal(reads(), 2);
  const made = session.run("insert into pet (name) values ('last') returning id");
  assert.deepEqual(made.ok && made.results[0]?.rows, [[41]]);
});

for (const dialect of ["postgres", "mysql"] as const) {
  test(`a statement that nests too deeply is refused, and the session goes on, in ${dialect}`, async () => {
    const session = await open([], dialect);
    const long = `select ${Array.from({ length: 20_000 }, () => "1").join(" + ")}`;
    for (const sql of [long, `select ${"(".repeat(50_000)}1${")".repeat(50_000)}`])
      assert.equal(session.run(sql).ok, false);
    assert.ok(session.run("select 1").ok);
  });
}

test("an error fails the transaction in PostgreSQL and only the statement in MariaDB", async () => {
  const postgres = await open([...SHOP, "begin"]);
  assert.equal(postgres.run("select 1 / 0").ok, false);
  assert.equal(postgres.status(), "failed");
  const refused = postgres.run("select 1");
  assert.equal(refused.ok ? "" : refused.error.code, "25P02");
  assert.ok(postgres.run("rollback").ok);
  assert.equal(postgres.status(), "idle");
  const mariadb = await open([...SHOP, "begin"], "mariadb", "current");
  assert.equal(mariadb.run("insert into items values (1, 1)").ok, false);
  assert.equal(mariadb.status(), "open");
  assert.ok(mariadb.run("select 1").ok);
});

test("what the store does not have is named", async () => {
  for (const [sql, name] of [
    ["select * from items tablesample system (10)", /TABLESAMPLE/],
    ["merge into items using lines on true when matched then delete", /MERGE/],
    ["select id from items for portion of id", /syntax/],
    ["create trigger t instead of insert on items for each row execute function f()", /INSTEAD OF/],
  ] as const) {
    const session = await open(SHOP);
    const outcome = session.run(sql);
    assert.equal(outcome.ok, false, sql);
    assert.match(outcome.ok ? "" : outcome.error.message, name);
  }
});

test("a unique index has keys of its own, so that only equal values meet", async () => {
  const session = await open(["create table u (id int primary key, mail text unique)", "begin"]);
  session.asked();
  session.run("insert into u values (1, 'A,b')");
  assert.deepEqual(session.asked(), [
    "read u/1 u#u_mail_key/A%2cb",
    "write u/1",
    "write u#u_mail_key/A%2cb",
  ]);
});

test("long lists of constants give what short ones do", async () => {
  const setUp = ["CREATE TABLE t (id int PRIMARY KEY, n int, name varchar(20))"];
  const rows = [...Array.from({ length: 12 }, (_, at) => `(${at}, ${at - 3}, 'Name ${at}')`)];
  setUp.push(`INSERT INTO t VALUES ${rows.join(", ")}, (98, NULL, NULL), (99, 5, 'name 5 ')`);
  const numbers = Array.from({ length: 40 }, (_, at) => String(2 * at - 20));
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["n", numbers],
    ["n", [...numbers, "NULL"]],
    ["n", [...numbers, "1.0", "2.5"]],
    ["n", numbers.map((each) => `'${each}'`)],
    ["n + 1", numbers],
    ["name", numbers.map((each) => `'Name ${each}'`)],
    ["name", [...numbers.map((each) => `'nAME ${each}'`), "NULL"]],
  ];
  for (const dialect of ["postgres", "mysql", "mariadb"] as const) {
    const { run } = await open(setUp, dialect);
    const found = (condition: string, parameters: readonly unknown[] = []): unknown => {
      const outcome = run(`SELECT id FROM t WHERE ${condition} ORDER BY id`, parameters);
      assert.ok(outcome.ok, condition);
      return outcome.results[0]?.rows;
    };
    for (const [left, list] of lists)
      for (const negated of ["", "NOT "]) {
        const pieces = list.map((each) => `${left} IN (${each})`).join(" OR ");
        const long = `${left} ${negated}IN (${list.join(", ")})`;
        assert.deepEqual(found(long), found(`${negated}(${pieces})`), `${dialect}: ${long}`);
      }
    const marks = numbers.map((_, at) => (dialect === "postgres" ? `$${at + 1}` : "?")).join(", ");
    for (const shift of [0, 1]) {
      const given = numbers.map((each) => Number(each) + shift);
      const written = `n IN (${given.join(", ")})`;
      assert.deepEqual(found(`n IN (${marks})`, given), found(written), `${dialect}: parameters`);
    }
  }
});
