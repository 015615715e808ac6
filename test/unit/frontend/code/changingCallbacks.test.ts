// Functions that lists' methods run and that change variables outside of themselves.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { losses, printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db {
  provider = "postgresql"
}
model Field {
  id Int @id
  n Int
}
`;
const READ = "  r1 = select Field.id as id, Field.n as n from Field";

async function check(signature: string, body: string, expected: readonly string[]): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(${signature}) {
  ${body}
}`;
  assert.deepEqual(printed(await transactionsOf(SCHEMA, { "a.ts": text })).slice(1), expected);
}

/** The same behind a statement that reads all rows. */
async function checkRows(body: string, expected: readonly string[]): Promise<void> {
  await check("", `const fields = await prisma.field.findMany();\n${body}`, [READ, ...expected]);
}

describe("functions of lists' methods that change variables", () => {
  it("count what map runs over", () =>
    checkRows(
      `let n = 0;
  const all = fields.map((field) => { n += 1; return field.n; });
  await prisma.field.deleteMany({ where: { id: n } });`,
      [
        "  @v1 := 0",
        "  loop rows",
        "    @v1 := (@v1 + 1)",
        "  delete Field where (Field.id = @v1)",
      ],
    ));

  it("keep the last item that filter was asked about", () =>
    checkRows(
      `let last = 0;
  fields.filter((field) => { last = field.id; return true; });
  await prisma.field.deleteMany({ where: { id: last } });`,
      ["  @v1 := 0", "  loop rows", "    @v1 := r1.id", "  delete Field where (Field.id = @v1)"],
    ));

  it("leave what filter gives unknown where its answer changes on the way", () =>
    checkRows(
      `let isFirst = true;
  const rest = fields.filter(() => { const was = isFirst; isFirst = false; return !was; });
  await prisma.field.deleteMany({ where: { id: { in: rest.map(({ id }) => id) } } });`,
      [
        "  @v1 := true",
        "  loop rows",
        "    if not (not (@v1 is null) and @v1)",
        "      @b1 := true",
        "    else",
        "      @b1 := false",
        "    @v1 := false",
        "  delete Field where unknown(Field.id, unknown(@b1, r1.id, r1.n))",
        "  ! a list of values that is not known",
        "  ! this list is used as a value",
      ],
    ));

  it("are asked by find and some only up to the first item that is wanted", () =>
    check(
      "a: number, b: number",
      `let n = 0;
  const bump = () => { n += 1; };
  const one = [a, b].find((x) => { bump(); return x > 4; });
  const has = [a, b].some((x) => { n += 1; return x > 4; });
  await prisma.field.deleteMany({ where: { id: n } });`,
      [
        "  if not (:a > 4)",
        "    @v2 := 2",
        "  else",
        "    @v2 := 1",
        "  if not (:a > 4)",
        "    @v4 := ((@v2 + 1) + 1)",
        "  else",
        "    @v4 := (@v2 + 1)",
        "  delete Field where (Field.id = @v4)",
      ],
    ));

  it("are asked by every of each item of an argument up to the first that is not so", () =>
    check(
      "xs: number[]",
      `let n = 0;
  const are = xs.every((x) => { n += 1; return x > 4; });
  if (are) await prisma.field.deleteMany({ where: { id: n } });`,
      [
        "  @v2 := false",
        "  @v3 := 0",
        "  loop count",
        "    if not (not (@v2 is null) and @v2)",
        "      @v4 := not (:xs[@i1] > 4)",
        "      @v5 := (@v3 + 1)",
        "    else",
        "      @v4 := @v2",
        "      @v5 := @v3",
        "    @v7 := @v4",
        "    @v8 := @v5",
        "    @v2 := @v7",
        "    @v3 := @v8",
        "  if not (not (@v2 is null) and @v2)",
        "    delete Field where (Field.id = @v3)",
      ],
    ));
});

describe("lists that a loop fills", () => {
  it("are unknown where the loop asks them for what it put there", () =>
    checkRows(
      `const seen = new Set();
  for (const field of fields) {
    if (seen.has(field.n)) continue;
    seen.add(field.n);
    await prisma.field.deleteMany({ where: { id: field.id } });
  }`,
      [
        "  loop rows",
        "    if unknown(r1.n)",
        "      continue",
        "    delete Field where (Field.id = r1.id)",
      ],
    ));

  it("have a length that changes from round to round", () =>
    checkRows(
      `const seen = [];
  for (const field of fields) {
    if (seen.length > 2) await prisma.field.deleteMany({ where: { id: field.id } });
    seen.push(field.n);
  }`,
      ["  loop rows", "    if (unknown() > 2)", "      delete Field where (Field.id = r1.id)"],
    ));

  for (const [what, round] of [
    ["a count of the rounds", "n += 1; out.push({ id: field.id, n });"],
    [
      "what a statement of the round read",
      "const m = await prisma.field.findFirst({ where: { id: field.n } }); out.push({ id: field.id, n: m?.n });",
    ],
    ["a row that the round wrote to", "field.n = 7; out.push(field);"],
  ] as const) {
    it(`are not known by their rows where they hold ${what}`, async () => {
      const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f() {
  const fields = await prisma.field.findMany();
  const out = [];
  let n = 0;
  for (const field of fields) { ${round} }
  for (const each of out) await prisma.field.updateMany({ where: { id: each.id }, data: { n: each.n } });
}`;
      const [made] = await transactionsOf(SCHEMA, { "a.ts": text });
      assert.ok(made);
      assert.deepEqual(
        new Set(losses(made)),
        new Set(["it changes from round to round of a loop"]),
      );
    });
  }
});
