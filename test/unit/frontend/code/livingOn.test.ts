// What stands at the top of a module, or in an object of it, lives on between calls: no function finds it as it was made.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const DDL = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);";
const POOL = `import { Pool } from "pg";\nconst pool = new Pool();\n`;

/** The unit of that name, without its first line, and what it loses. */
async function unit(name: string, text: string) {
  const all = await transactionsOf(DDL, { "a.ts": POOL + text });
  const found = all.find((each) => each.name.endsWith(name));
  assert.ok(found, text);
  const lines = printed([found])
    .slice(1)
    .map((line) => line.trim());
  return { lines, losses: losses(found) };
}

describe("what lives on between calls", () => {
  it("is not what it was when it was made", async () => {
    const flags = [
      "const state: any = {}; FUNCTION { if (state.done) RUN; state.done = true; }",
      "const seen = new Set<number>(); FUNCTION { if (seen.has(id)) RUN; seen.add(id); }",
      "const by = new Map<number, number>(); FUNCTION { if (by.get(id)) RUN; by.set(id, 1); }",
      "const by: Record<number, boolean> = { 1: true }; FUNCTION { if (by[1]) RUN; delete by[1]; }",
      "class B { n = 0; up() { this.n++; return this.n > 3; } } class C extends B {} const c = new C(); FUNCTION { if (c.up()) RUN; }",
      "class C { n = 0; up() { this.n++; return this.n > 3; } } const c = new C(); FUNCTION { if (c.up()) RUN; }",
    ];
    for (const each of flags) {
      const text = each
        .replace("FUNCTION", "export async function f(id: number)")
        .replace("RUN", 'await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id])');
      const { lines } = await unit("f", text);
      assert.match(lines[0] ?? "", /^if .*unknown\(/u, text);
      assert.equal(lines.at(-1), "update t set n = 0 where (t.id = :id)");
    }
    const written = `const options = { n: 1, kept: 2 };
export function choose(n: number) { options.n = n; }
export async function f(id: number) {
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, options.n]);
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, options.kept]);
}`;
    const { lines, losses: lost } = await unit("f", written);
    assert.equal(lines[0], "update t set n = unknown(1) where (t.id = :id)");
    assert.equal(lines[1], "update t set n = 2 where (t.id = :id)");
    assert.deepEqual(lost, ["options.n changes from call to call"]);
  });

  it("is what others put there, in an order that is not known", async () => {
    const queue = `const queue: number[] = [];
export function later(id: number) { queue.push(id); }
export async function flush() {
  for (const id of queue) await pool.query("UPDATE t SET n = 2 WHERE id = $1", [id]);
  queue.length = 0;
}`;
    const { lines, losses: lost } = await unit("flush", queue);
    assert.deepEqual(lost, ["queue changes from call to call"]);
    assert.equal(lines[0], "loop unknown");
  });

  it("is known where nothing changes it, and where it is made when it is first asked for", async () => {
    const lazy = [
      "const made: { pool?: Pool } = {}; const db = () => (made.pool ??= new Pool());",
      "const made: any = {}; function db() { if (!made.pool) made.pool = new Pool(); return made.pool; }",
      "class Db { private made?: Pool; calls = 0; get() { this.calls++; return (this.made ??= new Pool()); } } const one = new Db(); const db = () => one.get();",
    ];
    for (const each of lazy) {
      const text = `${each}
const numbers = [3, 4];
export async function f(id: number) {
  await db().query("UPDATE t SET n = $2 WHERE id = $1", [id, numbers[1]]);
}`;
      const { lines, losses: lost } = await unit("f", text);
      assert.deepEqual(lines, ["update t set n = 4 where (t.id = :id)"], each);
      assert.deepEqual(lost, [], each);
    }
  });

  it("is made anew where a function makes it", async () => {
    const own = `class Count { n = 0; up() { this.n++; return this.n; } }
export async function f(id: number) {
  const count = new Count();
  count.up();
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, count.up()]);
}`;
    const { lines } = await unit("f", own);
    assert.equal(lines.at(-1), "update t set n = 2 where (t.id = :id)");
  });
});
