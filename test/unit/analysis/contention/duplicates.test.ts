// Keys that another transaction took since they were looked for, where nothing in the code handles the server's error, and twins that do.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusals } from "../../../../server/src/analysis/contention/refusals";
import { explainRefusal } from "../../../../server/src/analysis/explain/refusal";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Anomaly } from "../../../../server/src/protocol/report";
import { analysablePart } from "../../../../server/src/service/search/analysable";
import { readOver } from "../../frontend/code/codePrograms";

const DDL = `CREATE TABLE person (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), email text NOT NULL UNIQUE);
CREATE TABLE message (task int, seq int, body text, PRIMARY KEY (task, seq));
CREATE TABLE counter (year int PRIMARY KEY, last int NOT NULL);
CREATE TABLE invoice (number text PRIMARY KEY, amount int NOT NULL);
CREATE TABLE receipt (year int, number int, amount int NOT NULL, PRIMARY KEY (year, number));`;

async function duplicates(body: string, levelName = "pg:rc"): Promise<readonly Anomaly[]> {
  const level = findLevel(levelName);
  assert.ok(level);
  const text = `import { Pool } from "pg";\nconst pool = new Pool();\n${body}`;
  const { transactions, tables } = await readOver(DDL, { "a.ts": text }, "postgres");
  const read = { schema: { tables }, transactions, notes: [], files: [] };
  const { program, flat } = analysablePart(read, 2);
  return findRefusals(program, flat, level)
    .map((each) => explainRefusal(program, level, each))
    .filter(({ kind }) => kind === "duplicate-key");
}

const LOOKS = `const { rows } = await pool.query("SELECT id FROM person WHERE email = $1", [email]);`;
const INSERTS = `await pool.query("INSERT INTO person (email) VALUES ($1)", [email]);`;
const person = (body: string): string =>
  `export async function register(email: string) {\n  ${body}\n}`;
const NUMBERS = `const { rows } = await client.query("SELECT max(seq) AS last FROM message WHERE task = $1", [task]);
    await client.query("INSERT INTO message (task, seq, body) VALUES ($1, $2, $3)", [task, (rows[0].last ?? 0) + 1, body]);`;
const numbered = (
  failed: string,
): string => `export async function append(task: number, body: string) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    ${NUMBERS}
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    ${failed}
  } finally {
    client.release();
  }
}`;

const counted = (
  lock: string,
  into: string,
  values: string,
): string => `export async function invoice(year: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT last FROM counter WHERE year = $1${lock}", [year]);
    const next = rows[0].last + 1;
    await client.query("UPDATE counter SET last = $1 WHERE year = $2", [next, year]);
    await client.query("INSERT INTO ${into}", ${values});
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}`;

const CASES: readonly { readonly name: string; readonly body: string; readonly count: number }[] = [
  {
    name: "a check before an insert",
    body: person(`${LOOKS} if (rows.length > 0) throw new Error("taken"); ${INSERTS}`),
    count: 1,
  },
  {
    name: "a row that is made where there is none",
    body: person(`${LOOKS} if (rows.length > 0) return rows[0].id; ${INSERTS} return null;`),
    count: 1,
  },
  { name: "a number one above the greatest", body: numbered("throw error;"), count: 1 },
  {
    name: "a number from a counter",
    body: counted("", "receipt (year, number, amount) VALUES ($1, $2, $3)", "[year, next, amount]"),
    count: 1,
  },
  {
    name: "a text with a number from a counter",
    body: counted("", "invoice (number, amount) VALUES ($1, $2)", "[`${year}-${next}`, amount]"),
    count: 1,
  },
  {
    name: "a number from a counter that is locked",
    body: counted(
      " FOR UPDATE",
      "receipt (year, number, amount) VALUES ($1, $2, $3)",
      "[year, next, amount]",
    ),
    count: 0,
  },
  { name: "an insert that looks for nothing", body: person(INSERTS), count: 0 },
  {
    name: "a look that decides nothing",
    body: person(`${LOOKS} console.log(rows.length); ${INSERTS}`),
    count: 0,
  },
  {
    name: "a handler of the error",
    body: person(
      `${LOOKS} if (rows.length > 0) throw new Error("taken");
  try { ${INSERTS} } catch (error) { if (error.code === "23505") return false; throw error; }`,
    ),
    count: 0,
  },
  {
    name: "a handler that says another error for it",
    body: person(
      `${LOOKS} if (rows.length > 0) throw new Error("taken");
  try { ${INSERTS} } catch (error) { if (isUnique(error)) throw new Error("taken"); throw error; }`,
    ),
    count: 0,
  },
  {
    name: "a handler of another statement",
    body: person(
      `try { ${LOOKS} if (rows.length > 0) return false; } catch (error) { if (error.code === "23505") return false; throw error; }
  ${INSERTS} return true;`,
    ),
    count: 1,
  },
  {
    name: "a handler that writes a log and throws on",
    body: numbered("console.error(error); throw error;"),
    count: 1,
  },
  {
    name: "a handler around the transaction",
    body: numbered('if (error.code === "23505") return false; throw error;'),
    count: 0,
  },
  {
    name: "an insert that passes over a taken key",
    body: person(
      `${LOOKS} if (rows.length > 0) return; await pool.query("INSERT INTO person (email) VALUES ($1) ON CONFLICT DO NOTHING", [email]);`,
    ),
    count: 0,
  },
  {
    name: "a lock that lets one look at a time",
    body: numbered("throw error;").replace(
      "const { rows }",
      'await client.query("LOCK TABLE message IN EXCLUSIVE MODE"); const { rows }',
    ),
    count: 0,
  },
];

describe("a key that another transaction took is told for", () => {
  for (const { name, body, count } of CASES)
    it(name, async () => {
      const found = await duplicates(body);
      assert.equal(found.length, count);
      for (const { status, severity, cycle } of found) {
        assert.deepEqual([status, severity], ["confirmed", "refused"]);
        assert.deepEqual(
          cycle.map(({ dependency }) => dependency),
          ["rw", "ww"],
        );
      }
    });

  it("no transaction at PostgreSQL's SERIALIZABLE, which refuses it for another reason", async () => {
    assert.deepEqual(await duplicates(numbered("throw error;"), "pg:serializable"), []);
  });

  it("the counter that the number was read from, in words and in the cycle", async () => {
    const values = "receipt (year, number, amount) VALUES ($1, $2, $3)";
    const [found] = await duplicates(counted("", values, "[year, next, amount]"));
    assert.match(
      found?.message ?? "",
      /it reads counter before the other one has changed it, and inserts into receipt behind it, which the key refuses/u,
    );
    assert.deepEqual(
      found?.cycle.map(({ from, to, table }) => [from.text, to.text, table]),
      [
        [
          "SELECT last FROM counter WHERE year = $1",
          "UPDATE counter SET last = $1 WHERE year = $2",
          "counter",
        ],
        [`INSERT INTO ${values}`, `INSERT INTO ${values}`, "receipt"],
      ],
    );
  });

  it("the transaction in words", async () => {
    const [found] = await duplicates(numbered("throw error;"));
    assert.equal(
      found?.title,
      "append(1, 'a') fails with an error of the server (23505) where another run of it inserts the same key into message at the same time",
    );
  });
});
