// Objects that a collection holds under keys that are only known when it runs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOver } from "./codePrograms";

const DDL = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);";
const HEAD = `import { Pool } from "pg";
import { AsyncLocalStorage } from "node:async_hooks";
const pool = new Pool();
class Store { async add(id: number) { await pool.query("UPDATE t SET n = n + 1 WHERE id = $1", [id]); } }
`;

/** The calls that are said to be in no transaction. */
async function unreached(text: string): Promise<readonly string[]> {
  const { notes } = await readOver(DDL, { "a.ts": HEAD + text }, "postgres");
  return notes.flatMap(({ code, message }) =>
    code === "call-unreached" ? [message.replace(/\(\) may use.*$/su, "")] : [],
  );
}

describe("an object of a collection", () => {
  it("is said to be unknown where its method may run a statement, in functions that run no other", async () => {
    const functions = {
      "by.get().add":
        "const by = new Map<string, Store>(); by.set(key, new Store()); await by.get(key)!.add(id);",
      "by[].add":
        "const by: Record<string, Store> = {}; by[key] = new Store(); await by[key]!.add(id);",
      "by.get().get().add":
        "const by = new Map<string, Map<string, Store>>(); by.set(key, new Map()); by.get(key)!.set(key, new Store()); await by.get(key)!.get(key)!.add(id);",
    };
    for (const [name, body] of Object.entries(functions)) {
      const text = `export async function f(id: number, key: string) { ${body} }`;
      assert.deepEqual(await unreached(text), [name], body);
    }
  });

  it("is data where nothing else is put there", async () => {
    const bodies = [
      "const by = new Map<string, number>(); by.set(key, id); by.get(key)?.toFixed();",
      "const by = new Map<string, string[]>(); by.set(key, []); by.get(key)!.push(key);",
      "const by: Record<string, { n: number }> = {}; by[key] = { n: id }; by[key]!.n += 1;",
    ];
    for (const body of bodies) {
      const text = `class Other extends Store { push(id: number) { return this.add(id); } toFixed() { return this.add(1); } }
export const other = new Other();
export async function f(id: number, key: string) { ${body} }`;
      assert.deepEqual(await unreached(text), [], body);
    }
  });

  it("has a name of its own, which is none of the collection's methods", async () => {
    const text = `export async function f(id: number) {
  const by = new Map<string, number>([["get", 1], ["set", 2]]);
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, by.get("set")]);
}`;
    const { transactions } = await readOver(DDL, { "a.ts": HEAD + text }, "postgres");
    const own = transactions.find(({ name }) => name === "f");
    assert.deepEqual(own?.taint, []);
    assert.match(JSON.stringify(own?.body), /"value":2/u);
  });

  it("is known by the type of an AsyncLocalStorage that something else fills", async () => {
    const text = `const storage = new AsyncLocalStorage<{ cache: Map<string, Map<string, boolean>> | null }>();
class Other { async set(id: number) { await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id]); } }
export const other = new Other();
export const begin = (next: () => Promise<void>) => storage.run({ cache: null }, next);
export async function f(id: number, key: string) {
  const store = storage.getStore();
  if (!store) return;
  store.cache ??= new Map();
  let own = store.cache.get(key);
  if (!own) { own = new Map(); store.cache.set(key, own); }
  own.set(key, true);
  await pool.query("UPDATE t SET n = n + 1 WHERE id = $1", [id]);
}`;
    const { transactions } = await readOver(DDL, { "a.ts": HEAD + text }, "postgres");
    const own = transactions.find(({ name }) => name === "f");
    assert.deepEqual(
      own?.taint.filter(({ effect }) => effect === "opaque"),
      [],
    );
  });
});

it("what a function runs that others follow is said of these alone", async () => {
  const text = `export async function inner(id: number, key: string, by: Map<string, Store> = new Map()) {
  by.set(key, new Store());
  await by.get(key)!.add(id);
}
export async function outer(id: number) {
  await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id]);
  await inner(id, String(id), new Map());
}`;
  assert.deepEqual(await unreached(text), []);
});
