// A value at the top of a module, or in an object of it, lives on between calls: no function finds it as it was made.
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
      "const state = { inner: {} as any }; function mark(it: any) { it.done = true; } export function g() { mark(state.inner); } FUNCTION { if (state.inner.done) RUN; }",
      "const list: number[] = []; const put = (to: number[], id: number) => { to.push(id); }; export function g() { put(list, 1); } FUNCTION { if (list.length > 0) RUN; }",
      "class C { static seen: number[] = []; } function put(to: number[]) { to.push(1); } export function g() { put(C.seen); } FUNCTION { if (C.seen.length > 0) RUN; }",
    ];
    for (const each of flags) {
      const text = each
        .replace("FUNCTION", "export async function f(id: number)")
        .replace("RUN", 'await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id])');
      const { lines } = await unit("f", text);
      assert.match(lines[0] ?? "", /^if .*unknown\(/u, text);
      assert.equal(lines.at(-1), "update t set n = 0 where (t.id = :id)");
    }
    const held = "class C { private n = 0; up() { this.n++; return this.n > 3; } }";
    const run = 'await pool.query("UPDATE t SET n = 0 WHERE id = $1", [id]);';
    for (const text of [
      `${held} export class F { constructor(private c: C) {} async f(id: number) { if (this.c.up()) ${run} } }`,
      `${held} export async function f(c: C, id: number) { if (c.up()) ${run} }`,
    ]) {
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

  it("is what a variable or a static field was given first, where that is made once", async () => {
    const once = [
      "let one: Store | undefined; function store() { if (!one) { one = new Store(); } return one; }",
      "let one: Store | null = null; const store = () => (one ??= new Store()); export function close() { one = null; }",
      "let one: Store; export function start() { one = new Store(); } const store = () => one;",
      "class Stores { private static one: Store; static get() { if (!Stores.one) Stores.one = new Store(); return Stores.one; } } const store = () => Stores.get();",
      "class Stores { static #one?: Store; static get one() { this.#one ??= new Store(); return this.#one; } } const store = () => Stores.one;",
      "class Stores { static one: Store | null = null; static get() { return (this.one ??= new Store()); } } class Own extends Stores {} const store = () => Own.get();",
      "class Own extends Store { private static one: Own; static get() { if (Own.one) return Own.one; Own.one = new Own(); return Own.one; } } const kept = Own.get(); const store = () => kept;",
    ];
    for (const each of once) {
      const text = `class Store { async add(id: number) { await pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
${each}
export async function f(id: number) { await store().add(id); }`;
      const { lines, losses: lost } = await unit("f", text);
      assert.deepEqual(lines, ["update t set n = 1 where (t.id = :id)"], each);
      assert.deepEqual(lost, [], each);
    }
  });

  it("is anything of its type where a variable or a static field is assigned elsewhere", async () => {
    const text = `class Store { async add(id: number) { await pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
let one: Store | undefined;
let limit = 3;
const kept: { n: number | null } = { n: null };
class Own { static count = 0; static seen: number[] = []; static readonly most = 5; private last: number | null = null; set(n: number) { this.last = n; } get() { return this.last ?? 0; } }
const own = new Own();
export function use(store: Store, n: number) { one = store; limit = n; kept.n = n; Own.count += n; Own.seen.push(n); own.set(n); }
export async function f(id: number) {
  await one?.add(id);
  for (const n of [limit, kept.n ?? 0, Own.count, Own.seen.length, own.get(), Own.most]) await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, n]);
  limit = id;
  Own.count = id;
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [limit, Own.count]);
}`;
    const { lines } = await unit("f", text);
    assert.deepEqual(lines.slice(0, 1), ["if (:one is there = true)"]);
    const updates = lines.filter((line) => line.startsWith("update"));
    assert.equal(updates[0], "update t set n = 1 where (t.id = :id)");
    assert.equal(updates.filter((line) => line.includes("unknown(")).length, 5);
    assert.equal(updates.at(-2), "update t set n = 5 where (t.id = :id)");
    assert.equal(updates.at(-1), "update t set n = :id where (t.id = :id)");
  });

  it("is made of what is around the assignment", async () => {
    const made = [
      "export function start(limit: number) { one = new Store(limit); }",
      "export function start() { const limit = 7; one = makeStore(limit); }",
      "export function start() { for (const limit of [1, 2]) one = makeStore(limit); }",
      "for (const { limit } of [{ limit: 2 }]) one = makeStore(limit);",
    ];
    for (const each of made) {
      const text = `const limit = 1;
class Store { constructor(private n: number) {} async add(id: number) { await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, this.n]); } }
const makeStore = (n: number) => new Store(n);
let one: any;
${each}
export async function f(id: number) { await one.add(id); }`;
      const { lines, losses: lost } = await unit("f", text);
      assert.equal(lines[0], "update t set n = unknown() where (t.id = :id)", each);
      assert.deepEqual(lost, ["limit is that of the call that assigned one"]);
    }
    const { lines, losses: lost } = await unit(
      "f",
      `class Store { constructor(private db: Pool) {} async add(id: number) { await this.db.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
let one: Store | undefined;
export function start(given: Pool) { one = new Store(given); }
export async function f(id: number) { await one!.add(id); }`,
    );
    assert.equal(lines[0], "update t set n = 1 where (t.id = :id)");
    assert.deepEqual(lost, []);
  });

  it("is what other modules put there", async () => {
    const texts = {
      "a.ts": `export class Config { static most = 4; static readonly kept = 3; static list: number[] = []; static one?: Store; }
export class Store { constructor(private n: number) {} async add(id: number) { await pool.query("UPDATE t SET n = 9 WHERE id = $1", [id]); } }
import { pool } from "./pool";
const plain = { a: 1, b: 2 };
export default plain;
export const far = { x: 1 };
export const whole = { y: 1 };`,
      "pool.ts": `${POOL}export { pool };`,
      "state.js": "const state = { z: 1 };\nmodule.exports = state;",
      "index.ts": 'export * from "./a";\nexport { default as again } from "./a";',
      "b.ts": `import other, { Config } from "./a";
import * as all from "./index";
import { far as away } from "./index";
const state = require("./state");
export function set(n: number) { Config.most = n; Config.list.push(n); Config.one = new all.Store(n); other.a = n; away.x++; all.whole.y = n; state.z = n; }`,
      "c.ts": `import { pool } from "./pool";
import { Config, again, far, whole } from "./index";
const state = require("./state");
export async function f(id: number) {
  await Config.one?.add(id);
  for (const n of [Config.kept, again.b, Config.most, Config.list[0], again.a, far.x, whole.y, state.z]) await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, n]);
}`,
    };
    const all = await transactionsOf(DDL, texts);
    const found = all.find(({ name }) => name === "f");
    assert.ok(found);
    const lines = printed([found]).map((line) => line.trim());
    assert.equal(lines[1], "if (:Config.one is there = true)");
    const updates = lines.filter((line) => line.startsWith("update"));
    assert.equal(updates[0], "update t set n = 9 where (t.id = :id)");
    assert.equal(updates[1], "update t set n = 3 where (t.id = :id)");
    assert.equal(updates[2], "update t set n = 2 where (t.id = :id)");
    assert.equal(updates.length, 9);
    for (const each of updates.slice(3)) assert.match(each, /set n = unknown\(/u);
  });

  it("is what the functions of its object put there, however they came to it", async () => {
    const can =
      "(k: string) => { let ok = false; for (const [x] of this.m.entries()) if (x === k) ok = true; return ok; };";
    const classes = [
      `class C { m = new Map<string, number>(); allow = (k: string) => { this.m.set(k, 1); }; can = ${can} }`,
      `class C { m = new Map<string, number>(); allow(k: string) { const { m } = this; m.set(k, 1); } can = ${can} }`,
      `class C { m = new Map<string, number>(); allow(k: string) { const self = this; const by = self.m; by.set(k, 1); } can = ${can} }`,
      `class C { m = new Map<string, number>(); allow: (k: string) => void; constructor() { this.allow = (k) => { this.m.set(k, 1); }; } can = ${can} }`,
      "class C { m = new Map<string, string[]>([['a', []]]); allow = (k: string) => { this.m.get('a')!.push(k); }; can = (k: string) => this.m.get('a')!.includes(k); }",
      "class C { m: string[] = []; allow = (k: string) => { (this.m as any).push(k); }; can = (k: string) => this.m.length > 0; }",
      `class In { m = new Map<string, number>(); put(k: string) { this.m.set(k, 1); } has = ${can} } class C { inner = new In(); allow = (k: string) => this.inner.put(k); can = (k: string) => this.inner.has(k); }`,
    ];
    const helpers = [
      "function put(by: Map<string, number>, k: string) { by.set(k, 1); } class C { m = new Map<string, number>(); allow(k: string) { put(this.m, k); } can = CAN }",
      "const put = (to: string[], k: string) => on({ to, k }); function on({ to, k }: any) { to.push(k); } class C { m: string[] = []; allow(k: string) { const { m } = this; put(m, k); } can = (k: string) => this.m.length > 0; }",
      "import { put } from './put'; class C { m: any = {}; allow(k: string) { put(this, k); } can = (k: string) => this.m.done === true; }",
      "import * as helpers from './put'; class C { m: any = {}; allow = (k: string) => { helpers.put(this, k); }; can = (k: string) => this.m.done === true; }",
      "import { Filler } from './put'; class C { m: string[] = []; constructor(private by = new Filler()) {} allow(k: string) { this.by.fill(this.m, k); } can = (k: string) => this.m.length > 0; }",
      "class C { m: any = {}; allow = (k: string) => this.put(this.m); private put(m: any) { Object.assign(m, { done: true }); } can = (k: string) => this.m.done === true; }",
    ].map((each) => each.replace("CAN", can));
    const made = ["const c = new C(); export const { allow, can } = c;", "export const { allow, can } = new C();"]; // prettier-ignore
    for (const of of [...classes, ...helpers]) {
      for (const given of made) {
        const all = await transactionsOf(DDL, {
          "put.ts":
            "export function put(into: any, k: string) { into.m.done = true; } export class Filler { fill(to: string[], k: string) { to.push(k); } }",
          "a.ts": `${of}\n${given}`,
          "b.ts": 'import { allow } from "./a";\nallow("a");',
          "c.ts": `import { can } from "./a";\n${POOL}
export async function f(id: number) { if (!can("a")) throw new Error("no"); await pool.query("UPDATE t SET n = 2 WHERE id = $1", [id]); }`,
        });
        const found = all.find(({ name }) => name === "f");
        assert.ok(found, of + given);
        const lines = printed([found]).map((line) => line.trim());
        assert.equal(lines.at(-1), "update t set n = 2 where (t.id = :id)", of + given);
        assert.ok(
          lines.some((line) => line.startsWith("if not ")),
          of + given,
        );
      }
    }
  });

  it("is what a listener that something unknown runs leaves there", async () => {
    const given = [
      'zip.on("entry", (e: any) => { root.children.push(e); });',
      'zip.on("entry", (e: any) => { let c = root; c.children.push(e); });',
      'const put = (e: any) => { const c = root; c.children.push(e); }; zip.on("entry", (e: any) => put(e));',
      'await new Promise((r) => { zip.on("entry", (e: any) => { let c = root; c.children.push(e); }); zip.on("end", r); });',
      'open((error: any, zip: any) => { zip.on("entry", (e: any) => root.children.push(e)); });',
      "const reader = new zip.Reader(); reader.onEntry = (e: any) => { root.children.push(e); }; await reader.done();",
      "await open({ onEntry(e: any) { root.children.push(e); } });",
      "await open(id, { ...zip.options, on: { entry: (e: any) => { root.children.push(e); } } });",
      "const reader = new zip.Reader([{ entry: (e: any) => root.children.push(e) }]); await reader.done();",
    ];
    for (const each of given) {
      const { lines } = await unit(
        "f",
        `import { zip, open } from "zip";
export async function f(id: number) {
  const root = { children: [] as any[] };
  ${each}
  if (root.children.length === 0) throw new Error("empty");
  await pool.query("UPDATE t SET n = 2 WHERE id = $1", [id]);
}`,
      );
      assert.equal(lines.at(-1), "update t set n = 2 where (t.id = :id)", each);
      assert.ok(lines.some((line) => line.includes("unknown(")), each); // prettier-ignore
    }
    const { lines, losses: lost } = await unit(
      "f",
      `import { stream } from "stream";
export async function f(id: number) {
  let n = 0;
  const kept = { m: 3 };
  stream.on("data", () => { n += kept.m; });
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, n]);
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, kept.m]);
}`,
    );
    assert.match(lines[0] ?? "", /set n = unknown\(/u);
    assert.equal(lines[1], "update t set n = 3 where (t.id = :id)");
    assert.deepEqual(lost, [
      "what stream.on() runs leaves something there, when and how often is not known",
    ]);
  });

  it("is as it was declared where nothing assigns it", async () => {
    const text = `let most = 3;
class Base { static most = 4; static async add(id: number) { await pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
class Own extends Base {}
export async function f(id: number) {
  let other = 1;
  other = id;
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [other, most]);
  await pool.query("UPDATE t SET n = $2 WHERE id = $1", [id, Own.most]);
  await Own.add(id);
}`;
    const { lines, losses: lost } = await unit("f", text);
    assert.deepEqual(lost, []);
    assert.deepEqual(lines, [
      "update t set n = 3 where (t.id = :id)",
      "update t set n = 4 where (t.id = :id)",
      "update t set n = 1 where (t.id = :id)",
    ]);
  });

  it("may be any function or object that was put there, which is told", async () => {
    const kept = [
      [
        "const by = new Map<string, Store>(); export function put(store: Store) { by.set('a', store); }",
        "by.get(key)?.add(id)",
        "by.get().add",
      ],
      [
        "class Stores { private by = new Map<string, Store>(); put(key: string, store: Store) { this.by.set(key, store); } of(key: string) { return this.by.get(key); } } const stores = new Stores();",
        "stores.of(key)!.add(id)",
        "stores.of().add",
      ],
      [
        "const all: ((id: number) => Promise<void>)[] = []; export function on(f: (id: number) => Promise<void>) { all.push(f); }",
        "all[0](id)",
        "all[]",
      ],
    ] as const;
    for (const [declared, call, name] of kept) {
      const text = `class Store { async add(id: number) { await pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
${declared}
export async function f(id: number, key: string) { await pool.query("UPDATE t SET n = 2 WHERE id = $1", [id]); await ${call}; }`;
      const { losses: lost } = await unit("f", text);
      assert.deepEqual(lost, [
        `${name}() may use the database: which of several it is is not known`,
      ]);
    }
  });

  it("is a collection whatever it holds, by its type or for all that is put there", async () => {
    const kept = [
      "class Cache { private by: Map<string, Set<string>> = new Map(); USE } const it = new Cache();",
      "class Cache { static by: Map<string, Set<string>> = new Map(); static USE } const it = Cache;",
      "const by: Map<string, Set<string>> = new Map(); const it = { USE };",
    ];
    const use = `has(key: string) {
  let own = BY.get(key);
  if (!own) { own = new Set(); BY.set(key, own); }
  if (own.has("x")) return true;
  own.add("x");
  return false;
}`;
    for (const each of kept) {
      const by = each.startsWith("const by") ? "by" : each.includes("static") ? "Cache.by" : "this.by"; // prettier-ignore
      const text = `class Store { add(id: number) { return pool.query("UPDATE t SET n = 1 WHERE id = $1", [id]); } }
${each.replace("USE", use.replaceAll("BY", by))}
export async function f(id: number, key: string) { if (it.has(key)) return; await pool.query("UPDATE t SET n = 2 WHERE id = $1", [id]); }`;
      const { lines, losses: lost } = await unit("f", text);
      assert.deepEqual(lost, [], each);
      assert.equal(lines.at(-1), "update t set n = 2 where (t.id = :id)");
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

  it("is what was made when it was first asked for, wherever that is kept", async () => {
    const places = [
      'function store() { return locals.get("s") ?? locals.set("s", new Store()); }',
      'function store() { let s = locals.get("s"); if (!s) { s = new Store(); locals.set("s", s); } return s; }',
      'function store() { if (!locals.has("s")) locals.set("s", new Store()); return locals.get("s"); }',
      'function store() { const hit = locals.get("s"); if (hit) return hit; const s = new Store(); locals.set("s", s); return s; }',
      "function store() { const all = globalThis as any; if (!all.store) all.store = makeStore(); return all.store; }",
      "const KEY = Symbol(); function store() { return ((globalThis as any)[KEY] ??= makeStore()); }",
      "let only: Store; function store() { if (only === undefined) only = new Store(); return only; }",
      "let only: Store; function store() { if (only) return only; only = new Store(); return only; }",
      "const all = globalThis as any; const one = all.store || new Store(); all.store = one; const store = () => one;",
      "class Holder { static one: Store; static get() { return (Holder.one ??= makeStore()); } } const store = () => Holder.get();",
    ];
    const made = `import { locals } from "elsewhere";
class Store { take(id: number) { return pool.query("UPDATE t SET n = 3 WHERE id = $1", [id]); } }
const makeStore = () => ({ take: (id: number) => pool.query("UPDATE t SET n = 3 WHERE id = $1", [id]) });
`;
    const found = async (text: string) =>
      unit("f", `${made}${text}\nexport async function f(id: number) { await store().take(id); }`);
    for (const each of places) {
      const { lines, losses: lost } = await found(each);
      assert.deepEqual(lines, ["update t set n = 3 where (t.id = :id)"], each);
      assert.deepEqual(lost, [], each);
    }
    // Others may put something else there.
    const { lines, losses: lost } = await found(
      "let only: any; export function use(other: any) { only = other; } function store() { if (!only) only = new Store(); return only; }",
    );
    assert.match(lines[0] ?? "", /^if not unknown/u);
    assert.deepEqual(lost, [
      "store().take() may use the database: which of several it is is not known",
    ]);
    const given = await unit(
      "f",
      `${made}export async function f(id: number, by: any) { const own = by.store ?? new Store(); await own.take(id); }`,
    );
    assert.deepEqual(given.losses, ["own.take() may be something else, which is not known"]);
  });

  it("is not what a variable held at first that a function counts up", async () => {
    const { losses: lost } = await unit(
      "f",
      `let n = 0;
export async function f() { n++; await pool.query("UPDATE t SET n = $1", [n]); }`,
    );
    assert.deepEqual(lost, ["n changes from call to call"]);
  });

  it("is said where something of the global object is called that was made of what was read", async () => {
    const { losses: lost } = await unit(
      "f",
      `class Store { constructor(private at: any) {} take(id: number) { return pool.query("UPDATE t SET n = 3 WHERE id = $1", [id]); } }
export async function open() {
  const { rows } = await pool.query("SELECT * FROM t");
  (globalThis as any).stores.first = new Store(rows[0]);
}
export async function f(id: number) { await (globalThis as any).stores.first.take(id); await pool.query("DELETE FROM t"); }`,
    );
    assert.match(
      lost.join(),
      /may use the database: what the global object holds there is not known/u,
    );
  });

  it("is what functions put there that call each other, whichever of them is looked at first", async () => {
    const { lines } = await unit(
      "g",
      `const a: any[] = []; const b: any[] = [];
export function walk(l: any[], n: number) { l.push(n); if (n) step(l, n - 1); }
export function step(l: any[], n: number) { walk(l, n); }
export async function f() { walk(a, 3); await pool.query("DELETE FROM t WHERE id = $1", [a.length]); }
export async function g() { if (b.length === 0) await pool.query("INSERT INTO t (n) VALUES (1)"); step(b, 3); await pool.query("DELETE FROM t"); }`,
    );
    assert.match(lines.join("\n"), /^if /u);
  });

  it("is made by the first alone, is what callers put there, and is told by its key", async () => {
    const made = `import { locals } from "elsewhere";
class Store { constructor(readonly n: any) {} take(id: number) { return pool.query("UPDATE t SET n = $1 WHERE id = $2", [this.n, id]); } }
`;
    const found = async (text: string): Promise<string> => {
      const { lines, losses: lost } = await unit("f", `${made}${text}`);
      return [...lines, ...lost].join("\n");
    };
    // Code that is run where it is made is not run each time.
    const branch = await found(
      `export async function f(id: number) { if (!locals.has("s")) { await pool.query("INSERT INTO t (n) VALUES (1)"); locals.set("s", new Store(3)); } else await pool.query("DELETE FROM t"); }`,
    );
    assert.match(branch, /if .*\n.*insert t.*\nelse\ndelete t/su);
    const given = await found(
      `export async function f(id: number, options: any) { if (!options.client) options.client = pool; await options.client.query("UPDATE t SET n = 1 WHERE id = $1", [id]); await pool.query("DELETE FROM t"); }`,
    );
    assert.match(given, /^if /u);
    const two = await found(
      `const store = (n: number) => locals.get(n) ?? locals.set(n, new Store(n));
export async function f(id: number, a: number, b: number) { await store(a).take(id); await store(b).take(id); await pool.query("DELETE FROM t"); }`,
    );
    assert.doesNotMatch(two, /n = :a[^]*n = :a/u);
    const gone = await found(
      `export async function f(id: number, other: any) { locals.s = new Store(3); locals.s = other; await locals.s.take(id); await pool.query("DELETE FROM t"); }`,
    );
    assert.doesNotMatch(gone, /set n = 3/u);
  });
});
