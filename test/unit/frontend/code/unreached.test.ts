// Calls of databases that no evaluated function comes to: each is said where it stands, and none is said of what is read.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readOver } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);";
const POOL = 'import { Pool } from "pg";\nconst pool = new Pool();\n';
const SET = 'await pool.query("UPDATE accounts SET balance = 0 WHERE id = $1", [id]);';

/** The lines of the calls that are said not to be reached, and the transactions that lose something by them. */
async function check(
  text: string,
  lines: readonly number[],
  losing: readonly string[] = [],
): Promise<void> {
  const { notes, transactions } = await readOver(DDL, { "a.ts": POOL + text }, "postgres");
  const own = notes.filter(({ code }) => code === "call-unreached");
  assert.deepEqual(
    own.map(({ source }) => source.range.start.line - 1),
    lines,
  );
  const tainted = transactions.filter(({ taint }) =>
    taint.some(({ effect, reason }) => effect === "opaque" && reason.includes("was not reached")),
  );
  assert.deepEqual(
    tainted.map(({ name }) => name),
    losing,
  );
}

describe("calls that nothing leads to", () => {
  it("says nothing of what is read", () =>
    check(
      `export async function f(id) { ${SET} }
class Store { async g(id) { ${SET} } }
app.post("/x", async ({ id }) => { ${SET} });
export const routes = { h: async (id) => { ${SET} } };`,
      [],
    ));

  it("reads functions that classes hold in fields, and those that are assigned to them", async () => {
    const text = `export class Store {
  id = 4;
  static a = async function (id) { ${SET} };
  static b = async (id) => { ${SET} };
  c = async function (id) { ${SET} };
  d = async () => { ${SET.replace("[id]", "[this.id]")} };
}
Store.prototype.e = async function () { ${SET.replace("[id]", "[this.id]")} };
Store.f = async (id) => { ${SET} };
function Other() {}
Other.prototype.g = async function (id) { ${SET} };`;
    const calling = `import { Store } from "./b";
export async function h(id) { await Store.a(7); ${SET} await new Store().d(); return new Store(); }`;
    const texts = { "a.ts": POOL + calling, "b.ts": POOL + text };
    const { notes, transactions } = await readOver(DDL, texts, "postgres");
    assert.deepEqual(
      transactions.map(({ name }) => name),
      ["h", "Store.b", "Store.c", "Store.e", "Store.f", "Other.g"],
    );
    assert.match(printed(transactions.slice(3, 4)).join("\n"), /\bid = 4\b/u);
    assert.match(printed(transactions.slice(0, 1)).join("\n"), /id = 7[^]+id = :id[^]+id = 4/u);
    assert.deepEqual(
      notes.filter(({ code }) => code === "call-unreached"),
      [],
    );
  });

  it("says nothing of what a record holds by another name, however it came there", async () => {
    const records = [
      "return { fire: mark };",
      "return { fire: around(mark) };",
      "return { fire: isOn ? mark : idle };",
      "return { fire: isOn && mark };",
      "const all: any = {}; all.fire = mark; return all;",
      'const all: any = {}; all["fire"] = mark; return { ...all };',
      "return new Holder();",
    ];
    for (const each of records) {
      const text = `const around = (f) => (id) => f(id);
class Holder { fire: any; constructor() { const own = async (id) => { ${SET} }; this.fire = own; } }
function make(isOn) { const mark = async (id) => { ${SET} }; const idle = () => {}; ${each} }
const made = make(process.env.ON);
export async function f(id) { await made.fire(id); }`;
      const { transactions } = await readOver(DDL, { "a.ts": POOL + text }, "postgres");
      assert.ok(
        transactions.some(({ name }) => name === "f"),
        each,
      );
    }
  });

  it("says one of a function that is kept and never called, and its holder is undecided", () =>
    check(
      `export async function f(id) {
  const never = { later: async () => {
    ${SET}
    ${SET}
  } };
  ${SET}
  return 1;
}`,
      [3],
      ["f"],
    ));

  it("says nothing of what stands behind a return, or looks like no SQL", () =>
    check(
      `export async function f(id) {
  ${SET}
  return 1;
  ${SET}
}
export const g = { h: () => menu.run("Select a file from the list") };`,
      [],
    ));

  it("says one of what is called on something that nobody knows", () =>
    check(
      `const store = make();
export async function f(id) {
  ${SET}
  await store.execute("UPDATE accounts SET balance = 1 WHERE id = ?", [id]);
}
export async function g(id) {
  ${SET}
  await store.sql\`UPDATE accounts SET balance = 2 WHERE id = \${id}\`;
}
export async function h(id, menu) {
  ${SET}
  await menu.run("Select a file from the list");
  await store.sql\`a file\`;
}`,
      [4, 8],
      ["f", "g"],
    ));

  it("finds calls by what they are written on", () =>
    check(
      `class A { static run = make(class { x = async (tx, id) => { await tx.user.update({ where: { id } }); }; }); }
class B { static run = make(class { x = async (tx, id) => { await list.user.find({ where: { id } }); }; }); }
class C { static run = make(class { x = async (id) => { await sql\`UPDATE accounts SET balance = \${id}\`; }; }); }`,
      [1, 3],
    ));
});
