// Sets of JavaScript: each value once, which loops over what is only known when it runs do not follow, and say.
import assert from "node:assert/strict";
import { it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { losses, printed } from "./prismaPrograms";

const HEAD = `import { Pool } from "pg";
import { asked } from "somewhere";
const pool = new Pool();
const drop = (id) => pool.query("DELETE FROM accounts WHERE id = $1", [id]);
`;

async function read(body: string): Promise<{ lines: readonly string[]; lost: readonly string[] }> {
  const text = `${HEAD}export async function f(ids: number[]) { ${body} }`;
  const found = await transactionsOf("CREATE TABLE accounts (id int PRIMARY KEY, kind int);", {
    "a.ts": text,
  });
  return { lines: printed(found), lost: found.flatMap(losses) };
}

const SAID = "a loop over a set is taken to have a round for each item that the set was made of";

for (const [what, body] of Object.entries({
  "of an argument": "for (const id of new Set(ids)) await drop(id);",
  "that is spread": "for (const id of [...new Set(ids)]) await drop(id);",
  "that becomes an array": "for (const id of Array.from(new Set(ids))) await drop(id);",
  "of what a function gave": `const given = await asked(ids); for (const id of new Set(given.ids)) await drop(id);`,
  "of what a function gave, spread": `for (const id of [...new Set(asked(ids))]) await drop(id);`,
  "of one list or another": `for (const id of new Set(ids.length > 3 ? asked(ids) : ids)) await drop(id);`,
  "that a loop filled": `const all = [];
    const { rows } = await pool.query("SELECT kind FROM accounts"); for (const row of rows) all.push(row.kind);
    for (const id of new Set(all)) await drop(id);`,
  "of what rows hold": `const { rows } = await pool.query("SELECT kind FROM accounts");
    for (const id of new Set(rows.map((row) => row.kind))) await drop(id);`,
})) {
  it(`says that a set ${what} has fewer rounds`, async () => {
    assert.deepEqual((await read(body)).lost, [SAID]);
  });
}

it("has each constant once", async () => {
  const { lines, lost } = await read("for (const id of new Set([1, 2, 1])) await drop(id);");
  assert.deepEqual([lines.filter((line) => line.includes("delete")).length, lost], [2, []]);
});

it("is a list of values where only that is asked", async () => {
  const { lost } = await read(
    `await pool.query("DELETE FROM accounts WHERE id = ANY($1)", [[...new Set(ids)]]);`,
  );
  assert.deepEqual(lost, []);
});

for (const size of [
  "new Set(ids).size",
  "[...new Set(ids)].length",
  "Array.from(new Set(ids)).length",
  "new Set(ids.map((id) => id % 2)).size",
  "new Set(filled).size",
]) {
  it(`may have fewer items than it was made of: ${size}`, async () => {
    const body = `const { rows } = await pool.query("SELECT kind FROM accounts"); const filled = [];
      for (const row of rows) filled.push(row.kind); if (ids.length !== ${size}) throw new Error(); await drop(1);`;
    const { lines } = await read(body);
    assert.ok(lines.some((line) => /if .*unknown/u.test(line)), lines.join("\n")); // prettier-ignore
  });
}

for (const [what, body] of Object.entries({
  "that is spelled out": "const of = new Set([ids[0], ids[1]]);",
  "that is filled": "const of = new Set(); of.add(ids[0]); of.add(ids[1]);",
})) {
  it(`does not tell the items of a set ${what} apart`, async () => {
    const { lines, lost } = await read(`${body} if (of.size === 2) return;
      for (const id of of) await drop(id);`);
    assert.ok(lines.some((line) => /if .*unknown/u.test(line)), lines.join("\n")); // prettier-ignore
    assert.deepEqual(lost, [SAID]);
  });
}

it("counts the constants that it has", async () => {
  const { lines } = await read("const of = new Set([1, 2]); of.add(2); await drop(of.size);");
  assert.deepEqual(lines.slice(1), ["  delete accounts where (accounts.id = 2)"]);
});
