// True and false of code: values by their declared types, comparisons with what is not there.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callFunction } from "../../../../server/src/store/callFunction";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL =
  "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, kind text, flags jsonb);";
const HEAD = `import { Pool } from "pg";
const pool = new Pool();
const set = () => pool.query("UPDATE accounts SET balance = 1");
`;

/** The conditions under which the functions of a program change something. */
async function check(program: string, ...conditions: readonly string[]): Promise<void> {
  const lines = printed(await transactionsOf(DDL, { "a.ts": HEAD + program }));
  assert.deepEqual(
    lines.filter((line) => line.startsWith("  if ")).map((line) => line.slice(5)),
    conditions,
  );
}

describe("what code takes for true", () => {
  it("is told by the declared type of a part, whatever the whole is called", () =>
    check(
      `interface Input { all?: boolean; name?: string; deep: { flag: boolean | null; n: number } }
type Kind = "a" | "b";
export async function f(input: Input, kind: Kind, whole?: Input) {
  if (input.all) await set();
  if (!input.name) await set();
  if (input.deep.flag) await set();
  if (input.deep.n) await set();
  if (!kind) await set();
  if (whole) await set();
}`,
      "(not (:input.all is null) and :input.all)",
      'not (not (:input.name is null) and (:input.name <> ""))',
      "(not (:input.deep.flag is null) and :input.deep.flag)",
      "(not (:input.deep.n is null) and (:input.deep.n <> 0))",
      'not (not (:kind is null) and (:kind <> ""))',
      "not (:whole is null)",
    ));

  it("is not told by a document being there, which may be a number, a text, a truth or null", () =>
    check(
      `export async function f(id: number) {
  const { rows: [row] } = await pool.query("SELECT flags FROM accounts WHERE id = $1", [id]);
  if (row.flags) await set();
}`,
      "(size(r1) <= 0)",
      '(not (r1.flags is null) and code:truth(r1.flags) and (r1.flags <> "null"))',
    ));

  it("of what a text holds is not told by the text", async () => {
    const given = 'const p = JSON.parse(text); const q = JSON.parse(\'{"n": 0, "list": []}\');';
    const bodies = [
      "if (!p) await set();",
      "if (p !== null) await set();",
      "if (q.n) await set();",
      "if (Array.isArray(q.list)) await set();",
      "if (JSON.parse(JSON.stringify(record)).n) await set();",
    ];
    const texts = bodies.map(
      (each, at) =>
        `export async function f${String(at)}(text: string, record: { n: number }) { ${given} ${each} }`,
    );
    await check(
      texts.join("\n"),
      "not (not (:text.parsed is null) and :text.parsed)",
      "not (:text.parsed is null)",
      "(not (:record.n is null) and (:record.n <> 0))",
    );
  });

  it("may be thrown behind what a text holds is asked for being", async () => {
    for (const asked of ['typeof p === "object"', "Array.isArray(p)", "p instanceof Date"]) {
      const lines = printed(
        await transactionsOf(DDL, {
          "a.ts": `${HEAD}export async function f(text: string) {
  const p = JSON.parse(text);
  if (p !== null && ${asked}) throw new Error();
  await set();
}`,
        }),
      );
      assert.match(lines.join("\n"), /rollback[^]*update accounts/u, asked);
    }
  });

  it("of the number in a text is told by zero", () =>
    check(
      `export async function f(id: string, params: any) {
  if (!Number(id)) await set();
  if (parseInt(params.id)) await set();
  if (+id) await set();
}`,
      "not (not (:id is null) and (:id <> 0))",
      "(not (:params.id is null) and (:params.id <> 0))",
      "(not (:id is null) and (:id <> 0))",
    ));

  it("of what one record was checked for says nothing of another", () =>
    check(
      `import { schema } from "schemas";
export async function f(a: { n: number }, b: { n: number }) {
  if (schema.safeParse({ x: a.n }).success) await set();
  if (schema.safeParse({ x: b.n }).success) await set();
}`,
      "(:valid = true)",
      "(:valid 2 = true)",
    ));

  it("is what a function of the code gives where that is taken for true", async () => {
    await check(
      `import { compare } from "passwords";
export async function f(given, kept) { if (!compare(given, kept)) return; await set(); }`,
      "not (not (code:compare(:given, :kept) is null) and code:truth(code:compare(:given, :kept)))",
    );
    const values = [null, 0, "", false, 1, "a", true, { kind: "opaque", text: "f()" } as const];
    assert.deepEqual(
      values.map((value) => callFunction("code:truth", [value])),
      [false, false, false, false, true, true, true, true],
    );
  });

  it("is asked of types that are declared", () =>
    check(
      `export async function f(id: number | string, n?: number, s?: string | null, ok: boolean) {
  if (typeof id === "number") await set();
  if (typeof n === "number") await set();
  if (typeof n === "undefined") await set();
  if (typeof s === "string") await set();
  if (typeof ok !== "boolean") await set();
}`,
      '(code:typeof(:id) = "number")',
      "not (:n is null)",
      "(:n is null)",
      "(((:s is null) and not (:s.isNull == true)) ? false : not (:s is null))",
    ));

  it("may be left out where a class says so", () =>
    check(
      `class Input { all?: boolean; name: string }
export async function f(input: Input) { if (input.all) await set(); if (!input.name) await set(); }`,
      "(not (:input.all is null) and :input.all)",
      'not (not (:input.name is null) and (:input.name <> ""))',
    ));

  it("is not what differs from a constant because it is not there", () =>
    check(
      `export async function f(id: number, kind?: string) {
  const { rows: [row] } = await pool.query("SELECT kind FROM accounts WHERE id = $1", [id]);
  if (row?.kind !== "ADMIN") throw new Error("no");
  if (!(kind === "A" || row?.kind === "B")) await set();
  if (kind === "C") await set();
}`,
      'not (r1.kind == "ADMIN")',
      'not ((:kind == "A") or (r1.kind == "B"))',
      '(:kind = "C")',
    ));
});
