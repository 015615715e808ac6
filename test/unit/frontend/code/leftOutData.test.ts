// Values that are `undefined` when the program runs, as the Prisma client takes them: what is left out is neither a
// condition nor a change.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ITEMS, printed, transactionsOf } from "./prismaPrograms";

async function program(parameters: string, body: string): Promise<readonly string[]> {
  const head =
    'import { PrismaClient } from "@prisma/client";\nconst prisma = new PrismaClient();\n';
  const text = `${head}export async function f(${parameters}) {\n${body}\n}\n`;
  const lines = printed(await transactionsOf(ITEMS, { "f.ts": text }));
  return lines
    .slice(1)
    .map((line) =>
      line.trim().replaceAll("Item.id as id, Item.place as place, Item.kind as kind", "*"),
    );
}

const FIND = "const row = await prisma.item.findUnique({ where: { id } });";
const FOUND = "r1 = select * from Item where (Item.id = :id)";

describe("what ?. asks of a row that may be missing", () => {
  it("is no condition where there is no row", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.deleteMany({ where: { id: { gt: 1 }, place: row?.place } });`,
      ),
      [
        FOUND,
        "delete Item where ((Item.id > 1) and (((size(r1) > 0) and (Item.place = r1.place)) or (size(r1) <= 0)))",
      ],
    );
  });

  it("is a condition where the row is known to be there", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nif (row) await prisma.item.deleteMany({ where: { place: row?.place } });`,
      ),
      [FOUND, "if (size(r1) > 0)", "delete Item where (Item.place = r1.place)"],
    );
  });

  it("is null where the program says so", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.deleteMany({ where: { kind: row?.kind ?? null } });`,
      ),
      [FOUND, "delete Item where (Item.kind == (not (r1.kind is null) ? r1.kind : null))"],
    );
  });

  it("is not set", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}\nawait prisma.item.updateMany({ where: { id: 2 }, data: { place: 1, kind: row?.kind } });`,
      ),
      [
        FOUND,
        "update Item set place = 1, kind = ((size(r1) > 0) ? r1.kind : Item.kind) where (Item.id = 2)",
      ],
    );
  });

  it("is neither less nor more than anything", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}
const filter = row?.place < 5 ? { place: 1 } : { kind: "b" };
await prisma.item.deleteMany({ where: filter });
if (!(row?.place < 6)) await prisma.item.deleteMany();`,
      ),
      [
        FOUND,
        'delete Item where (((size(r1) > 0) and (r1.place < 5) and (Item.place = 1)) or (not ((size(r1) > 0) and (r1.place < 5)) and (Item.kind = "b")))',
        "if not ((size(r1) > 0) and (r1.place < 6))",
        "delete Item",
      ],
    );
  });
});

describe("a choice between filters", () => {
  it("takes the other one where what is compared with a constant is null", async () => {
    assert.deepEqual(
      await program(
        "id: number",
        `${FIND}
if (!row) return;
await prisma.item.deleteMany({ where: row.kind === "a" ? { place: 1 } : { place: { lt: 2 } } });`,
      ),
      [
        FOUND,
        "if (size(r1) <= 0)",
        "return",
        'delete Item where (((r1.kind = "a") and (Item.place = 1)) or (not (r1.kind == "a") and (Item.place < 2)))',
      ],
    );
  });
});

describe("an update whose data may be empty", () => {
  const READ = ["else", "r2 = select * from Item where (Item.id = :id)"];
  const ONE = ["if not (affected(f/1) > 0)", "rollback", ...READ, "if (size(r2) <= 0)", "rollback"];

  it("reads the row where it is", async () => {
    assert.deepEqual(
      await program(
        "id: number, isNamed: boolean",
        'await prisma.item.update({ where: { id }, data: { ...(isNamed ? { kind: "a" } : {}) } });',
      ),
      [
        "if (:isNamed = true)",
        'update Item set kind = "a" where (Item.id = :id) returning r1: *',
        ...ONE,
      ],
    );
  });

  it("reads the row where all that may be given is left out", async () => {
    assert.deepEqual(
      await program(
        "id: number, place?: number, kind?: string",
        "const row = await prisma.item.update({ where: { id }, data: { place, kind } });\nreturn row.place;",
      ),
      [
        "if (not (:place is null) or not (:kind is null))",
        "update Item set place = ((:place is null) ? Item.place : :place), kind = ((:kind is null) ? Item.kind : :kind) where (Item.id = :id) returning r1: *",
        ...ONE,
        "return ((not (:place is null) or not (:kind is null)) ? r1.place : r2.place)",
      ],
    );
  });

  it("counts the rows that it would change", async () => {
    assert.deepEqual(
      await program(
        "id: number, kind?: string",
        "const { count } = await prisma.item.updateMany({ where: { id }, data: { kind } });\nif (count === 0) throw new Error();",
      ),
      [
        "if not (:kind is null)",
        "update Item set kind = :kind where (Item.id = :id)",
        "else",
        "r2 = select * from Item where (Item.id = :id)",
        "if ((not (:kind is null) ? affected(f/1) : size(r2)) = 0)",
        "rollback",
      ],
    );
  });
});
