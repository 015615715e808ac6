// `isolens/store` as an application's tests use it: by its name, as it was built.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { assertAlways, openStore, smallestFailure } from "isolens/store";
import * as failures from "../../server/src/mock/failures";
import { openStore as source } from "../../server/src/mock/openStore";

/** The types that users get are those of the code, and the other way around. */
const same: typeof openStore = source;
const back: readonly [
  typeof source,
  typeof failures.smallestFailure,
  typeof failures.assertAlways,
] = [openStore, smallestFailure, assertAlways];
const alike: readonly [typeof smallestFailure, typeof assertAlways] = [
  failures.smallestFailure,
  failures.assertAlways,
];

test("a test starts a database, runs its application and judges the run", async () => {
  assert.equal(typeof same, "function");
  assert.equal(alike.length + 1, back.length);
  const store = await openStore({
    level: "causal",
    strategy: "stale",
    schema:
      "CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 0);",
  });
  try {
    const clients = [1, 2].map(() => new pg.Client({ connectionString: store.url }));
    await Promise.all(clients.map((client) => client.connect()));
    for (const client of clients)
      await client.query("UPDATE account SET balance = balance + 1 WHERE id = 1");
    assert.deepEqual(store.rows("SELECT balance FROM account"), [{ balance: "1" }]);
    assert.equal(store.verdicts()["causal"], "ok");
    assert.equal(store.verdicts()["snapshot-isolation"], "violated");
    store.reset();
    assert.equal(store.history().sessions.flat().length, 0);
    await Promise.all(clients.map((client) => client.end()));
  } finally {
    await store.close();
  }
});
