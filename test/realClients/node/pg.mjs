// The package pg: simple and extended queries, types, cursors, COPY, errors, cancel, LISTEN, many connections.
import pg from "pg";
import Cursor from "pg-cursor";
import QueryStream from "pg-query-stream";
import copyStreams from "pg-copy-streams";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { address, end, POSTGRES_TYPES, step } from "./steps.mjs";

const client = new pg.Client(address);
await client.connect();
const rows = async (text, values) => (await client.query(text, values)).rows;

await step("schema", async () => {
  await client.query(`
    drop table if exists entry; drop table if exists account; drop type if exists mood;
    create type mood as enum ('sad', 'happy');
    create table account (id serial primary key, owner text not null unique, balance numeric(12,2) not null default 0 check (balance >= 0), mood mood);
    create table entry (id bigint generated always as identity primary key, account int not null references account(id) on delete cascade, amount numeric(12,2) not null, at timestamptz default now());
    create index entry_account on entry (account, amount desc)`);
});
await step("insert returning", () =>
  rows(
    "insert into account (owner, balance, mood) values ($1, $2, $3), ($4, $5, null) returning *",
    ["ann", 100, "happy", "bob", "50.5"],
  ),
);
for (const [type, ...values] of POSTGRES_TYPES)
  await step(`type ${type}`, async () => {
    await client.query(
      `drop table if exists typed; create table typed (id int primary key, v ${type})`,
    );
    for (const [at, value] of values.entries())
      await client.query("insert into typed values ($1, $2)", [at, value]);
    await client.query("insert into typed values (-1, null)");
    const { rows: all, fields } = await client.query({
      text: "select * from typed order by id",
      rowMode: "array",
    });
    const texts = await rows("select v::text from typed order by id");
    return [
      all.map(([, value]) => value),
      texts.map(({ v }) => v),
      fields.map((each) => [each.name, each.dataTypeID, each.dataTypeSize, each.dataTypeModifier]),
    ];
  });
await step("named statement", async () => {
  const all = [];
  for (let at = 0; at < 3; at++)
    all.push(
      (await client.query({ name: "one", text: "select $1::int + 1 as x", values: [at] })).rows[0]
        .x,
    );
  return all;
});
await step("several results", async () =>
  (
    await client.query("select 1 as a; update account set balance = balance + 1; select 2 as b")
  ).map((each) => [each.command, each.rowCount, each.rows]),
);
await step("cursor", async () => {
  const cursor = client.query(new Cursor("select * from generate_series(1, 25) g"));
  const counts = [];
  for (let part = await cursor.read(10); part.length > 0; part = await cursor.read(10))
    counts.push(part.length);
  await cursor.close();
  return counts;
});
await step("stream", async () => {
  let sum = 0;
  for await (const { g } of client.query(
    new QueryStream("select g from generate_series(1, 1000) g"),
  ))
    sum += g;
  return sum;
});
await step("copy in", async () => {
  await client.query("create temporary table copied (id int, name text)");
  await pipeline(
    Readable.from(["1\tone\n2\t\\N\n3\ttab\\there\n"]),
    client.query(copyStreams.from("copy copied (id, name) from stdin")),
  );
  await pipeline(
    Readable.from(['4,"a,b"\n5,\n']),
    client.query(copyStreams.from("copy copied from stdin with (format csv)")),
  );
  return rows("select * from copied order by id");
});
await step("copy out", async () => {
  const read = async (text) => {
    let all = "";
    for await (const chunk of client.query(copyStreams.to(text))) all += chunk;
    return all;
  };
  return [
    await read("copy copied to stdout"),
    await read(
      "copy (select id, name from copied where id > 3) to stdout with (format csv, header)",
    ),
  ];
});
await step("transaction", async () => {
  await client.query("begin isolation level repeatable read");
  await client.query("update account set balance = balance - 10 where owner = 'ann'");
  await client.query("savepoint a");
  const failed = await client
    .query("insert into account (owner) values ('bob')")
    .catch((error) => [error.code, error.constraint, error.table, error.detail]);
  await client.query("rollback to a");
  await client.query("insert into entry (account, amount) values (1, -10)");
  await client.query("commit");
  return [
    failed,
    await rows("select owner, balance from account order by id"),
    await rows("select id, account, amount from entry"),
  ];
});
for (const [name, text] of [
  ["unique", "insert into account (owner) values ('ann')"],
  ["not null", "insert into account (owner) values (null)"],
  ["check", "update account set balance = -1"],
  ["foreign key", "insert into entry (account, amount) values (99, 1)"],
  ["no table", "select * from nothing"],
  ["no column", "select nothing from account"],
  ["no function", "select nothing(1)"],
  ["syntax", "selec 1"],
  ["division", "select 1/0"],
  ["bad number", "select 'x'::int"],
  [
    "too long",
    "select 'abcdef'::varchar(3), 'x'::char(1); create table short (v varchar(3)); insert into short values ('abcd')",
  ],
  ["out of range", "select 2147483647 + 1"],
  ["bad label", "select 'angry'::mood"],
  ["ambiguous", "select id from account a join entry b on true"],
  ["group by", "select owner, count(*) from account"],
])
  await step(`error ${name}`, () => client.query(text));
await step("failed transaction", async () => {
  await client.query("begin");
  const first = await client.query("select 1/0").catch((error) => error.code);
  const second = await client.query("select 1").catch((error) => error.code);
  return [first, second, (await client.query("commit")).command];
});
await step("listen", async () => {
  const heard = [];
  client.on("notification", ({ channel, payload }) => heard.push([channel, payload]));
  await client.query("listen news");
  const other = new pg.Client(address);
  await other.connect();
  await other.query("notify news, 'first'");
  await other.query("select pg_notify('news', 'second')");
  await other.query("begin");
  await other.query("notify news, 'never'");
  await other.query("rollback");
  await other.end();
  await client.query("select 1");
  await new Promise((resolve) => setTimeout(resolve, 200));
  await client.query("unlisten *");
  return heard;
});
await step("notice", async () => {
  const said = [];
  client.on("notice", ({ severity, message }) => said.push([severity, message]));
  await client.query("drop table if exists was_never_there");
  await client.query("do $$ begin raise notice 'hello %', 1 + 1; end $$");
  return said;
});
await step("cancel", async () => {
  const waiting = new pg.Client(address);
  await waiting.connect();
  await client.query("begin; update account set balance = 1 where id = 1");
  const blocked = waiting.query("update account set balance = 2 where id = 1").then(
    () => "done",
    (error) => error.code,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  const canceller = new pg.Client(address);
  canceller.cancel(waiting, waiting._activeQuery ?? waiting.activeQuery);
  const answer = await blocked;
  await client.query("rollback");
  await waiting.end();
  return answer;
});
await step("advisory locks", async () => {
  const other = new pg.Client(address);
  await other.connect();
  const tries = [];
  await client.query("select pg_advisory_lock(7)");
  tries.push((await other.query("select pg_try_advisory_lock(7) as got")).rows[0].got);
  tries.push((await client.query("select pg_advisory_unlock(7) as freed")).rows[0].freed);
  tries.push((await other.query("select pg_try_advisory_lock(7) as got")).rows[0].got);
  await other.end();
  await new Promise((resolve) => setTimeout(resolve, 100));
  tries.push((await client.query("select pg_try_advisory_xact_lock(7) as got")).rows[0].got);
  return tries;
});
await step("100 connections", async () => {
  const pool = new pg.Pool({ ...address, max: 90 });
  const all = await Promise.all(
    Array.from(
      { length: 90 },
      async (_, at) => (await pool.query("select $1::int as x, pg_sleep(0.05)", [at])).rows[0].x,
    ),
  );
  await pool.end();
  return all.reduce((sum, each) => sum + each, 0);
});
await step("abrupt end", async () => {
  const gone = new pg.Client(address);
  gone.on("error", () => undefined);
  await gone.connect();
  await gone.query("begin; update account set balance = 7 where id = 1");
  gone.connection.stream.destroy();
  return (await client.query("update account set balance = 8 where id = 1")).rowCount;
});
end();
