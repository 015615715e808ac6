// The package postgres: it asks for types at the start, prepares all statements and sends them without waiting.
import postgres from "postgres";
import { address, codeOf, end, step } from "./steps.mjs";

const sql = postgres({ ...address, username: address.user, max: 4, onnotice() {} });
await step("schema", async () => {
  await sql`drop table if exists pj`;
  await sql`create table pj (id serial primary key, s text, n int, tags text[], at timestamptz, doc jsonb)`;
});
await step(
  "insert helper",
  () =>
    sql`insert into pj ${sql(
      [
        { s: "a", n: 1 },
        { s: "b", n: null },
      ],
      "s",
      "n",
    )} returning *`,
);
await step(
  "types",
  () =>
    sql`select 1::int8 as a, ${[1, 2]}::int[] as b, ${sql.json({ a: 1 })}::jsonb as c, ${"x"} as d, ${Buffer.from([0, 255])}::bytea as e, ${new Date(0)}::timestamptz as f, ${true}::bool as g, ${1.5}::float8 as h, array['a','b']::text[] as i, '{1.5,NULL}'::numeric[] as j`,
);
await step(
  "update helper",
  () =>
    sql`update pj set ${sql({ s: "c", tags: ["x", "y,z"], doc: { k: [1] }, at: new Date(0) }, "s", "tags", "doc", "at")} where id = ${1} returning *`,
);
await step("any", () => sql`select id from pj where id = any(${[1, 2]}) order by id`);
await step("in", () => sql`select id from pj where id in ${sql([1, 2])} order by id`);
await step("pipeline", async () =>
  (await Promise.all(Array.from({ length: 50 }, (_, at) => sql`select ${at}::int as x`))).reduce(
    (sum, [row]) => sum + row.x,
    0,
  ),
);
await step("cursor", async () => {
  const counts = [];
  await sql`select * from generate_series(1, 25) g`.cursor(
    10,
    (part) => void counts.push(part.length),
  );
  return counts;
});
await step("transaction", () =>
  sql.begin("isolation level serializable", async (inner) => {
    await inner`insert into pj (s) values ('t')`;
    const inside = await inner
      .savepoint((deeper) => deeper`insert into pj (id) values (1)`)
      .catch(codeOf);
    return [inside, await inner`select count(*) from pj`];
  }),
);
await step("rollback", async () => {
  await sql
    .begin(async (inner) => {
      await inner`delete from pj`;
      throw new Error("no");
    })
    .catch(() => undefined);
  return sql`select count(*)::int as n from pj`;
});
await step("simple", () => sql.unsafe("select 1 as x; select 2 as y"));
await step("copy in", async () => {
  const stream = await sql`copy pj (s, n) from stdin`.writable();
  stream.write("copied\t7\n");
  await new Promise((resolve) => stream.end(resolve));
  return sql`select s, n from pj where n = 7`;
});
await step("copy out", async () => {
  let all = "";
  for await (const chunk of await sql`copy (select s, n from pj where n = 7) to stdout`.readable())
    all += chunk;
  return all;
});
await step("describe", async () => {
  const { types, columns } =
    await sql`select id, s from pj where id = ${1} and s = ${"x"}`.describe();
  return [types, columns.map(({ name, type }) => [name, type])];
});
await step("listen", async () => {
  const heard = [];
  await sql.listen("news", (payload) => heard.push(payload));
  await sql.notify("news", "hello");
  await new Promise((resolve) => setTimeout(resolve, 200));
  return heard;
});
await step("error", () => sql`insert into pj (id) values (1)`);
await step("undefined table", () => sql`select * from nothing`);
await sql.end({ timeout: 2 });
end();
