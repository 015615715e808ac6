// Promises whose errors go no further than `.catch()`, the second function of `.then()` and Promise.allSettled.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printed, transactionsOf } from "./prismaPrograms";

const SCHEMA = `datasource db { provider = "postgresql" }
model Mail { id Int @id
  kind Int }`;

/** The value of the function `f(id, ids)` with that body, behind which mails of kind 7 are deleted. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
async function gone(kind: number) {
  if (kind > 3) throw new Error("no");
  await prisma.mail.deleteMany({ where: { kind } });
}
export async function f(id: number, ids: number[]) {
  ${body}
  await prisma.mail.deleteMany({ where: { kind: 7 } });
}`;
  const transactions = await transactionsOf(SCHEMA, { "a.ts": text });
  const lines = printed(transactions.filter(({ name }) => name === "f"));
  assert.deepEqual(lines, [...expected, "  delete Mail where (Mail.kind = 7)"]);
}

const GONE = ["    if (:id > 3)", "      rollback", "    delete Mail where (Mail.kind = :id)"];
const HANDLED = ["f unit", "  try", ...GONE, "  handler"];
const EACH = [
  "f unit",
  "  loop count",
  "    try",
  "      if (:ids[@i1] > 3)",
  "        rollback",
  "      delete Mail where (Mail.kind = :ids[@i1])",
  "    handler",
];

describe("promises whose errors are handled", () => {
  it("goes on behind a call whose errors .catch() takes", () =>
    check(`await gone(id).catch(() => undefined);`, HANDLED));

  it("goes on where the handler is a function of a library", () =>
    check(`gone(id).catch(console.error);`, HANDLED));

  it("goes on behind an operation of the client", () =>
    check(`await prisma.mail.update({ where: { id }, data: { kind: 2 } }).catch(() => null);`, [
      "f unit",
      "  try",
      "    update Mail set kind = 2 where (Mail.id = :id) returning r1: Mail.id as id, Mail.kind as kind",
      "    if not (affected(f/1) > 0)",
      "      rollback",
      "  handler",
    ]));

  it("goes on behind a transaction that is undone", () =>
    check(
      `await prisma.$transaction(async (tx) => {
         await tx.mail.deleteMany({ where: { kind: id } });
         if (id > 3) throw new Error("no");
       }).catch(() => undefined);`,
      [
        "f unit",
        "  try",
        "    atomic",
        "      delete Mail where (Mail.kind = :id)",
        "      if (:id > 3)",
        "        rollback",
        "  handler",
      ],
    ));

  it("takes the errors of all that stands before it in a chain", () =>
    check(`await gone(id).then(() => gone(2)).catch(() => undefined);`, [
      ...HANDLED.slice(0, -1),
      "    delete Mail where (Mail.kind = 2)",
      "  handler",
    ]));

  it("runs the handler where it fails, and what follows where it does not", () =>
    check(`await gone(id).then(() => gone(1), () => gone(2));`, [
      "f unit",
      "  @caught1 := false",
      "  try",
      ...GONE,
      "  handler",
      "    @caught1 := true",
      "  if @caught1",
      "    delete Mail where (Mail.kind = 2)",
      "  else",
      "    delete Mail where (Mail.kind = 1)",
    ]));

  it("leaves an error that the handler throws again", () =>
    check(`await gone(id).catch((error) => { throw new Error("failed"); });`, [
      "f unit",
      "  if (:id > 3)",
      "    rollback",
      "  delete Mail where (Mail.kind = :id)",
    ]));

  it("goes on behind each function that Promise.allSettled is given", () =>
    check(`await Promise.allSettled([gone(id), gone(2)]);`, [
      ...HANDLED,
      "  try",
      "    delete Mail where (Mail.kind = 2)",
      "  handler",
    ]));

  it("goes on behind those that it is given for each item", () =>
    check(`await Promise.allSettled(ids.map((each) => gone(each)));`, EACH));

  it("goes on where the function itself is given", () =>
    check(`await Promise.allSettled(ids.map(gone));`, EACH));

  it("goes on behind what is done for each item at the place", () =>
    check(
      `await Promise.allSettled(ids.map(async (kind) => {
         if (kind > 3) throw new Error("no");
         await prisma.mail.deleteMany({ where: { kind } });
       }));`,
      EACH,
    ));

  it("goes on behind each return of what is done for each item", () =>
    check(
      `await Promise.allSettled(ids.map((each) => {
         if (each === 2) return gone(5);
         return gone(each);
       }));`,
      [
        "f unit",
        "  loop count",
        "    if (:ids[@i1] = 2)",
        "      @return1 := 1",
        "    else",
        "      @return1 := 2",
        "    try",
        "      if (@return1 = 1)",
        "        rollback",
        "      else",
        "        if (:ids[@i1] > 3)",
        "          rollback",
        "        delete Mail where (Mail.kind = :ids[@i1])",
        "    handler",
      ],
    ));
});
