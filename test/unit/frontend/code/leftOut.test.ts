// Fields that callers may leave out: in spreads, in texts, in what the Prisma client is given.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed, transactionsOf as withPrisma } from "./prismaPrograms";

const DDL =
  "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, note text, kind text);";
const HEAD = `import { Pool } from "pg";
import { z } from "zod";
const pool = new Pool();
const read = async (id) => (await pool.query("SELECT balance, note, kind FROM accounts WHERE id = $1", [id])).rows[0];
const save = (id, { balance, note, kind }) =>
  pool.query("UPDATE accounts SET balance = $2, note = $3, kind = $4 WHERE id = $1", [id, balance, note, kind]);
`;

/** The columns that the functions of a program set, where they update. */
async function check(program: string, ...expected: readonly string[]): Promise<void> {
  const lines = printed(await transactionsOf(DDL, { "a.ts": HEAD + program }));
  const sets = lines.flatMap((line) => / set (.*) where /u.exec(line)?.[1] ?? []);
  assert.deepEqual(sets, expected);
}

describe("fields that may be left out", () => {
  it("keep what a spread before them gave, others win", () =>
    check(
      `export async function f(id: number, input: { kind: string; note?: string }) {
  const old = await read(id);
  await save(id, { ...old, ...input, balance: 1 });
}`,
      "balance = 1, note = ((:input.note is null) ? r1.note : :input.note), kind = :input.kind",
    ));

  it("may be any where nobody says what an argument has", () =>
    check(
      `export async function f(id: number, input) {
  const old = await read(id);
  await save(id, { ...old, ...input, kind: "x", balance: 1 });
}`,
      'balance = 1, note = (((:input.note is null) and not (:input.note.isNull == true)) ? r1.note : :input.note), kind = "x"',
    ));

  it("are those that a validator lets be missing, which null is not", () =>
    check(
      `const Body = z.object({ balance: z.number(), note: z.string().nullish() });
const Some = Body.extend({ kind: z.string() }).partial();
export async function f(id: number, req) {
  const old = await read(id);
  await save(id, { ...old, ...Body.parse(req.body) });
}
export async function g(id: number, req) {
  const old = await read(id);
  await save(id, { ...old, ...Some.parse(req.body), note: "x" });
}`,
      "balance = :req.body.balance, note = (((:req.body.note is null) and not (:req.body.note.isNull == true)) ? r1.note : :req.body.note), kind = r1.kind",
      'balance = ((:req.body.balance is null) ? r1.balance : :req.body.balance), note = "x", kind = ((:req.body.kind is null) ? r1.kind : :req.body.kind)',
    ));

  it("are spread under a condition as a whole", () =>
    check(
      `export async function f(id: number, all: boolean, input: { balance: number; note: string; kind: string }) {
  await save(id, { balance: 1, note: "a", kind: "b", ...(all ? input : {}) });
  await save(id, { balance: 1, note: "a", kind: "b", ...(all && { kind: "c" }) });
}`,
      'balance = ((:all = true) ? :input.balance : 1), note = ((:all = true) ? :input.note : "a"), kind = ((:all = true) ? :input.kind : "b")',
      'balance = 1, note = "a", kind = ((:all = true) ? "c" : "b")',
    ));

  it("are words in a text", () =>
    check(
      "export async function f(id: number, kind?: string) { await save(id, { balance: 1, note: `a ${kind} ${undefined}`, kind: null }); }",
      'balance = 1, note = ((("a " || coalesce(:kind, "undefined")) || " ") || "undefined"), kind = null',
    ));

  it("are words in a text where they were read as NULL", () =>
    check(
      "export async function f(id: number) { const old = await read(id); await save(id, { balance: 1, note: `a ${old.balance} ${old.kind}`, kind: old.kind }); }",
      'balance = 1, note = ((("a " || r1.balance) || " ") || coalesce(r1.kind, "null")), kind = r1.kind',
    ));

  it("are told from null by three signs", async () => {
    const lines = printed(
      await transactionsOf(DDL, {
        "a.ts": `${HEAD}const Body = z.object({ note: z.string().nullish(), kind: z.string().nullable() });
export async function f(id: number, req) {
  const { note, kind } = Body.parse(req.body);
  if (note !== undefined) await pool.query("DELETE FROM accounts");
  if (note === null) await pool.query("DELETE FROM accounts");
  if (note != null) await pool.query("DELETE FROM accounts");
  if (kind === undefined) await pool.query("DELETE FROM accounts");
}`,
      }),
    );
    assert.deepEqual(
      lines.filter((line) => line.startsWith("  if ")).map((line) => line.slice(5)),
      [
        "not ((:req.body.note is null) and not (:req.body.note.isNull == true))",
        "((:req.body.note is null) and (:req.body.note.isNull == true))",
        "not (:req.body.note is null)",
      ],
    );
  });

  const schema = `datasource db { provider = "postgresql" }
model Mark {
  id Int @id
  name String
  note String?
}`;

  it("are nothing around what a validator's function makes, and may be around its defaults", async () => {
    const program = `import { PrismaClient } from "@prisma/client";
import { z } from "zod";
const prisma = new PrismaClient();
const Body = z.object({ name: z.string().transform((name) => name + "!"), note: z.string().default("a") }).partial();
export async function f(id: number, req) {
  const { name, note } = Body.parse(req.body);
  await prisma.mark.updateMany({ where: { id }, data: { name, note } });
}
export async function g(id: number, req) {
  const { kind } = z.object({ kind: z.enum(["a", "b"]).transform((kind) => kind + "!").nullish() }).parse(req.body);
  if (kind !== undefined) await prisma.mark.deleteMany();
}
export async function h(id: number, req) {
  const { kind } = z.object({ kind: z.enum(["a", "b"]).nullish() }).parse(req.body);
  if (kind !== undefined) await prisma.mark.deleteMany();
}`;
    const lines = printed(await withPrisma(schema, { "a.ts": program }));
    assert.deepEqual(
      lines.filter((line) => /set|kind/u.test(line)).map((line) => line.trim()),
      [
        'update Mark set name = ((:req.body.name is null) ? Mark.name : ((code:transformed(:req.body.name) = true) ? code:transform(:req.body.name) : Mark.name)), note = ((:req.body.note is null) ? (unknown() ? "a" : Mark.note) : :req.body.note) where (Mark.id = :id)',
        "if (((:req.body.kind is null) and not (:req.body.kind.isNull == true)) ? false : (((:req.body.kind is null) and (:req.body.kind.isNull == true)) ? true : ((code:transformed(:req.body.kind) = true) and not (code:transform(:req.body.kind) is null))))",
        'if not ((:req.body.kind is null) or (:req.body.kind == "a") or (:req.body.kind == "b"))',
        "if not ((:req.body.kind is null) and not (:req.body.kind.isNull == true))",
      ],
    );
  });

  it("leave a column of a model alone, and are no condition", async () => {
    const program = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(id: number, input: { name?: string; note?: string | null }) {
  await prisma.mark.updateMany({ where: { id, name: input.name }, data: { note: input.note } });
}`;
    assert.deepEqual(printed(await withPrisma(schema, { "a.ts": program })), [
      "f autocommit",
      "  if not ((:input.note is null) and not (:input.note.isNull == true))",
      "    update Mark set note = :input.note where ((Mark.id = :id) and ((:input.name is null) or (not (:input.name is null) and (Mark.name = :input.name))))",
    ]);
  });

  it("are columns that a client was told to leave out", async () => {
    const schema = `datasource db { provider = "postgresql" }
model User {
  id Int @id
  name String
  hash String?
}`;
    const program = `import { PrismaClient } from "@prisma/client";
const made = () => new PrismaClient({ omit: { user: { hash: true } } });
export const prisma = globalThis.prisma ?? made();
export async function f(id: number) {
  await prisma.user.findFirst({ where: { id } });
  await prisma.$transaction(async (tx) => { await tx.user.findFirst({ where: { id }, omit: { hash: false } }); });
}`;
    assert.deepEqual(printed(await withPrisma(schema, { "a.ts": program })), [
      "f unit",
      "  r1 = select User.id as id, User.name as name from User where (User.id = :id) limit 1",
      "  atomic",
      "    r2 = select User.id as id, User.name as name, User.hash as hash from User where (User.id = :id) limit 1",
    ]);
  });
});
