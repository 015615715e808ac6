// Functions that unknown helpers run for the items of a list, or once, and what they are given.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db {
  provider = "postgresql"
}
model Field {
  id Int @id
  kind String
}
model Mark {
  id Int @id
  at DateTime
  name String
}
`;

async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
import crypto from "node:crypto";
import pMap from "p-map";
const prisma = new PrismaClient();
${body}`;
  assert.deepEqual(printed(await transactionsOf(SCHEMA, { "a.ts": text })), expected);
}

describe("functions that something unknown runs", () => {
  it("are run for each item of a list that is not known, which is no argument", () =>
    check(
      `export async function mark(id: number) {
  const fields = await prisma.field.findMany({ where: { kind: "a" } });
  const chosen = choose(fields).filter((field) => field.kind !== null);
  await Promise.all(chosen.map(({ id }) => prisma.field.delete({ where: { id } })));
}`,
      [
        "mark unit",
        '  r1 = select Field.id as id, Field.kind as kind from Field where (Field.kind = "a")',
        "  loop unknown",
        "    if not (unknown(size(r1)) is null)",
        "      delete Field where (Field.id = unknown(size(r1))) returning r2: Field.id as id, Field.kind as kind",
        "      if not (affected(mark/2) > 0)",
        "        rollback",
        "  ! a loop over something that is not known",
        "  ! an item of a list that is not known",
      ],
    ));

  it("are run for each item of the list that a helper is given", () =>
    check(
      `export async function all() {
  const fields = await prisma.field.findMany({ select: { id: true } });
  await pMap(fields, (field) => prisma.field.deleteMany({ where: { id: field.id } }), { concurrency: 2 });
  await carefully(fields, (field) => prisma.field.deleteMany({ where: { id: field.id } }));
}`,
      [
        "all unit",
        "  r1 = select Field.id as id from Field",
        "  loop rows",
        "    delete Field where (Field.id = r1.id)",
        "  loop rows",
        "    delete Field where (Field.id = r1.id)",
        "  ! carefully() is taken to run the function that it is given for each item of the list",
      ],
    ));

  it("may be given what was read", () =>
    check(
      `export async function one() {
  const field = await prisma.field.findFirst({ select: { id: true } });
  await carefully(field, (given) => prisma.mark.deleteMany({ where: { id: given.id } }));
}`,
      [
        "one unit",
        "  r1 = select Field.id as id from Field limit 1",
        "  delete Mark where (Mark.id = unknown(r1.id))",
        "  ! carefully() is taken to run the function that it is given once",
        "  ! what carefully() gives to the function",
      ],
    ));
});

describe("values that are new or change in place", () => {
  it("are dates behind their setters, and dates of parts", () =>
    check(
      `export async function later(id: number, at: Date) {
  const end = new Date();
  end.setHours(1);
  await prisma.mark.updateMany({ where: { at: { lt: new Date(2020, 1, 1) } }, data: { at: end } });
}`,
      [
        "later autocommit",
        "  update Mark set at = code:Date.setHours(fresh now, 1) where (Mark.at < code:Date(2020, 1, 1))",
      ],
    ));

  it("are ids of random bytes: no two calls give the same", () =>
    check(
      `function newId() {
  const bytes = new Uint8Array(16);
  crypto.getRandomValues(bytes);
  return "id_" + base32.encode(bytes);
}
export async function two() {
  await prisma.mark.updateMany({ data: { name: newId() } });
  await prisma.mark.updateMany({ data: { name: newId() } });
  await prisma.mark.updateMany({ data: { name: crypto.randomBytes(16).toString("hex") } });
}`,
      [
        "two unit",
        "  update Mark set name = :newId()",
        "  update Mark set name = :newId() 2",
        "  update Mark set name = fresh uuid",
      ],
    ));

  it("are false where a declared text is empty or a number is zero", () =>
    check(
      `export async function some(kind: string, id: number | null) {
  if (kind) await prisma.field.deleteMany({ where: { kind } });
  if (!id) return;
  await prisma.field.deleteMany({ where: { id } });
}`,
      [
        "some unit",
        '  if (not (:kind is null) and (:kind <> ""))',
        "    delete Field where (Field.kind = :kind)",
        "  if not (not (:id is null) and (:id <> 0))",
        "    return",
        "  delete Field where (Field.id = :id)",
      ],
    ));

  it("are false where they are empty or zero as statements tell, if nobody declared them", () =>
    check(
      `export async function some(body, { other }) {
  if (!body.id) return;
  if (body.kind) await prisma.field.deleteMany({ where: { id: body.id, kind: body.kind } });
  if (other) await prisma.field.deleteMany({});
}`,
      [
        "some unit",
        "  if not (not (:body.id is null) and (:body.id <> 0))",
        "    return",
        '  if (not (:body.kind is null) and (:body.kind <> ""))',
        "    delete Field where ((Field.id = :body.id) and (Field.kind = :body.kind))",
        "  if (not (:other is null) and :other)",
        "    delete Field",
      ],
    ));

  it("are what a validator's enumeration names", () =>
    check(
      `import { z } from "zod";
enum Level { LOW = "low" }
const Kinds = z.enum(["OPEN", "CLOSED"]);
const Levels = z.nativeEnum(Level);
export async function close() {
  await prisma.field.updateMany({ where: { kind: Kinds.enum.OPEN }, data: { kind: Kinds.Enum.CLOSED } });
  await prisma.field.updateMany({ where: { kind: { in: Kinds.options } }, data: { kind: Levels.enum.LOW } });
}`,
      [
        "close unit",
        '  update Field set kind = "CLOSED" where (Field.kind = "OPEN")',
        '  update Field set kind = "low" where (Field.kind in ["OPEN", "CLOSED"])',
      ],
    ));

  it("are false where what stands for an absent one would be", () =>
    check(
      `import { z } from "zod";
const Body = z.object({ all: z.boolean().default(false) });
export async function some(body) {
  const { all } = Body.parse(body);
  if (!all) await prisma.field.deleteMany({ where: { id: 1 } });
}`,
      [
        "some autocommit",
        "  if not (not (coalesce(:body.all, false) is null) and coalesce(:body.all, false))",
        "    delete Field where (Field.id = 1)",
      ],
    ));

  it("tell null from undefined where the code does", () =>
    check(
      `async function mark(name: string, type = null) {
  if (type === undefined) await prisma.mark.updateMany({ data: { name: "absent" } });
  if (type !== undefined) await prisma.mark.updateMany({ data: { name } });
  if (type == undefined) await prisma.mark.updateMany({ data: { name: "none" } });
}
export async function run(name: string) { await mark(name, null); }`,
      ["run unit", "  update Mark set name = :name", '  update Mark set name = "none"'],
    ));

  it("are no arguments where a method of something unknown made them of what was read", () =>
    check(
      `export async function copy() {
  const field = await prisma.field.findFirst({ select: { kind: true } });
  await prisma.mark.updateMany({ data: { name: describe(field).format() } });
}`,
      [
        "copy unit",
        "  r1 = select Field.kind as kind from Field limit 1",
        "  update Mark set name = unknown(r1.kind)",
        "  ! describe().format is not known",
      ],
    ));
});
