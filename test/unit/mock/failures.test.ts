// Assertions of an application over many runs: the smallest run that breaks one, as a script.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { assertAlways, smallestFailure } from "../../../server/src/mock/failures";
import { openStore } from "../../../server/src/mock/openStore";

const SCHEMA =
  "CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 0);";

/** Two deposits side by side, each by what it has read; at a level that ends one of them, it is tried again. */
function deposits(pool: pg.Pool, between: string, tries = 5): readonly Promise<void>[] {
  return [10, 20].map((amount) => deposit(amount, tries));

  async function deposit(amount: number, left: number): Promise<void> {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const { rows } = await client.query<{ balance: number }>(
        `SELECT balance FROM account WHERE id = 1${between}`,
      );
      await client.query("UPDATE account SET balance = $1 WHERE id = 1", [
        (rows[0]?.balance ?? 0) + amount,
      ]);
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      if (left === 1) throw error;
      await deposit(amount, left - 1);
    } finally {
      client.release();
    }
  }
}

for (const [level, lock, breaks] of [
  ["read-committed", "", true],
  ["postgres:read-committed", "", true],
  ["postgres:read-committed", " FOR UPDATE", false],
  ["serializable", "", false],
] as const)
  test(`deposits are ${breaks ? "" : "not "}lost at ${level}${lock}`, async () => {
    const store = await openStore({ level, schema: SCHEMA });
    const pool = new pg.Pool({ connectionString: store.url });
    const trial = {
      runs: 20,
      further: 5,
      run: () => deposits(pool, lock),
      check() {
        assert.deepEqual(store.rows("SELECT balance FROM account"), [{ balance: "30" }]);
      },
    };
    try {
      const failure = await smallestFailure(store, trial);
      assert.equal(failure !== undefined, breaks);
      if (!failure) return;
      assert.ok(failure.runs <= 20);
      assert.match(failure.script, /-- session \d\nBEGIN;/u);
      assert.match(failure.script, /SELECT balance FROM account WHERE id = 1;\n--   0/u);
      assert.match(failure.script, /balance = \$1 WHERE id = 1; {2}-- with '?\d+/u);
      await assert.rejects(assertAlways(store, trial), /the smallest failing run \(seed \d+\)/u);
    } finally {
      await pool.end();
      await store.close();
    }
  });

test("runs of which the level has ended all say nothing, which is an error", async () => {
  const store = await openStore({ level: "serializable", schema: SCHEMA });
  const pool = new pg.Pool({ connectionString: store.url });
  try {
    const trial = { runs: 5, run: () => deposits(pool, "", 1), check: () => undefined };
    await assert.rejects(
      assertAlways(store, trial),
      /nothing was checked: the level ended all of 5/u,
    );
  } finally {
    await pool.end();
    await store.close();
  }
});

for (const form of ["a list", "one promise"] as const)
  test(`what goes on when the level has ended a request of a run is no part of the next run: ${form}`, async () => {
    const store = await openStore({ level: "serializable", schema: SCHEMA });
    const pool = new pg.Pool({ connectionString: store.url });
    let runs = 0;
    const late = async (): Promise<void> => {
      await pool.query("SELECT 1");
      await pool.query("UPDATE account SET balance = balance + 10 WHERE id = 1");
    };
    const run = (): readonly Promise<void>[] => {
      const refusal = Object.assign(new Error("try again"), { code: "40001" });
      return runs++ === 0 ? [Promise.reject(refusal), late()] : [late()];
    };
    const all = async (): Promise<void> => {
      await Promise.all(run());
    };
    try {
      const check = (): void => {
        assert.deepEqual(store.rows("SELECT balance FROM account"), [{ balance: "10" }]);
      };
      await assertAlways(store, { runs: 2, run: form === "a list" ? run : all, check });
      assert.equal(runs, 2);
    } finally {
      await pool.end();
      await store.close();
    }
  });

test("an error of the application itself is thrown", async () => {
  const store = await openStore({ level: "read-committed", schema: SCHEMA });
  try {
    const run = (): Promise<void> => Promise.reject(new Error("no such thing"));
    await assert.rejects(smallestFailure(store, { run, check: () => undefined }), /no such thing/u);
  } finally {
    await store.close();
  }
});
