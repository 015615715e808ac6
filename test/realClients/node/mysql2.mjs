// The package mysql2: text and binary protocol, types, several results, errors, users, LOAD DATA, many connections.
import mysql from "mysql2/promise";
import { Readable } from "node:stream";
import { address, end, MYSQL_TYPES, step } from "./steps.mjs";

const client = await mysql.createConnection({ ...address, multipleStatements: true });
const rows = async (text, values) => (await client.query(text, values))[0];

await step("schema", async () => {
  await client.query(`
    drop table if exists entry; drop table if exists account;
    create table account (id int auto_increment primary key, owner varchar(40) not null unique, balance decimal(12,2) not null default 0, mood enum('sad','happy')) engine=InnoDB default charset=utf8mb4;
    create table entry (id bigint unsigned auto_increment primary key, account int not null, amount decimal(12,2) not null, at timestamp default current_timestamp, key entry_account (account), constraint entry_fk foreign key (account) references account(id) on delete cascade)`);
});
await step("insert", async () => {
  const [{ insertId, affectedRows }] = await client.query(
    "insert into account (owner, balance, mood) values (?, ?, ?), (?, ?, null)",
    ["ann", 100, "happy", "bob", "50.5"],
  );
  return [insertId, affectedRows, await rows("select * from account order by id")];
});
for (const [type, ...values] of MYSQL_TYPES)
  await step(`type ${type}`, async () => {
    await client.query(
      `drop table if exists typed; create table typed (id int primary key, v ${type})`,
    );
    for (const [at, value] of values.entries())
      await client.query(`insert into typed values (${at}, ${value})`);
    await client.query("insert into typed values (-1, null)");
    const [text] = await client.query({
      sql: "select * from typed order by id",
      rowsAsArray: true,
    });
    const [binary] = await client.execute({
      sql: "select * from typed order by id",
      rowsAsArray: true,
    });
    return [
      text.map(([, value]) => value),
      binary.map(([, value]) => value),
      await rows("select hex(v) h, length(v) l from typed order by id"),
    ];
  });
const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
await step("all bytes by query", async () => {
  await client.query(
    "drop table if exists bytes; create table bytes (id int primary key, b blob, v varbinary(300))",
  );
  await client.query("insert into bytes values (1, ?, ?)", [bytes, bytes]);
  const [row] = await rows("select b, v, length(b) l, hex(v) h, md5(b) m from bytes where b = ?", [
    bytes,
  ]);
  return row;
});
await step("all bytes by execute", async () => {
  await client.execute("insert into bytes values (2, ?, ?)", [bytes, bytes]);
  const [[row]] = await client.execute(
    "select b, v, length(b) l, hex(v) h from bytes where id = ?",
    [2],
  );
  return row;
});
await step("execute", async () => {
  const [{ insertId }] = await client.execute("insert into entry (account, amount) values (?, ?)", [
    1,
    "12.50",
  ]);
  const [found] = await client.execute(
    "select id, account, amount from entry where account = ? and amount > ?",
    [1, 1.5],
  );
  return [insertId, found];
});
await step(
  "bulk",
  async () =>
    (
      await client.query("insert into entry (account, amount) values ?", [
        Array.from({ length: 300 }, (_, at) => [1, at]),
      ])
    )[0].affectedRows,
);
await step("several results", async () =>
  (
    await client.query("select 1 as a; update account set balance = balance + 1; select 2 as b")
  )[0].map((each) => (Array.isArray(each) ? each : each.affectedRows)),
);
await step("transaction", async () => {
  await client.query("set transaction isolation level repeatable read");
  await client.beginTransaction();
  await client.query("update account set balance = balance - 10 where owner = 'ann'");
  await client.query("savepoint a");
  const failed = await client
    .query("insert into account (owner) values ('bob')")
    .catch((error) => [error.errno, error.sqlState]);
  await client.query("rollback to a");
  await client.commit();
  return [failed, await rows("select owner, balance from account order by id")];
});
await step("autocommit", async () => {
  await client.query("set autocommit = 0");
  await client.query("delete from entry");
  await client.query("rollback");
  await client.query("set autocommit = 1");
  return rows("select count(*) as n, @@autocommit as a from entry");
});
for (const [name, text] of [
  ["duplicate", "insert into account (owner) values ('ann')"],
  ["not null", "insert into account (owner) values (null)"],
  ["foreign key", "insert into entry (account, amount) values (99, 1)"],
  ["parent", "drop table account"],
  ["no table", "select * from nothing"],
  ["no column", "select nothing from account"],
  ["syntax", "selec 1"],
  ["too long", "insert into account (owner) values (repeat('x', 41))"],
  ["out of range", "insert into account (owner, id) values ('y', 99999999999)"],
  ["bad date", "insert into entry (account, amount, at) values (1, 1, 'x')"],
  ["no default", "insert into entry (account) values (1)"],
  ["system variable", "select @@nothing"],
  ["no database", "select * from nowhere.t"],
  ["ambiguous", "select id from account a join entry b"],
])
  await step(`error ${name}`, () => client.query(text));
await step("load data", async () => {
  const [{ affectedRows }] = await client.query({
    sql: "load data local infile 'x' into table entry fields terminated by ',' (account, amount)",
    infileStreamFactory: () => Readable.from([Buffer.from("1,5.5\n1,6.5\n")]),
  });
  return [
    affectedRows,
    await rows("select amount from entry where amount in (5.5, 6.5) order by 1"),
  ];
});
await step("lock wait", async () => {
  const other = await mysql.createConnection(address);
  await other.query("set innodb_lock_wait_timeout = 1");
  await client.query("begin");
  await client.query("update account set balance = 1 where id = 1");
  const blocked = await other
    .query("update account set balance = 2 where id = 1")
    .catch((error) => error.errno);
  await client.query("rollback");
  await other.end();
  return blocked;
});
await step("kill query", async () => {
  const waiting = await mysql.createConnection(address);
  await client.query("begin");
  await client.query("update account set balance = 1 where id = 1");
  const blocked = waiting
    .query("update account set balance = 2 where id = 1")
    .catch((error) => error.errno);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const killer = await mysql.createConnection(address);
  await killer.query(`kill query ${waiting.threadId}`);
  const answer = await blocked;
  await client.query("rollback");
  await Promise.all([waiting.end(), killer.end()]);
  return answer;
});
await step("named lock", async () => {
  const other = await mysql.createConnection(address);
  const tries = [];
  tries.push((await client.query("select get_lock('x', 1) as got"))[0][0].got);
  tries.push((await other.query("select get_lock('x', 0) as got"))[0][0].got);
  tries.push((await client.query("select release_lock('x') as freed"))[0][0].freed);
  tries.push((await other.query("select get_lock('x', 0) as got"))[0][0].got);
  await other.end();
  return tries;
});
await step("change user", async () => {
  await client.query("set @mine = 1");
  await client.changeUser({ user: "app", password: "secret", database: "app" });
  return rows("select @mine as mine, database() as db");
});
await step("reset", async () => {
  await client.query("set @mine = 1");
  await client.reset();
  return rows("select @mine as mine");
});
await step("ping", () => client.ping());
await step("variables", () =>
  rows(
    "select @@session.autocommit as a, @@global.max_allowed_packet > 0 as b, @@character_set_client as c",
  ),
);
await step("server statement", async () => {
  await client.query("prepare s from 'select ? + 1 as x'");
  await client.query("set @a = 41");
  const found = await rows("execute s using @a");
  await client.query("deallocate prepare s");
  return found;
});
await step("show", async () => {
  const tables = await rows("show tables like 'acc%'");
  const columns = await rows("show columns from account");
  return [
    tables.map(Object.values),
    columns.map(({ Field, Type, Null, Key, Extra }) => [
      Field,
      Type.replace(/int\(\d+\)/u, "int"),
      Null,
      Key,
      Extra,
    ]),
  ];
});
await step("100 connections", async () => {
  const pool = mysql.createPool({ ...address, connectionLimit: 90 });
  const all = await Promise.all(
    Array.from(
      { length: 90 },
      async (_, at) => (await pool.query("select ? as x, sleep(0.05)", [at]))[0][0].x,
    ),
  );
  await pool.end();
  return all.reduce((sum, each) => sum + each, 0);
});
await step("abrupt end", async () => {
  const gone = await mysql.createConnection(address);
  gone.on("error", () => undefined);
  await gone.query("begin");
  await gone.query("update account set balance = 7 where id = 1");
  gone.destroy();
  return (await client.query("update account set balance = 8.25 where id = 1"))[0].affectedRows;
});
end();
