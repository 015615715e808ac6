// Lists to which branches add items, and objects that are given away.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ITEMS, losses, printed, transactionsOf } from "./prismaPrograms";

async function read(parameters: string, body: string): ReturnType<typeof transactionsOf> {
  const text = `import { PrismaClient } from "@prisma/client";
import { visit } from "unheard";
const prisma = new PrismaClient();
class Signer {
  digest: string | null = null;
  level = 3;
  sign(text: string) { this.digest = text; }
}
export async function f(${parameters}) {
${body}
}
`;
  return transactionsOf(ITEMS, { "f.ts": text });
}

/** The statements and commands of a function. */
async function program(parameters: string, body: string): Promise<readonly string[]> {
  return printed(await read(parameters, body))
    .slice(1)
    .map((line) => line.trim());
}

const FILTERS = "const filters: any[] = [{ place: 1 }];";
const DELETE = "await prisma.item.deleteMany({ where: { OR: filters } });";

describe("what a branch adds to a list", () => {
  it("is there behind it where the branch was taken", async () => {
    assert.deepEqual(
      await program("all: boolean", `${FILTERS}\nif (all) filters.push({ place: 2 });\n${DELETE}`),
      [
        "delete Item where (((:all = true) and ((Item.place = 1) or (Item.place = 2))) or (not (:all == true) and (Item.place = 1)))",
      ],
    );
  });

  it("is one of two things where both branches add something", async () => {
    const body = `${FILTERS}
if (all) { filters.push({ place: 2 }); } else { filters.push({ place: 3 }); }
${DELETE}`;
    assert.deepEqual(await program("all: boolean", body), [
      "delete Item where (((:all = true) and ((Item.place = 1) or (Item.place = 2))) or (not (:all == true) and ((Item.place = 1) or (Item.place = 3))))",
    ]);
  });

  it("counts, and stands before what is added behind it", async () => {
    const body = `const filters: any[] = [];
if (all) filters.push({ place: 2 });
filters.push({ place: 4 });
if (filters.length > 1) ${DELETE}`;
    const [condition, statement] = await program("all: boolean", body);
    assert.equal(condition, "if (((:all = true) ? 2 : 1) > 1)");
    assert.equal(
      statement,
      "delete Item where (((:all = true) and ((Item.place = 2) or (Item.place = 4))) or (not (:all == true) and (Item.place = 4)))",
    );
  });

  it("is not told apart where branches in a branch leave too many lists", async () => {
    const adding = Array.from(
      { length: 30 },
      (_, n) => `if (a > ${String(n)}) filters.push({ place: ${String(n)} });`,
    );
    const branches = `if (b > 0) { ${adding.join("\n")} }`;
    const found = await read("a: number, b: number", `${FILTERS}\n${branches}\n${DELETE}`);
    assert.deepEqual(found.flatMap(losses).slice(0, 1), ["a list under OR that is not known"]);
  });

  it("is gone over where it is there", async () => {
    const body = `${FILTERS}
if (all) filters.push({ place: 2 });
for (const { place } of filters) await prisma.item.deleteMany({ where: { place } });`;
    assert.deepEqual(await program("all: boolean", body), [
      "delete Item where (Item.place = 1)",
      "if (:all = true)",
      "delete Item where (Item.place = 2)",
    ]);
  });

  it("is not told where it may be added more than once", async () => {
    const inLoop = `${FILTERS}\nfor (const n of ns) if (n > 3) filters.push({ place: n });\n${DELETE}`;
    const inCallback = `${FILTERS}\nvisit((n: number) => { filters.push({ place: n }); });\n${DELETE}`;
    for (const body of [inLoop, inCallback]) {
      const found = await read("ns: number[]", body);
      assert.deepEqual(found.flatMap(losses).slice(0, 1), ["a list under OR that is not known"]);
    }
  });
});

describe("an object that is given to an unknown function", () => {
  it("may have been changed by its methods", async () => {
    const body = `const signer = new Signer();
await visit({ signer });
if (signer.digest === null) throw new Error("not signed");
await prisma.item.updateMany({ where: { place: signer.level }, data: { kind: signer.digest } });`;
    assert.deepEqual(await program("", body), [
      "if (unknown(null) is null)",
      "rollback",
      "update Item set kind = unknown(null) where (Item.place = 3)",
      "! digest of an object whose methods an unknown function may call",
    ]);
  });
});

describe("a field that a branch writes", () => {
  const KIND = 'const data: any = {};\nif (all) data.kind = "x";';

  it("is a key where the branch was taken", async () => {
    const asked = `${KIND}
if (Object.keys(data).length === 0) return;
for (const key of Object.keys(data)) await prisma.item.deleteMany({ where: { kind: key } });`;
    assert.deepEqual(await program("all: boolean", asked), [
      "if (((:all = true) ? 1 : 0) = 0)",
      "return",
      "if (:all = true)",
      'delete Item where (Item.kind = "kind")',
    ]);
    const [condition] = await program(
      "all: boolean",
      `const seen = new Map<string, number>();
if (all) seen.set("x", 1);
if (seen.has("x")) await prisma.item.deleteMany({ where: { place: 1 } });`,
    );
    assert.equal(condition, "if (:all = true)");
  });

  it("replaces what it is spread over where the branch was taken", async () => {
    const update = (data: string): string =>
      `${KIND}\nawait prisma.item.updateMany({ where: { place: 1 }, data: ${data} });`;
    for (const data of ['{ kind: "y", ...data }', 'Object.assign({ kind: "y" }, data)']) {
      assert.deepEqual(await program("all: boolean", update(data)), [
        'update Item set kind = ((:all = true) ? "x" : "y") where (Item.place = 1)',
      ]);
    }
  });

  it("may be deleted", async () => {
    const body = `const data: any = { place: 2, kind: "x" };
if (all) delete data.kind;
await prisma.item.updateMany({ where: { place: 1 }, data });`;
    assert.deepEqual(await program("all: boolean", body), [
      'update Item set place = 2, kind = ((:all = true) ? Item.kind : "x") where (Item.place = 1)',
    ]);
  });

  it("may be one of a row to which a record is assigned", async () => {
    const body = `const item = await prisma.item.findUniqueOrThrow({ where: { id: 1 } });
Object.assign(item, { place: n });
await prisma.item.deleteMany({ where: { place: item.place } });
Object.assign(item, input);
await prisma.item.deleteMany({ where: { place: item.place } });`;
    const found = await program("n: number, input: any", body);
    assert.deepEqual(
      found.filter((line) => /^(?:delete|!)/u.test(line)),
      [
        "delete Item where (Item.place = :n)",
        "delete Item where (Item.place = unknown(:n, :input))",
        "! what is assigned to a row is not known",
      ],
    );
  });
});
