// Values that the code assigns to rows, to items of lists and to lists that it did not make are found there afterwards.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transaction } from "../../../../server/src/program/program";
import { transactionsOf } from "./codePrograms";
import { losses as lossesOf, printed } from "./prismaPrograms";

const DDL = `CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, meta jsonb NOT NULL);
CREATE TABLE log (id int PRIMARY KEY, n int);`;

async function read(signature: string, body: string) {
  const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(${signature}) {
  ${body}
}`;
  return transactionsOf(DDL, { "a.ts": text });
}

function losses(found: readonly Transaction[]): readonly string[] {
  return found.flatMap((each) => lossesOf(each));
}

/** The last statements of a function, and what is said of it. */
async function last(count: number, signature: string, body: string): Promise<readonly string[]> {
  return printed(await read(signature, body)).slice(-count);
}

const ONE = `const { rows } = await pool.query("SELECT * FROM accounts WHERE id = $1", [id]);`;
const ALL = `const { rows } = await pool.query("SELECT * FROM accounts");`;
const SAVE = (row: string): string =>
  `await pool.query("UPDATE accounts SET balance = $1 WHERE id = $2", [${row}.balance, ${row}.id]);`;

describe("a field of the first row", () => {
  const expected = [
    "  update accounts set balance = (r1.balance - 10) where (accounts.id = r1.id)",
  ];

  it("is what was assigned, by whatever name the row goes", async () => {
    const bodies = [
      `rows[0].balance -= 10; ${SAVE("rows[0]")}`,
      `rows[0].balance -= 10; const account = rows[0]; ${SAVE("account")}`,
      `const [account] = rows; const other = rows[0]; account.balance -= 10; ${SAVE("other")}`,
    ];
    for (const body of bodies) assert.deepEqual(await last(1, "id: number", ONE + body), expected);
  });

  it("is what was read where it is not assigned", async () => {
    const body = `${ONE} const account = rows[0]; if (account.balance < 0) account.balance = 0; ${SAVE("account")}`;
    assert.deepEqual(await last(5, "id: number", body), [
      "  if (r1.balance < 0)",
      "    @v1 := 0",
      "  else",
      "    @v1 := r1.balance",
      "  update accounts set balance = @v1 where (accounts.id = r1.id)",
    ]);
  });
});

describe("a field of one of many rows", () => {
  const WHICH = /which of the rows the code assigned a field is not known/u;
  const saved = `for (const row of rows) { ${SAVE("row")} }`;

  it("is not what was read where a loop assigned it", async () => {
    const found = await read("", `${ALL} for (const row of rows) row.balance += 1; ${saved}`);
    assert.match(losses(found).join(), WHICH);
  });

  it("nor where it was assigned to one that was searched for", async () => {
    const body = `${ALL} const own = rows.find((row) => row.id === id); own.balance -= 1; ${saved}`;
    assert.match(losses(await read("id: number", body)).join(), WHICH);
  });

  it("nor where the same row may be found in each round", async () => {
    const body = `${ALL} for (const line of lines) {
    const own = rows.find((row) => row.id === line.account);
    own.balance -= line.n;
    ${SAVE("own")}
  }`;
    const found = await read("lines: { account: number; n: number }[]", body);
    assert.match(losses(found).join(), WHICH);
  });

  it("is what the round itself assigned", async () => {
    const found = await read(
      "",
      `${ALL} for (const row of rows) { row.balance += 1; ${SAVE("row")} }`,
    );
    assert.deepEqual(losses(found), []);
    assert.match(printed(found).join(), /set balance = \(r1\.balance \+ 1\)/u);
  });
});

describe("items that are made of rows", () => {
  const made = `${ALL} const items = rows.map((row) => ({ id: row.id, balance: row.balance }));`;

  it("are not as they were made where a loop assigned a field", async () => {
    const body = `${made} for (const item of items) item.balance += 1;
  for (const item of items) { ${SAVE("item")} }`;
    assert.match(losses(await read("", body)).join(), /which items of a list/u);
  });

  it("nor where one by its index was assigned a field", async () => {
    const found = await read("", `${made} items[0].balance += 1; ${SAVE("items[0]")}`);
    assert.match(losses(found).join(), /which items of a list/u);
  });
});

describe("records by their keys", () => {
  it("are said to be written where it is not known which one is", async () => {
    const body = `${ALL} const byId = Object.fromEntries(rows.map((row) => [row.id, row]));
  byId[id].balance -= 1;
  for (const row of rows) { ${SAVE("row")} }`;
    assert.match(losses(await read("id: number", body)).join(), /which of several records/u);
  });
});

describe("a list that a loop filled", () => {
  it("does not hold what the loop added where a field of an item is assigned", async () => {
    const body = `${ALL} const all = [];
  for (const row of rows) all.push({ id: row.id, balance: row.balance + 1 });
  all[0].balance = 0;
  for (const each of all) { ${SAVE("each")} }`;
    assert.match(losses(await read("", body)).join(), /which items of a list/u);
  });
});

describe("a function that makes items", () => {
  it("ends the function where it refuses one, though nothing is asked of what it makes", async () => {
    const body = `${ALL} rows.map((row) => { if (row.balance > 3) throw new Error("no"); return row.id; });
  await pool.query("DELETE FROM log");`;
    const lines = printed(await read("", body)).join("\n");
    assert.match(lines, /rollback|!/u);
  });
});

describe("a document that was read", () => {
  it("is another one where something is added to a list in it", async () => {
    const body = `${ONE} const account = rows[0]; account.meta.tags.push("x");
  await pool.query("UPDATE accounts SET meta = $1 WHERE id = $2", [account.meta, id]);`;
    assert.match(losses(await read("id: number", body)).join(), /changes in data is not known/u);
  });
});

describe("a list among the arguments", () => {
  const each = `for (const id of ids) await pool.query("DELETE FROM log WHERE id = $1", [id]);`;

  it("has what is added to it", async () => {
    const found = await read("ids: number[], one: number", `ids.push(one); ${each}`);
    assert.deepEqual(losses(found), []);
    assert.deepEqual(printed(found).slice(1), [
      "  loop count",
      "    delete log where (log.id = :ids[@i1])",
      "  delete log where (log.id = :one)",
    ]);
  });

  it("is empty where it is cut short, and not known where a part is taken out", async () => {
    const empty = await read(
      "ids: number[]",
      `ids.length = 0; ${each} await pool.query("DELETE FROM accounts");`,
    );
    assert.equal(printed(empty)[1], "  delete accounts");
    const taken = await read("ids: number[]", `ids.shift(); ${each}`);
    assert.match(losses(taken).join(), /a loop over something that is not known/u);
  });

  it("has all that is added at once, and what is added where it is there", async () => {
    const both = await read("ids: number[]", `ids.push(1, 2); ${each}`);
    assert.deepEqual(printed(both).slice(-2), [
      "  delete log where (log.id = 1)",
      "  delete log where (log.id = 2)",
    ]);
    const perhaps = await read(
      "x: { ids?: number[] }",
      `const ids = x.ids ?? []; ids.push(1); ${each}`,
    );
    const found = printed(perhaps).filter((line) => line.includes("= 1"));
    assert.deepEqual(found.length, 2);
  });

  it("is not as it was given where an element is written", async () => {
    for (const at of ["0", "n"]) {
      const body = `ids[${at}] = 5; await pool.query("DELETE FROM accounts WHERE id = $1", [ids[0]]); ${each}`;
      assert.notDeepEqual(losses(await read("ids: number[], n: number", body)), [], at);
    }
  });

  it("is written where it is the one that was chosen", async () => {
    const body = `const one = flag ? a : b; one.n = 1;
  await pool.query("UPDATE log SET n = $1 WHERE id = $2", [a.n, b.n]);`;
    const [line = ""] = (await last(1, "flag: boolean, a: any, b: any", body)).slice(-1);
    assert.match(line, /:a\.n/u);
    assert.match(line, /:b\.n/u);
  });

  it("is not known where a loop adds to it", async () => {
    const body = `for (const one of more) ids.push(one); ${each}`;
    assert.notDeepEqual(losses(await read("ids: number[], more: number[]", body)), []);
  });
});
