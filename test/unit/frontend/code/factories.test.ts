// A service that is given by the type of what a factory returns is what that factory makes.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { readOver } from "./codePrograms";

const DDL = "CREATE TABLE tasks (id int PRIMARY KEY, status text NOT NULL);";
const STORE = `import { Pool } from "pg";
export ASYNC function createStore(db: Pool) {
  return {
    async find(id: number) { return (await db.query("SELECT status FROM tasks WHERE id = $1", [id])).rows[0]; },
    async set(id: number, status: string) { await db.query("UPDATE tasks SET status = $2 WHERE id = $1", [id, status]); },
  };
}
`;
const USE = 'if ((await STORE.find(id)).status === "new") await STORE.set(id, "old");';

/** A service with one step of two statements, wherever it has its store from. */
async function check(store: string, service: string): Promise<void> {
  const texts = { "store.ts": store, "service.ts": service };
  const { transactions } = await readOver(DDL, texts, "postgres");
  const own = transactions.find(({ source }) => source.file === "service.ts");
  assert.ok(own, "the step is read");
  let statements = 0;
  walkCommand(own.body, { statement: () => (statements += 1) });
  assert.equal(statements, 2);
  assert.deepEqual(own.taint, []);
}

describe("a store that a service is given", () => {
  const named = `${STORE.replace("ASYNC ", "")}export type Store = ReturnType<typeof createStore>;`;
  const step = (of: string): string => `async step(id: number) { ${USE.replaceAll("STORE", of)} }`;

  it("in a record of what it depends on", () =>
    check(
      named,
      `import type { Store } from "./store"; export function service({ store }: { store: Store }) { return { ${step("store")} }; }`,
    ));

  it("as an argument", () =>
    check(
      named,
      `import type { Store } from "./store"; export const service = (store: Store) => ({ ${step("store")} });`,
    ));

  it("of a factory that is awaited", () =>
    check(
      STORE.replace("ASYNC", "async"),
      `import { createStore } from "./store"; type Store = Awaited<ReturnType<typeof createStore>>; export const service = (store: Store) => ({ ${step("store")} });`,
    ));
});
