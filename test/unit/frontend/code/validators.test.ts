// Refusals of zod's schemas: arguments that they do not pass on.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

const DDL = "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, note text);";
const HEAD = `import { Pool } from "pg";
import { z } from "zod";
import { zfd } from "zod-form-data";
const pool = new Pool();
`;
const SET =
  'await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [data.id, data.n]);';
const UPDATE = "update accounts set balance = :body.n where (accounts.id = :body.id)";

/** The commands of a function with a schema and a body, without its name. */
async function check(schema: string, body: string, ...expected: readonly string[]): Promise<void> {
  const text = `${HEAD}const Schema = ${schema};\nexport async function f(body) { ${body} }`;
  const lines = printed(await transactionsOf(DDL, { "a.ts": text }));
  assert.deepEqual(
    lines.slice(1).map((line) => line.slice(2)),
    expected,
    schema,
  );
}

const PARSE = `const data = Schema.parse(body); ${SET}`;

describe("schemas of zod", () => {
  it("refuse numbers out of their range", () =>
    check(
      "z.object({ id: z.number().int().positive(), n: z.coerce.number().min(1).max(9) })",
      PARSE,
      "if not (not (:body.id is null) and (:body.id > 0))",
      "  rollback",
      "if not (not (:body.n is null) and (:body.n >= 1) and (:body.n <= 9))",
      "  rollback",
      UPDATE,
    ));
  it("say nothing of what is not used, nor of formats", () =>
    check(
      "z.object({ id: z.number(), n: z.number().int(), other: z.number().positive(), mail: z.string().email() })",
      PARSE,
      UPDATE,
    ));
  it("let what may be missing be missing", () =>
    check(
      "z.object({ id: z.number(), n: z.number().positive().nullish() })",
      PARSE,
      "if not ((:body.n is null) or (:body.n > 0))",
      "  rollback",
      UPDATE,
    ));
  it("name the values of an enumeration", () =>
    check(
      'z.object({ id: z.number(), n: z.enum(["a", "b"]) })',
      PARSE,
      'if not (not (:body.n is null) and ((:body.n = "a") or (:body.n = "b")))',
      "  rollback",
      UPDATE,
    ));
  it("are made of others", () =>
    check(
      "z.object({ id: z.number().positive() }).extend({ n: z.number() }).omit({ x: true }).strict()",
      PARSE,
      "if not (not (:body.id is null) and (:body.id > 0))",
      "  rollback",
      UPDATE,
    ));
  it("give what stands for what is missing", () =>
    check(
      "z.object({ id: z.number(), n: z.number().default(5) })",
      PARSE,
      "update accounts set balance = coalesce(:body.n, 5) where (accounts.id = :body.id)",
    ));
  it("give it for the items of a list, too", async () => {
    const text = `${HEAD}const Item = z.object({ id: z.number(), note: z.string().optional().default("none") });
const Known = z.object({ id: z.number().positive(), note: z.string().transform((s) => s + s) });
export async function f(items: { id: number; note?: string }[]) {
  await Promise.all(items.map(async (i) => {
    const r = Item.safeParse(i);
    if (r.success) await pool.query("UPDATE accounts SET note = $2 WHERE id = $1", [r.data.id, r.data.note]);
  }));
}
export async function g(items: { id: number; note?: string }[]) {
  for (const i of items) {
    const { id, note } = Known.parse(i);
    await pool.query("UPDATE accounts SET note = $2 WHERE id = $1", [id, note]);
  }
}`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
      "f unit",
      "  loop count",
      "    if (:items[].valid[@i1] = true)",
      '      update accounts set note = coalesce(:items.note[@i1], "none") where (accounts.id = :items.id[@i1])',
      "g unit",
      "  loop count",
      "    if not (not (:items.id[@i1] is null) and (:items.id[@i1] > 0))",
      "      rollback",
      "    update accounts set note = (:items.note[@i1] + :items.note[@i1]) where (accounts.id = :items.id[@i1])",
    ]);
  });
  it("keep a null that they take, whatever stands for what is left out", () =>
    check(
      "z.object({ id: z.number(), n: z.number().nullish().default(5) })",
      PARSE,
      "update accounts set balance = (((:body.n is null) and not (:body.n.isNull == true)) ? 5 : :body.n) where (accounts.id = :body.id)",
    ));
  it("give what a function makes of it", () =>
    check(
      "z.object({ id: z.number(), n: z.number().transform((n) => n * 2) }).transform((all) => ({ ...all, id: all.n }))",
      PARSE,
      "update accounts set balance = (:body.n * 2) where (accounts.id = (:body.n * 2))",
    ));
  it("may give nothing of what a function makes that is not followed", () =>
    check(
      "z.object({ id: z.number(), n: z.string().transform((n, on) => parse(n, on)) })",
      `const data = Schema.parse(body); if (data.n === undefined) return; ${SET}`,
      "if ((code:transformed(:body.n) = true) ? (code:transform(:body.n) is null) : true)",
      "  return",
      "update accounts set balance = ((code:transformed(:body.n) = true) ? code:transform(:body.n) : null) where (accounts.id = :body.id)",
    ));
  it("take what a function made first, which is an argument of its own", async () => {
    const record =
      "z.object({ id: z.number(), n: z.number().nullish(), note: z.string().optional() })";
    const [body, unread] = [":body.preprocessed", "if (data.note === undefined) return;"];
    for (const schema of [
      `z.preprocess((one) => one, ${record})`,
      `z.string().transform((one, on) => read(one, on)).pipe(${record})`,
      `zfd.json(${record})`,
      `zfd.formData(${record})`,
      "zfd.formData({ id: zfd.numeric(), n: zfd.numeric(z.number().nullish()), note: zfd.text(z.string().optional()) })",
    ]) {
      await check(
        schema,
        `const data = Schema.parse(body); ${unread} ${SET}`,
        `if (${body}.note is null)`,
        "  return",
        `update accounts set balance = ${body}.n where (accounts.id = ${body}.id)`,
      );
    }
  });
  it("give what they do not name as it is where they are loose", () =>
    check(
      "z.object({ n: z.number(), note: z.string().optional() }).passthrough()",
      `const data = Schema.parse(body); if (data.note === undefined) return; ${SET}`,
      "if (:body.note is null)",
      "  return",
      UPDATE,
    ));
  it("tell in a result whether they refuse", () =>
    check(
      "z.object({ id: z.number(), n: z.number().positive() })",
      `const result = Schema.safeParse(body); if (!result.success) return; const { data } = result; ${SET}`,
      "if not (not (:body.n is null) and (:body.n > 0) and (:body.valid == true))",
      "  return",
      UPDATE,
    ));
  it("say nothing of what others take, nor of other values", () =>
    check(
      "z.object({ id: z.number(), n: z.number() })",
      `const { rows } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [1]);
const Other = z.string().regex(/x/);
if (!Schema.safeParse(body).success || !Other.safeParse(body).success || !Other.safeParse(rows[0].balance).success) return;
const data = body; ${SET}`,
      "r1 = select accounts.balance as balance from accounts where (accounts.id = 1)",
      "if not (not (:body.valid == true) or not (:body.valid 2 == true))",
      "  if (size(r1) <= 0)",
      "    rollback",
      "if (not (:body.valid == true) or not (:body.valid 2 == true) or not unknown(r1.balance))",
      "  return",
      UPDATE,
    ));
  it("ask functions of the code's own, which may read", () =>
    check(
      `z.object({ id: z.number(), n: z.number() })
  .refine((one) => one.id !== one.n, "the same")
  .refine((one) => /x/.test(one.n))
  .refine(async (one) => (await pool.query("SELECT 1 FROM accounts WHERE id = $1", [one.n])).rowCount === 0)`,
      `const data = await Schema.parseAsync(body); ${SET}`,
      "r1 = select 1 as ?column? from accounts where (accounts.id = :body.n)",
      "if (:body.id == :body.n)",
      "  rollback",
      "if (size(r1) <> 0)",
      "  rollback",
      UPDATE,
    ));
  it("may refuse more than is looked at, where a handler does something then", () =>
    check(
      "z.object({ id: z.number(), n: z.number().positive() })",
      `try { ${PARSE} } catch { await pool.query("DELETE FROM accounts"); }`,
      "try",
      "  if (:parse() fails = true)",
      "    rollback",
      "  if not (not (:body.n is null) and (:body.n > 0))",
      "    rollback",
      `  ${UPDATE}`,
      "handler",
      "  delete accounts",
    ));
  it("refuse records of another kind, wherever something of these counts", async () => {
    const text = `${HEAD}const Text = z.object({ type: z.literal("text"), n: z.number() });
const Meta = z.discriminatedUnion("type", [Text, z.object({ type: z.literal("sum"), n: z.number() })]);
export async function f({ id, meta }: { id: number; meta: z.infer<typeof Meta> }) {
  const { n } = Meta.parse(meta);
  if (n > 3) Text.parse(meta);
  await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, n]);
}
export async function g({ id, meta }: { id: number; meta: z.infer<typeof Meta> }) {
  Text.parse(meta);
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
      "f autocommit",
      '  if not ((:meta.type == "text") or (:meta.type == "sum"))',
      "    rollback",
      "  if (:meta.n > 3)",
      '    if not (not (:meta.type is null) and (:meta.type = "text"))',
      "      rollback",
      "  update accounts set balance = :meta.n where (accounts.id = :id)",
      "g autocommit",
      "  delete accounts where (accounts.id = :id)",
    ]);
  });
  const READ = `const { rows: [row] } = await pool.query("SELECT balance, note FROM accounts WHERE id = $1", [body.id]);`;
  const READS =
    "r1 = select accounts.balance as balance, accounts.note as note from accounts where (accounts.id = :body.id)";
  const WRITE = `await pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [body.id, data.balance]);`;
  const WRITES = "update accounts set balance = r1.balance where (accounts.id = :body.id)";
  it("decide by what was read", () =>
    check(
      'z.object({ balance: z.number().int().min(1), note: z.enum(["a", "b"]).nullable() })',
      `${READ} const data = Schema.parse(row); ${WRITE}`,
      READS,
      "if (size(r1) <= 0)",
      "  rollback",
      "if not (r1.balance >= 1)",
      "  rollback",
      'if not ((r1.note is null) or (r1.note == "a") or (r1.note == "b"))',
      "  rollback",
      WRITES,
    ));
  it("decide by formats of what was read, too, which nobody knows", async () => {
    for (const note of ["z.string().email()", "z.number()", "z.string().refine(known)", "any"]) {
      await check(
        `z.object({ balance: z.number(), note: ${note}${note === "any" ? "" : ".nullable()"} })`,
        `${READ} const data = Schema.parse(row); ${WRITE}`,
        READS,
        "if (size(r1) <= 0)",
        "  rollback",
        "if not unknown(r1.note)",
        "  rollback",
        WRITES,
      );
    }
  });
  it("decide by one of several of what was read", () =>
    check(
      'z.union([z.object({ balance: z.number(), note: z.literal("a") }), z.object({ balance: z.number().min(5) })])',
      `${READ} if (!row || !Schema.safeParse(row).success) return; const data = row; ${WRITE}`,
      READS,
      'if ((size(r1) <= 0) or not ((not (r1.note is null) and (r1.note = "a")) or (r1.balance >= 5)))',
      "  return",
      WRITES,
    ));
  it("make other things of what was read", () =>
    check(
      "z.object({ balance: z.number().transform((one, on) => made(one, on)), note: z.string() })",
      `${READ} const data = Schema.parse(row); ${WRITE}`,
      READS,
      "if (size(r1) <= 0)",
      "  rollback",
      "if (r1.note is null)",
      "  rollback",
      "if not unknown(r1.balance)",
      "  rollback",
      "update accounts set balance = unknown(r1.balance) where (accounts.id = :body.id)",
      "! what a validator makes of it is not known",
    ));
  it("make something else where one of several does, or a part", async () => {
    const double = "z.number().transform((one) => one * 2)";
    const what = "what a validator makes of it is not known";
    for (const schema of [
      `z.union([z.object({ n: ${double} }), z.object({ n: z.string() })])`,
      `z.object({ n: z.number() }).or(z.object({ n: ${double} }))`,
    ]) {
      const set = SET.replace("data.id", "body.id");
      await check(
        schema,
        `const data = Schema.parse(body); ${set}`,
        "update accounts set balance = unknown(:body) where (accounts.id = :body.id)",
        `! ${what}`,
      );
    }
    for (const schema of [
      `z.object({ n: ${double} }).passthrough()`,
      `z.looseObject({ n: ${double} })`,
    ]) {
      await check(schema, PARSE, "update accounts set balance = (:body.n * 2) where (accounts.id = :body.id)"); // prettier-ignore
    }
    await check(
      `z.object({ balance: ${double} }).optional()`,
      `${READ} const data = Schema.parse(row); ${WRITE}`,
      READS,
      "if not unknown(r1.balance, r1.note)",
      "  rollback",
      "update accounts set balance = unknown(r1.balance, r1.note) where (accounts.id = :body.id)",
      "! what a validator makes of it is not known",
    );
  });
  it("refuse as much as what they are made of", async () => {
    await check(
      "z.object({ n: z.number() }).refine((one) => one.n > 1).safeExtend({ id: z.number() })",
      PARSE,
      "if not (:body.n > 1)",
      "  rollback",
      UPDATE,
    );
    await check(
      "z.object({ id: z.number() }).merge(z.object({ balance: z.number() }).strict())",
      `${READ} const data = Schema.parse(row); ${WRITE}`,
      READS,
      "if (size(r1) <= 0)",
      "  rollback",
      "if not unknown(r1.balance, r1.note)",
      "  rollback",
      WRITES,
    );
  });
  it("may refuse whole numbers of 64 bits, which are no numbers to a driver", async () => {
    const ddl = "CREATE TABLE big (id int PRIMARY KEY, size bigint NOT NULL, small int NOT NULL);";
    const text = (schema: string, columns: string): string => `${HEAD}
export async function f(id: number) {
  const { rows: [row] } = await pool.query("SELECT ${columns} FROM big WHERE id = $1", [id]);
  const data = z.object({ size: ${schema} }).parse(row);
  await pool.query("DELETE FROM big WHERE id = $1", [data.size]);
}`;
    const told = async (schema: string, columns: string): Promise<boolean> => {
      const lines = printed(await transactionsOf(ddl, { "a.ts": text(schema, columns) }));
      return !lines.some((line) => line.includes("if not unknown(r1.size)"));
    };
    assert.equal(await told("z.number()", "size"), false);
    assert.equal(await told("z.coerce.number()", "size"), true);
    assert.equal(await told("z.number()", "max(size) AS size"), false);
    assert.equal(await told("z.number()", "count(*) AS size"), false);
    assert.equal(await told("z.number()", "small + 1 AS size"), true);
    assert.equal(await told("z.number()", "max(small) AS size"), true);
  });
  it("put something where the code gives nothing", () =>
    check(
      "z.object({ id: z.number(), n: z.number().default(5) })",
      `const data = Schema.parse({ id: body.id }); ${SET}`,
      "update accounts set balance = 5 where (accounts.id = :body.id)",
    ));
});

const GIVEN = `import assert, { strictEqual } from "node:assert";
import { Pool } from "pg";
import invariant from "tiny-invariant";
import * as v from "valibot";
import * as yup from "yup";
import { validateOrReject } from "class-validator";
const pool = new Pool();
const Account = yup.object({ balance: yup.number().min(1) });
`;

describe("what throws where it does not like what it is given", () => {
  /** The commands between the read of a row and a write that does not depend on it. */
  async function between(call: string, ...expected: readonly string[]): Promise<void> {
    const text = `${GIVEN}export async function f(id: number) {
  const { rows: [row] } = await pool.query("SELECT balance, note FROM accounts WHERE id = $1", [id]);
  ${call};
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}`;
    const lines = printed(await transactionsOf(DDL, { "a.ts": text }));
    assert.deepEqual(lines.slice(2), [
      ...expected.flatMap((condition) => [`  if ${condition}`, "    rollback"]),
      "  delete accounts where (accounts.id = :id)",
    ]);
  }
  const THERE = "(size(r1) <= 0)";

  it("are assertions", async () => {
    await between("assert(row)", THERE);
    await between("assert.deepEqual(row.balance, 4)", THERE, "not unknown(r1.balance, 4)");
    await between("assert.ok(row.balance > 4, 'no')", THERE, "not (r1.balance > 4)");
    await between("invariant(row.balance > 4)", THERE, "not (r1.balance > 4)");
    await between("strictEqual(row.balance, 4)", THERE, "not (r1.balance == 4)");
    await between("assert.notEqual(row.balance, 4)", THERE, "(r1.balance = 4)");
    await between("context.assert(row.balance > 4, 401)", THERE, "not (r1.balance > 4)");
  });
  it("are validators that nobody knows, of what was read", async () => {
    const all = "not unknown(r1.balance, r1.note)";
    await between("await validateOrReject(row)", all);
    await between("const given = await Account.validate(row)", all);
    await between("ensureActive(row.note)", THERE, "not unknown(r1.note)");
    await between("const given = Account.cast(row)", all);
    await between("validateOrReject({ id })");
    await between("const at = format.parse(row.note)", THERE);
  });
  it("refuse items of a list, whether the list is asked for or not", async () => {
    const text = `${GIVEN}import { z } from "zod";
const Row = z.object({ balance: z.number().max(3) });
export async function f(id: number) {
  const { rows } = await pool.query("SELECT balance FROM accounts");
  const checked = rows.map((row) => Row.parse(row));
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}
export async function g(ids: number[]) {
  const checked = ids.map((id) => { if (id > 3) throw new Error(); return id + 1; });
  await pool.query("DELETE FROM accounts WHERE id = $1", [checked.length]);
}
export async function h(id: number) {
  const { rows: [row] } = await pool.query("SELECT balance FROM accounts WHERE id = $1", [id]);
  try { Row.parse(row); } catch { return; }
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
}`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text })), [
      "f unit",
      "  r1 = select accounts.balance as balance from accounts",
      "  loop rows",
      "    if not (r1.balance <= 3)",
      "      rollback",
      "  delete accounts where (accounts.id = :id)",
      "g autocommit",
      "  loop count",
      "    if (:ids[@i1] > 3)",
      "      rollback",
      "  delete accounts where (accounts.id = :ids.length)",
      "h unit",
      "  r1 = select accounts.balance as balance from accounts where (accounts.id = :id)",
      "  if (size(r1) <= 0)",
      "    rollback",
      "  if not (r1.balance <= 3)",
      "    rollback",
      "  delete accounts where (accounts.id = :id)",
    ]);
  });
});
