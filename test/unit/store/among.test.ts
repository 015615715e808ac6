// Questions about all rows of a result: what the store answers, and what the flat form says of them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flattenProgram } from "../../../server/src/analysis/operations/flatten";
import { unsearchedParts } from "../../../server/src/service/verdict/searchGaps";
import { runSerial } from "../../../server/src/store/run";
import { programOf } from "../frontend/code/prismaPrograms";
import { instances } from "./programs";

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
model Item {
  id    Int @id
  group Int
  n     Int?
}
`;
const ITEMS = [
  { id: 1, group: 1, n: 5 },
  { id: 2, group: 1, n: null },
  { id: 3, group: 1, n: 7 },
  { id: 4, group: 2, n: 0 },
];

async function read(body: string) {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f() {
  await prisma.$transaction(async (tx) => {
    const rows = await tx.item.findMany({ where: { group: 1 }, orderBy: { id: "asc" } });
    ${body}
  });
}`;
  const program = await programOf(SCHEMA, { "f.ts": text });
  assert.deepEqual(
    program.transactions.map(({ name }) => name),
    ["f"],
  );
  return program;
}

/** The n of items behind a run over the items, in their order. */
async function check(body: string, expected: readonly (number | null)[]): Promise<void> {
  const program = await read(body);
  const result = runSerial(program, { instances: instances("f"), initial: { Item: ITEMS } }, [
    "T1",
  ]);
  assert.ok(result.ok, result.ok ? "" : result.reason);
  const rows = result.execution.outcome.final["Item"] ?? [];
  assert.deepEqual(
    rows.map(({ n }) => n),
    expected,
    body,
  );
}

const SET = (value: string): string =>
  `await tx.item.updateMany({ where: { id: 4 }, data: { n: ${value} } });`;

describe("questions about rows", () => {
  it("count those that are so; NULL is none", () =>
    check(SET("rows.filter((r) => r.n > 4).length"), [5, null, 7, 2]));
  it("take the first that is so", () =>
    check(SET("rows.find((r) => r.n > 5).id"), [5, null, 7, 3]));
  it("find none", () => check(SET("rows.find((r) => r.n > 9)?.id ?? 8"), [5, null, 7, 8]));
  it("are true where one is so", () =>
    check(`if (rows.some((r) => r.n === 7)) ${SET("1")}`, [5, null, 7, 1]));
  it("are false where none is", () =>
    check(`if (rows.some((r) => r.id === 4)) ${SET("1")}`, [5, null, 7, 0]));
  it("choose the rows of a statement", () =>
    check(
      "await tx.item.updateMany({ where: { n: { in: rows.map((r) => r.n) } }, data: { n: 9 } });",
      [9, null, 9, 0],
    ));
});

it("the flat form asks the rows that are represented, and says that there may be more", async () => {
  const program = await read(SET("rows.filter((r) => r.n > 4).length"));
  const [transaction] = program.transactions;
  const [flat] = flattenProgram(program, { unroll: 1 }).transactions;
  assert.ok(transaction && flat);
  assert.deepEqual(
    flat.uncovered?.map(({ rounds }) => rounds),
    [1],
  );
  assert.deepEqual(flat.losses, []);
  assert.match(
    unsearchedParts(program, transaction, { flat })
      .map(({ reason }) => reason)
      .join(),
    /rows of the list that this asks about, after the first, are not searched/u,
  );
  const [more] = flattenProgram(program, { unroll: 3 }).transactions;
  assert.deepEqual(
    more?.uncovered?.map(({ rounds }) => rounds),
    [3],
  );
});
