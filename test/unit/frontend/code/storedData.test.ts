// Data that changes in ways nobody follows stays data: its methods are none of the code's own, though they have their names.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";

/** Methods that run statements, with the names of those of texts, sets, maps and queues. */
const NAMESAKES = `export class Entries {
  async replace(text: string) { await pool.query("UPDATE accounts SET balance = 0"); return text; }
  async add(text: string) { await pool.query("UPDATE accounts SET balance = 1"); return text; }
  async set(key: string, text: string) { await pool.query("UPDATE accounts SET balance = 2"); return text; }
}`;

async function taintOf(body: string, more = ""): Promise<readonly string[]> {
  const found = await transactionsOf(ACCOUNTS_AND_LOG, {
    "a.ts": `import { Pool } from "pg";
import Queue from "some-queue";
const pool = new Pool();
${NAMESAKES}
${more}
export async function run(id: number, names: string[], text: string) {
  ${body}
  await pool.query("UPDATE accounts SET balance = 3 WHERE id = $1", [id]);
}`,
  });
  const own = found.find(({ name }) => name === "run");
  assert.ok(own);
  return own.taint.filter(({ effect }) => effect === "opaque").map(({ reason }) => reason);
}

const KEPT: Readonly<Record<string, readonly [body: string, more?: string]>> = {
  "a text that rounds of a loop change": [
    `for (const each of names) text = text.replace(each, "").replace(text, each);`,
  ],
  "a text that promises change": [
    `await Promise.all(names.map(async (each) => { text = text.replace(each, ""); }));
  text = text.replace("a", "b");`,
  ],
  "a set of an object that all calls share": [
    `store.note("a");`,
    `class Store {
  private dirty = new Set<string>();
  note(name: string) { this.dirty.add(name); }
}
const store = new Store();`,
  ],
  "a map at the top of a module": [
    `inflight.set("a" + id, text);`,
    `const inflight = new Map<string, string>();`,
  ],
  "an object of another package that is made once": [
    `await queue().add({ id });`,
    `function made(name: string) {
  const queue = new Queue(name);
  queue.on("failed", () => { console.error(name); });
  return queue;
}
let kept: ReturnType<typeof made> | undefined;
const queue = () => {
  if (!kept) kept = made("jobs");
  return kept;
};`,
  ],
  "an object of another package that the global object keeps": [
    `await global.set("a", text);`,
    `const global = globalThis.queue ?? new Queue("jobs");
globalThis.queue = global;`,
  ],
  "one that may be missing": [
    `await global?.set("a", text);`,
    `function made() { return process.env.QUEUE ? new Queue(process.env.QUEUE) : null; }
const slots = globalThis as unknown as { queue?: Queue | null };
const global = slots.queue ?? made();`,
  ],
  "a map of maps of sets that a method fills": [
    `store.note("a" + id, text);`,
    `class Store {
  private byKind: Map<string, Map<string, Set<string>>> = new Map();
  note(kind: string, name: string) {
    let inner = this.byKind.get(kind);
    if (!inner) { inner = new Map(); this.byKind.set(kind, inner); }
    let names = inner.get(name);
    if (!names) { names = new Set<string>(); inner.set(name, names); }
    names.add(name);
  }
}
const store = new Store();`,
  ],
  "a function that a long function makes": [
    `present({ id });`,
    `const settings = { name: process.env.NAME ?? "none" };
const traced = (options: { name: string; root?: boolean }) => (target: (of: object) => object) =>
  settings.name === "test" ? target : function wrapped(this: unknown, of: object) {
    ${`if (options.root) console.log(options.name, settings.name, "started", of);\n`.repeat(14)}
    return target.call(this, of);
  };
async function find(of: object) { return of; }
const present = traced({ name: "present" })(function shown(of: object) { void find(of); return { of }; });`,
  ],
};

describe("data that the code keeps", () => {
  for (const [name, [body, more]] of Object.entries(KEPT)) {
    it(`has none of the code's methods: ${name}`, async () => {
      assert.deepEqual(await taintOf(body, more), []);
    });
  }

  it("is not what stands in a record of handlers that callers bring", async () => {
    const reasons = await taintOf(
      `await chosen(handlers, text).add(text);`,
      `function chosen(of: Record<string, Entries>, by: string) { return of[by + "x"] as Entries; }
const handlers: Record<string, Entries> = {};
export function register(name: string, made: Entries) { handlers[name] = made; }`,
    );
    assert.equal(reasons.length, 1);
  });

  for (const [type, isOwn] of Object.entries({
    string: false,
    "Set<Item>": false,
    "Map<string, Item[]>": false,
    "Item | undefined": false,
    "Partial<Item>": false,
    "Page<Item>": false,
    "Page<Entries>": true,
    Queue: false,
    Entries: true,
    Writer: true,
    any: true,
    Later: true,
  })) {
    it(`is what its declared type says: ${type}`, async () => {
      const types = `interface Item { id: number; tags: string[]; at: Date; inner?: { of: Item[] } }
interface Page<T> { items: T[] }
interface Writer { add(text: string): Promise<void> }
interface Later { add: (text: string) => Promise<void> }
const all: Record<string, any> = {};
export function keep(name: string, made: any) { all[name] = made; }`;
      const ways = [
        [
          `await pick(text).add(text);`,
          `function pick(by: string): ${type} { return all[by + "x"]; }`,
        ],
        [`const one: ${type} = all[text + "x"]; await one.add(text);`, ""],
        [`await (all[text + "x"] as ${type}).add(text);`, ""],
        [
          `await used(all[text + "x"]);`,
          `async function used(one: ${type}) { await one.add("x"); }`,
        ],
      ] as const;
      for (const [body, more] of ways) {
        const reasons = await taintOf(body, `${types}\n${more}`);
        assert.equal(reasons.length > 0, isOwn, `${body} ${reasons.join()}`);
      }
    });
  }

  it("is not missing where it is added to, though it was not there at first", async () => {
    const found = await transactionsOf(ACCOUNTS_AND_LOG, {
      "a.ts": `import { Pool } from "pg";
const pool = new Pool();
function made(): number[] { return []; }
class Store {
  private ids?: number[];
  start() { this.ids = made(); }
  note(id: number) { this.ids?.push(id); }
  async flush() {
    if (this.ids) await pool.query("UPDATE accounts SET balance = 0");
  }
}
const store = new Store();
export function begin() { store.start(); }
export function note(id: number) { store.note(id); }
export async function run() { await store.flush(); }`,
    });
    assert.equal(found.length, 1);
  });

  it("is not what may be an object of the code's own in a later round", async () => {
    const reasons = await taintOf(`let last: string | Entries = text;
  for (const each of names) { await last.add(each); last = each === "x" ? last : new Entries(); }`);
    assert.deepEqual(reasons, [
      "last.add() may use the database: which of several it is is not known",
    ]);
  });

  it("is not what a map of the code's own objects holds", async () => {
    const reasons = await taintOf(
      `await all.get(text)?.add(text);`,
      `const all = new Map<string, Entries>();
export function register(name: string) { all.set(name, new Entries()); }`,
    );
    assert.equal(reasons.length, 1);
    assert.match(reasons[0] ?? "", /may use the database/u);
  });
});
