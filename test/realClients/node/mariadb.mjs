// The package mariadb: pipelining, batches, metadata of columns.
import mariadb from "mariadb";
import { address, end, step } from "./steps.mjs";

const client = await mariadb.createConnection({ ...address, multipleStatements: true });
const rows = async (text, values) => [...(await client.query(text, values))];
await step("schema", async () => {
  await client.query("drop table if exists nm");
  await client.query(
    "create table nm (id int auto_increment primary key, s varchar(40), b blob, big bigint, d decimal(10,2), at datetime(3))",
  );
});
await step("insert", async () => {
  const { affectedRows, insertId } = await client.query(
    "insert into nm (s, b, big, d, at) values (?, ?, ?, ?, ?)",
    ["h世😀'", Buffer.from([0, 255, 39, 92]), 9007199254740993n, "1.50", new Date(86_400_000)],
  );
  return [affectedRows, insertId, await rows("select * from nm")];
});
await step("execute", async () => {
  await client.execute("insert into nm (s, b, d) values (?, ?, ?)", [
    "prepared",
    Buffer.from([0, 255]),
    2.5,
  ]);
  return [...(await client.execute("select s, b, d from nm where s = ?", ["prepared"]))];
});
await step(
  "batch",
  async () =>
    (
      await client.batch("insert into nm (s, d) values (?, ?)", [
        ["x", 1],
        ["y", 2],
        ["z", 3],
      ])
    ).affectedRows,
);
await step("transaction", async () => {
  await client.beginTransaction();
  await client.query("delete from nm");
  await client.rollback();
  return rows("select count(*) as n from nm");
});
await step("stream", async () => {
  let count = 0;
  for await (const row of client.queryStream("select * from nm")) if (row.id > 0) count++;
  return count;
});
await step("error", () => client.query("select * from nothing"));
await step("reset", () => client.reset());
await step("ping", () => client.ping());
await step("change user", () =>
  client.changeUser({ user: "app", password: "secret", database: "app" }),
);
await step("pool", async () => {
  const pool = mariadb.createPool({ ...address, connectionLimit: 4 });
  const all = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => (await pool.query("select ? as x", [at]))[0].x),
  );
  await pool.end();
  return all.reduce((sum, each) => sum + Number(each), 0);
});
end();
