// Statements behind the end of a function that is too large to be followed are told by those that hold it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";

/** So many calls are followed in one function, and twice as many are not. */
const HALF = 70;

/** A function that decides many times, each time on something else. */
function deciding(times: number): string {
  const lines = Array.from(
    { length: times },
    (_, at) => `  if (x.a${String(at)} > ${String(at)}) y += x.b${String(at)} * ${String(at)};`,
  );
  return `function decide(x) {\n  let y = 0;\n${lines.join("\n")}\n  return y;\n}`;
}

describe("a function that is cut short", () => {
  it("is none because of constants of classes that it asks for often", async () => {
    const flags = Array.from({ length: 60 }, (_, at) => `F${String(at)}: bit(${String(at)})`);
    const text = `import { Pool } from "pg";
const pool = new Pool();
const bit = (n) => 1 << n;
class Flags { static ALL = { ${flags.join(", ")} }; }
export async function f(id, x) {
  ${Array.from({ length: 80 }, (_, at) => `if (x.a${String(at)}) x.b = Flags.ALL.F1;`).join("\n  ")}
  await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, Flags.ALL.F3]);
}`;
    const found = await transactionsOf(DDL, { "a.ts": text });
    assert.deepEqual(found.map(losses), [[]]);
    assert.match(printed(found).join("\n"), /balance = code:<<\(1, 3\)/u);
  });

  it("leaves transactions to the functions that it calls, where it ends within them", async () => {
    const text = `import { Pool } from "pg";
const pool = new Pool();
${deciding(12)}
async function transfer(id, n) {
  const c = await pool.connect();
  await c.query("BEGIN");
  await c.query("UPDATE accounts SET balance = balance - 1 WHERE id = $1", [id]);
  let d = 0;
  ${"d = decide(n);\n  ".repeat(HALF)}
  await c.query("UPDATE accounts SET balance = balance + 1 WHERE id = $1", [n]);
  await c.query("COMMIT");
}
export async function job(id, x) {
  let d = 0;
  ${"d = decide(x);\n  ".repeat(HALF)}
  await transfer(id, x);
}`;
    const names = (await transactionsOf(DDL, { "a.ts": text })).map(({ id }) => id);
    assert.deepEqual(names, ["transfer", "job"]);
  });
});
