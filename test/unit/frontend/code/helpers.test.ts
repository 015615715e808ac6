// What small helpers around a database leave of the code of those who call them: objects with a connection, functions
// that run a text, callbacks with numbers of items.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LIBRARIES } from "../../../../server/src/frontend/code/libraries/libraries";
import { mayUseDatabase } from "../../../../server/src/frontend/code/prefilter";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = `
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE lines (id int, number int, item int, primary key (id, number));`;
const POOL = `import { Pool, type PoolClient } from "pg";\nconst pool = new Pool();\n`;

async function check(text: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": POOL + text })), expected);
}

describe("helpers", () => {
  it("are objects that hold the connection that they were given", () =>
    check(
      `class Accounts {
  constructor(private readonly client: PoolClient, private readonly table: "accounts") {}
  async add(id: number, n: number) {
    await this.client.query(\`UPDATE \${this.table} SET balance = balance + $2 WHERE id = $1\`, [id, n]);
  }
}
export async function pay(from: number, to: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const accounts = new Accounts(client, "accounts");
  await accounts.add(from, -1);
  await accounts.add(to, 1);
  await client.query("COMMIT");
}`,
      [
        "pay explicit",
        "  update accounts set balance = (accounts.balance + -1) where (accounts.id = :from)",
        "  update accounts set balance = (accounts.balance + 1) where (accounts.id = :to)",
      ],
    ));

  it("may check lists that they are given", () =>
    check(
      `import { z } from "zod";
const schema = z.object({ items: z.array(z.object({ id: z.number(), n: z.number() })) });
export async function add(body: unknown) {
  const { items } = schema.parse(body);
  const client = await pool.connect();
  await client.query("BEGIN");
  for (const item of items)
    await client.query("UPDATE accounts SET balance = balance + $2 WHERE id = $1", [item.id, item.n]);
  await Promise.all(
    items.map((item) => client.query("INSERT INTO lines (id, number, item) VALUES ($1, 1, 1)", [item.id])),
  );
  await client.query("COMMIT");
}`,
      [
        "add explicit",
        "  loop count",
        "    update accounts set balance = (accounts.balance + :schema.parse.items.n[@i1]) where (accounts.id = :schema.parse.items.id[@i1])",
        "  loop count",
        "    insert lines {id = :schema.parse.items.id[@i2], number = 1, item = 1}",
      ],
    ));

  it("give items the types of the sums that they go into", async () => {
    const [pay] = await transactionsOf(DDL, {
      "a.ts": `${POOL}export async function pay(id: number, items: { price: number; qty: number }[]) {
  const total = items.reduce((sum, item) => sum + item.price * item.qty, 0);
  await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [total, id]);
}`,
    });
    assert.deepEqual(
      pay?.parameters.map(({ name, type, elements }) => `${name} ${elements ?? type}`),
      ["items.length int", "id int", "items.price int", "items.qty int"],
    );
  });

  it("are named where statements stand in them, outermost first", async () => {
    const [pay] = await transactionsOf(DDL, {
      "a.ts": `${POOL}
const load = (client: PoolClient, id: number) => client.query("SELECT balance FROM accounts WHERE id = $1", [id]);
async function take(client: PoolClient, id: number) {
  await load(client, id);
  await Promise.all([1].map(() => client.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id])));
}
async function atomic(work: (client: PoolClient) => Promise<void>) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await work(client);
  await client.query("COMMIT");
}
export const pay = (id: number) => atomic(async (own) => {
  await own.query("DELETE FROM lines WHERE id = $1", [id]);
  await take(own, id);
});`,
    });
    assert.ok(pay);
    const calls: string[] = [];
    walkCommand(pay.body, {
      statement: ({ text, through = [] }) => {
        const places = through.map(
          ({ name, source }) => `${name} ${String(source.range.start.line + 1)}`,
        );
        calls.push([text.slice(0, 6), ...places].join(", "));
      },
    });
    assert.deepEqual(calls, ["DELETE", "SELECT, take 17, load 6", "UPDATE, take 17"]);
  });

  it("leave statements where their text stands", async () => {
    const one = `import type { PoolClient } from "pg";
export async function one(client: PoolClient, text: string, values: unknown[]) {
  const { rows } = await client.query(text, values);
  return rows[0];
}`;
    const own = `${POOL}import { one } from "./one";
export async function look(id: number) {
  return one(await pool.connect(), "SELECT balance FROM accounts WHERE id = $1", [id]);
}`;
    const [look] = await transactionsOf(DDL, { "one.ts": one, "own.ts": own });
    assert.ok(look);
    const places: string[] = [];
    walkCommand(look.body, {
      statement: ({ source, text }) => {
        places.push(`${source.file}:${String(source.range.start.line + 1)} ${text}`);
      },
    });
    assert.deepEqual(places, ["own.ts:5 SELECT balance FROM accounts WHERE id = $1"]);
  });

  const insert = `await client.query("INSERT INTO lines (id, number, item) VALUES ($1, $2, $3)", [id, index, item]);`;
  for (const [name, loop] of [
    ["entries()", `for (const [index, item] of items.entries()) { ${insert} }`],
    ["forEach", `items.forEach(async (item, index) => { ${insert} });`],
    ["map", `await Promise.all(items.map(async (item, index) => { ${insert} }));`],
  ] as const) {
    it(`count items from zero in ${name}`, () =>
      check(
        `export async function add(client: PoolClient, id: number, items: number[]) { ${loop} }`,
        [
          "add explicit",
          "  loop count",
          "    insert lines {id = :id, number = (@i1 - 1), item = :items[@i1]}",
        ],
      ));
  }

  it("count items that are known", () =>
    check(
      `export async function add(client: PoolClient, id: number, a: number, b: number) {
  for (const [index, item] of [a, b].entries()) { ${insert} }
}`,
      [
        "add explicit",
        "  insert lines {id = :id, number = 0, item = :a}",
        "  insert lines {id = :id, number = 1, item = :b}",
      ],
    ));

  it("do not take the keys of a map for numbers", () =>
    check(
      `export async function add(client: PoolClient, id: number, items: Map<number, number>) {
  for (const [index, item] of items.entries()) { ${insert} }
}`,
      [
        "add explicit",
        "  loop unknown",
        "    insert lines {id = :id, number = unknown(:items), item = unknown(:items)}",
        "  ! a loop over something that is not known",
        "  ! an item of this is not known",
      ],
    ));
});

it("files that import a library are read", () => {
  for (const { modules } of LIBRARIES) {
    for (const name of modules) assert.ok(mayUseDatabase(`import x from "${name}";`), name);
  }
  assert.ok(!mayUseDatabase(`import x from "node:fs"; const file = "a/pg.png";`));
});
