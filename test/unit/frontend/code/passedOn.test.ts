// Operations of the Prisma client whose argument the code does not say: what is not known of it is never taken for nothing.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PROJECTS, losses, printed, transactionsOf } from "./prismaPrograms";

/** The value of the function `f(args, c, k)` with that body, and what is lost. */
async function check(
  body: string,
  expected: readonly string[],
  lost: readonly string[],
): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(args: any, c: boolean, k: number) { ${body} }`;
  const transactions = await transactionsOf(PROJECTS, { "a.ts": text });
  const lines = printed(transactions).filter((line) => !line.startsWith("  ! "));
  assert.deepEqual(lines, expected);
  assert.deepEqual(transactions.flatMap(losses), lost);
}

const MAIL = "Mail.id as id, Mail.kind as kind, Mail.projectId as projectId from Mail";
const PROJECT = "Project.id as id, Project.plan as plan from Project where (Project.id = 3)";
const RESULT = [`what "select" asks for is not known`, `what "include" asks for is not known`];
const FILTER = "a filter that is not known";
const SECTION = [`"cursor" is left out`, `"distinct" is left out`, "an order that is not known"];

describe("arguments of operations that are passed on", () => {
  it("finds rows by a filter, in an order and up to a number that the caller gives", () =>
    check(
      `await prisma.mail.findMany(args);`,
      [
        "f autocommit",
        `  r1 = select ${MAIL} where unknown(:args.where) limit :args.take offset :args.skip`,
      ],
      [...RESULT, FILTER, ...SECTION],
    ));

  it("knows what stands beside a spread of them", () =>
    check(
      `await prisma.mail.findMany({ ...args, where: { kind: k }, take: 3 });`,
      ["f autocommit", `  r1 = select ${MAIL} where (Mail.kind = :k) limit 3 offset :args.skip`],
      [...RESULT, ...SECTION],
    ));

  it("deletes those rows that the caller says", () =>
    check(
      `await prisma.mail.deleteMany(args);`,
      ["f autocommit", "  delete Mail where unknown(:args.where)"],
      [FILTER],
    ));

  it("changes rows where the caller says what to set", () =>
    check(
      `await prisma.mail.updateMany(args);`,
      [
        "f autocommit",
        "  update Mail set kind = unknown(:args.data.kind), projectId = unknown(:args.data.projectId) where unknown(:args.where)",
      ],
      [FILTER, "which fields the data has is not known"],
    ));

  it("runs one of two operations where one of two records is handed over", () =>
    check(
      `await prisma.mail.deleteMany(c ? { where: { kind: k } } : undefined);`,
      [
        "f autocommit",
        "  if (:c = true)",
        "    delete Mail where (Mail.kind = :k)",
        "  else",
        "    delete Mail",
      ],
      [],
    ));

  it("says that related rows may be read", () =>
    check(
      `await prisma.project.findFirst({ where: { id: 3 }, include: args });`,
      ["f autocommit", `  r1 = select ${PROJECT} limit 1`],
      [`what "include" asks for is not known`],
    ));

  it("says so of a write, too", () =>
    check(
      `await prisma.project.update({ where: { id: 3 }, data: { plan: k }, select: args });`,
      [
        "f autocommit",
        "  update Project set plan = :k where (Project.id = 3) returning r1: Project.id as id, Project.plan as plan",
        "  if not (affected(f/1) > 0)",
        "    rollback",
      ],
      [`what "select" asks for is not known`],
    ));

  it("says which part of an argument nobody reads", () =>
    check(
      `await prisma.mail.deleteMany({ where: { kind: k }, limit: 5 });`,
      ["f autocommit", "  delete Mail where (Mail.kind = :k)"],
      [`"limit" is left out`],
    ));
});
