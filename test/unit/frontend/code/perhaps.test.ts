// Operations that a program does only perhaps: nested writes and operations behind a condition, or whose errors go no further.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PROJECTS, printed, transactionsOf } from "./prismaPrograms";

/** The value of the function `f(id, plan, soon)` with that body. */
async function check(body: string, expected: readonly string[]): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(id, plan, soon) { ${body} }`;
  assert.deepEqual(printed(await transactionsOf(PROJECTS, { "a.ts": text })), expected);
}

const UPDATED = "returning r1: Project.id as id, Project.plan as plan";

describe("what is done perhaps", () => {
  it("writes related rows where the condition of a spread holds", () =>
    check(
      `await prisma.project.update({ where: { id }, data: { plan, ...(soon > 1 && { mails: { deleteMany: { kind: 3 } } }) } });`,
      [
        "f explicit",
        `  update Project set plan = :plan where (Project.id = :id) ${UPDATED}`,
        "  if not (affected(f/1) > 0)",
        "    rollback",
        "  if (:soon > 1)",
        "    r2 = select Mail.id as id, Mail.projectId as projectId from Mail where ((Mail.kind = 3) and (Mail.projectId = r1.id))",
        "    loop rows",
        "      delete Mail where (Mail.id = r2.id)",
        "  if (:soon > 1)",
        "    r3 = select Project.id as id, Project.plan as plan from Project where (Project.id = r1.id)",
      ],
    ));

  it("runs the operations of a list that is spread where its condition holds", () =>
    check(
      `await Promise.all([prisma.mail.deleteMany({ where: { kind: 1 } }), ...(soon > 1 ? [prisma.mail.deleteMany({ where: { kind: 2 } })] : [])]);`,
      [
        "f unit",
        "  delete Mail where (Mail.kind = 1)",
        "  if (:soon > 1)",
        "    delete Mail where (Mail.kind = 2)",
      ],
    ));

  it("goes on behind errors that Promise.allSettled tells among its results", () =>
    check(
      `const [done] = await Promise.allSettled([prisma.project.update({ where: { id }, data: { plan } }), prisma.mail.deleteMany({ where: { kind: 1 } })]);
       if (done.status === "fulfilled") await prisma.mail.deleteMany({ where: { kind: done.value.plan } });`,
      [
        "f unit",
        "  @caught1 := false",
        "  try",
        `    update Project set plan = :plan where (Project.id = :id) ${UPDATED}`,
        "    if not (affected(f/1) > 0)",
        "      rollback",
        "  handler",
        "    @caught1 := true",
        "  try",
        "    delete Mail where (Mail.kind = 1)",
        "  handler",
        '  if ((@caught1 ? "rejected" : "fulfilled") = "fulfilled")',
        "    if (size(r1) <= 0)",
        "      rollback",
        "    delete Mail where (Mail.kind = r1.plan)",
      ],
    ));

  it("goes on behind errors of each item", () =>
    check(
      `await Promise.allSettled(id.map((each) => prisma.project.update({ where: { id: each }, data: { plan } })));
       await prisma.mail.deleteMany({ where: { kind: 1 } });`,
      [
        "f unit",
        "  loop count",
        "    try",
        `      update Project set plan = :plan where (Project.id = :id[@i1]) ${UPDATED}`,
        "      if not (affected(f/1) > 0)",
        "        rollback",
        "    handler",
        "  delete Mail where (Mail.kind = 1)",
      ],
    ));

  it("spreads a row that may be missing without an error", () =>
    check(
      `const row = await prisma.mail.findUnique({ where: { id } });
       const mail = { kind: 1, ...row };
       await prisma.mail.deleteMany({ where: { kind: mail.kind } });`,
      [
        "f unit",
        "  r1 = select Mail.id as id, Mail.kind as kind, Mail.projectId as projectId from Mail where (Mail.id = :id)",
        "  delete Mail where (Mail.kind = ((size(r1) > 0) ? r1.kind : 1))",
      ],
    ));

  it("spreads the row of the query that ran", () =>
    check(
      `const row = soon > 1
         ? await prisma.mail.findUnique({ where: { id }, include: { project: true } })
         : await prisma.mail.findFirst({ where: { kind: plan }, include: { project: true } });
       if (!row) throw new Error("none");
       const project = { ...row.project };
       await prisma.mail.deleteMany({ where: { kind: project.plan } });`,
      [
        "f unit",
        "  if (:soon > 1)",
        "    r1 = select Mail.id as id, Mail.kind as kind, Mail.projectId as projectId from Mail where (Mail.id = :id)",
        "    r2 = select Project.id as id, Project.plan as plan from Project where (Project.id = r1.projectId)",
        "  else",
        "    r3 = select Mail.id as id, Mail.kind as kind, Mail.projectId as projectId from Mail where (Mail.kind = :plan) limit 1",
        "    r4 = select Project.id as id, Project.plan as plan from Project where (Project.id = r3.projectId)",
        "  if not ((:soon > 1) ? (size(r1) > 0) : (size(r3) > 0))",
        "    rollback",
        "  delete Mail where (Mail.kind = ((:soon > 1) ? r2.plan : r4.plan))",
      ],
    ));
});

describe("a chain that ?. cuts short", () => {
  const READ = [
    "f unit",
    "  r1 = select Project.id as id, Project.plan as plan from Project where (Project.id = :id)",
    "  r2 = select Mail.id as id, Mail.kind as kind, Mail.projectId as projectId from Mail where (Mail.projectId = r1.id)",
  ];
  const found =
    "const project = await prisma.project.findUnique({ where: { id }, include: { mails: true } });";

  it("fails behind it where something else is missing", () =>
    check(
      `${found}
await prisma.mail.deleteMany({ where: { id: 1, kind: project?.mails[0].kind } });`,
      [
        ...READ,
        "  if not ((size(r1) <= 0) or (size(r2) > 0))",
        "    rollback",
        "  delete Mail where ((Mail.id = 1) and (((size(r2) > 0) and (Mail.kind = r2.kind)) or (size(r2) <= 0)))",
      ],
    ));

  it("is cut again by another ?.", () =>
    check(
      `${found}
await prisma.mail.deleteMany({ where: { id: 1, kind: project?.mails[0]?.kind } });`,
      [
        ...READ,
        "  delete Mail where ((Mail.id = 1) and (((size(r2) > 0) and (Mail.kind = r2.kind)) or (size(r2) <= 0)))",
      ],
    ));
});
