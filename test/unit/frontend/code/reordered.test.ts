// Lists in another order, parts of lists, lists of lists, and methods of texts: what is known of them, and what is not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, note text);";
const HEAD = `import { Pool } from "pg";
const pool = new Pool();
const set = (id, n) => pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, n]);
`;

/** The commands of a function with this body, without its name. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `${HEAD}export async function f(x, y, ids: number[]) { ${body} }`;
  const made = await transactionsOf(DDL, { "a.ts": text });
  assert.deepEqual(
    printed(made).slice(1),
    expected.map((line) => `  ${line}`),
  );
}

describe("lists in another order", () => {
  it("turns known lists", () =>
    check("await set([x, y].reverse()[0], 1);", [
      "update accounts set balance = 1 where (accounts.id = :y)",
    ]));
  it("turns the list itself", () =>
    check("const l = [x, y]; l.reverse(); await set(l[0], 1);", [
      "update accounts set balance = 1 where (accounts.id = :y)",
    ]));
  it("sorts two by their comparison", () =>
    check("const [a, b] = [x, y].sort((a, b) => a - b); await set(a, 1); await set(b, 2);", [
      "update accounts set balance = 1 where (accounts.id = (((:x - :y) > 0) ? :y : :x))",
      "update accounts set balance = 2 where (accounts.id = (((:x - :y) > 0) ? :x : :y))",
    ]));
  it("does not tell the first of an input that was sorted", () =>
    check("ids.sort(); await set(ids[0], 1);", [
      "update accounts set balance = 1 where (accounts.id = unknown(:ids[1]))",
      "! an item of a sorted list is not told from the others",
    ]));
  it("goes over what was sorted", () =>
    check("for (const id of ids.sort()) await set(id, 1);", [
      "loop count",
      "  update accounts set balance = 1 where (accounts.id = :ids[@i1])",
    ]));
  it("does not tell the first of rows that were turned", () =>
    check(
      'const { rows } = await pool.query("SELECT id FROM accounts"); await set(rows.reverse()[0].id, 1);',
      [
        "r1 = select accounts.id as id from accounts",
        "update accounts set balance = 1 where (accounts.id = unknown(r1.id))",
        "! an item of a sorted list is not told from the others",
      ],
    ));
  it("cuts known lists", () =>
    check("await set([x, y, 3].slice(1)[0], 1);", [
      "update accounts set balance = 1 where (accounts.id = :y)",
    ]));
  it("does not know which items a part has", () =>
    check("for (const id of ids.slice(0, x)) await set(id, 1);", [
      "loop count",
      "  update accounts set balance = 1 where (accounts.id = :slice[@i1])",
    ]));
  it("flattens", () =>
    check("for (const id of [[x], [y, 3]].flat()) await set(id, 1);", [
      "update accounts set balance = 1 where (accounts.id = :x)",
      "update accounts set balance = 1 where (accounts.id = :y)",
      "update accounts set balance = 1 where (accounts.id = 3)",
    ]));
  it("flattens what it maps", () =>
    check("for (const id of [x, y].flatMap((z) => [z, 7])) await set(id, 1);", [
      "update accounts set balance = 1 where (accounts.id = :x)",
      "update accounts set balance = 1 where (accounts.id = 7)",
      "update accounts set balance = 1 where (accounts.id = :y)",
      "update accounts set balance = 1 where (accounts.id = 7)",
    ]));
});

describe("methods of texts", () => {
  const row = (n: number, id: string): string =>
    `update accounts set balance = ${String(n)} where (accounts.id = ${id})`;

  it("are functions of their receiver", () => {
    const test = 'code:startsWith(:x, "a")';
    return check(
      'const g = () => (x.startsWith("a") ? 1 : 2); await set(g(), 1); await set(g(), 2);',
      [
        row(1, `((not (${test} is null) and ${test}) ? 1 : 2)`),
        row(2, `((not (${test} is null) and ${test}) ? 1 : 2)`),
      ],
    );
  });

  it("and of what they are given", () =>
    check('await set(x.indexOf("a"), 1); await set(x.indexOf("b"), 2);', [
      row(1, 'code:indexOf(:x, "a")'),
      row(2, 'code:indexOf(:x, "b")'),
    ]));

  it("as unknown functions are", () =>
    check('await set(g(x, "a"), 1); await set(g(x, { n: "b" }), 2);', [
      row(1, 'code:g(:x, "a")'),
      row(2, 'code:g(:x, "b")'),
    ]));

  it("whose expressions are as they are written", () =>
    check('await set(x.replace(/a/gu, ""), 1);', [row(1, 'code:replace(:x, "/a/gu", "")')]));
});
