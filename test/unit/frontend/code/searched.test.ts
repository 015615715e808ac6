// Questions about lists that are made of rows: what is searched, counted and tested is asked of the rows.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transaction } from "../../../../server/src/program/program";
import { transactionsOf } from "./codePrograms";
import { printed, transactionsOf as prismaTransactionsOf } from "./prismaPrograms";

const DDL = `CREATE TABLE accounts (id int PRIMARY KEY, owner int, balance int NOT NULL);`;
const HEAD = `import { Pool } from "pg";
import { drizzle } from "drizzle-orm/node-postgres";
import { inArray } from "drizzle-orm";
const pool = new Pool();
const set = (id, n) => pool.query("UPDATE accounts SET balance = $2 WHERE id = $1", [id, n]);
const add = (n) => pool.query("INSERT INTO accounts (id, balance) VALUES (1, $1)", [n]);
`;
const ROWS = "r1 = select accounts.id as id, accounts.balance as balance from accounts";

function linesOf(made: readonly Transaction[]): readonly string[] {
  return printed(made)
    .slice(1)
    .map((line) => line.slice(2));
}

/** The commands of a function with this body behind a SELECT, without its name. */
async function check(body: string, ...expected: readonly string[]): Promise<void> {
  const select = 'const { rows } = await pool.query("SELECT id, balance FROM accounts");';
  const text = `${HEAD}export async function f(x, y, b: boolean) { ${select} ${body} }`;
  const made = await transactionsOf(DDL, { "a.ts": text });
  const lines = linesOf(made.filter(({ name }) => name === "f"));
  assert.deepEqual(lines, [ROWS, ...expected], body);
}

describe("lists of rows", () => {
  it("finds the first row that is so, or none", () =>
    check(
      "const r = rows.find((r) => r.balance > x); if (r) await set(r.id, r.balance);",
      "if any(of r1 where (r1.balance > :x))",
      "  update accounts set balance = first(r1.balance of r1 where (r1.balance > :x)) where (accounts.id = first(r1.id of r1 where (r1.balance > :x)))",
    ));
  it("takes asking what was not found for an error", () =>
    check(
      "const r = rows.find((r) => r.balance > x); await set(r.id, 1);",
      "if not any(of r1 where (r1.balance > :x))",
      "  rollback",
      "update accounts set balance = 1 where (accounts.id = first(r1.id of r1 where (r1.balance > :x)))",
    ));
  it("finds the last row, and the last that is so", async () => {
    await check(
      "const r = rows.at(-1); if (r) await set(1, r.balance);",
      "if any(of r1 where true)",
      "  update accounts set balance = last(r1.balance of r1 where true) where (accounts.id = 1)",
    );
    await check(
      "const r = rows.findLast((r) => r.balance > x); if (r) await set(1, r.balance);",
      "if any(of r1 where (r1.balance > :x))",
      "  update accounts set balance = last(r1.balance of r1 where (r1.balance > :x)) where (accounts.id = 1)",
    );
  });
  it("tells at which index an item is found of items that are known", async () => {
    await check(
      "const at = [x, 4].findIndex((i) => i > y); if (at === -1) return; await set(1, at);",
      "if (((:x > :y) ? 0 : ((4 > :y) ? 1 : -1)) = -1)",
      "  return",
      "update accounts set balance = ((:x > :y) ? 0 : ((4 > :y) ? 1 : -1)) where (accounts.id = 1)",
    );
    const SAID = ["! at which index an item is found is not known", "! an item of a list"];
    for (const method of ["findIndex", "findLastIndex"]) {
      await check(
        `const at = x.${method}((i) => i.id === y); if (at === -1) return; await set(1, at);`,
        "if (unknown(:x, (unknown(:x) == :y)) = -1)",
        "  return",
        "update accounts set balance = unknown(:x, (unknown(:x) == :y)) where (accounts.id = 1)",
        ...SAID,
      );
      await check(
        `const at = rows.${method}((r) => r.id === y); await set(1, at);`,
        "update accounts set balance = unknown(size(r1), (unknown(size(r1)) == :y)) where (accounts.id = 1)",
        ...SAID,
      );
    }
  });
  it("asks a map that is made of rows for the last with a key", async () => {
    await check(
      "const by = new Map(rows.map((r) => [r.id, r])); const r = by.get(x); if (!r) return; await set(x, r.balance);",
      "if not any(of r1 where (:x = r1.id))",
      "  return",
      "update accounts set balance = last(r1.balance of r1 where (:x = r1.id)) where (accounts.id = :x)",
    );
    await check(
      "const by = new Map(rows.map((r) => [r.id, r.balance])); if (by.has(x)) return; by.set(x, 1); await set(x, by.get(y));",
      "if any(of r1 where (:x = r1.id))",
      "  return",
      "update accounts set balance = unknown(:y, size(r1)) where (accounts.id = :x)",
      "! a map is asked for a key that is only known when it runs",
    );
  });
  it("counts what is filtered", () =>
    check(
      "await add(rows.filter((r) => r.balance > x).length);",
      "insert accounts {id = 1, owner = null, balance = count(of r1 where (r1.balance > :x))}",
    ));
  it("follows functions with several ends", () =>
    check(
      "const big = (r) => { if (b) return r.balance > 5; return r.balance > x; }; if (rows.some(big)) await add(2);",
      "if any(of r1 where (not (((:b = true) ? (r1.balance > 5) : (r1.balance > :x)) is null) and ((:b = true) ? (r1.balance > 5) : (r1.balance > :x))))",
      "  insert accounts {id = 1, owner = null, balance = 2}",
    ));
  it("asks lists for what they hold", () =>
    check(
      "const ids = new Set(rows.map((r) => r.id)); if (ids.has(x)) await add(2);",
      "if any(of r1 where (:x == r1.id))",
      "  insert accounts {id = 1, owner = null, balance = 2}",
    ));
  it("asks for every one as for none that is not so", () =>
    check(
      "if (rows.every((r) => r.balance > x)) await add(2);",
      "if not any(of r1 where not (r1.balance > :x))",
      "  insert accounts {id = 1, owner = null, balance = 2}",
    ));
  it("is exact where rows make a list of SQL", () =>
    check(
      'await pool.query("DELETE FROM accounts WHERE id <> ALL($1)", [rows.filter((r) => r.balance < x).map((r) => r.id)]);',
      "delete accounts where not any(of r1 where ((r1.balance < :x) and (accounts.id = r1.id)))",
    ));
  it("leaves functions alone that do more than to calculate", () =>
    check(
      "let n = 0; const r = rows.find((r) => { n += 1; return r.balance > x; }); await add(r?.id);",
      "insert accounts {id = 1, owner = null, balance = unknown(size(r1))}",
      "! an item that is searched for is not told from the others",
    ));
  it("does not tell the first of rows in another order", () =>
    check(
      "const sorted = rows.toSorted((a, b) => a.balance - b.balance); await set(sorted.find((r) => r.balance > x)?.id, 1);",
      "update accounts set balance = 1 where (accounts.id = unknown(size(r1)))",
      "! an item that is searched for is not told from the others",
    ));
});

const SCHEMA = `
datasource db {
  provider = "postgresql"
}
model Org {
  id    Int    @id
  name  String
  seats Int
  users User[]
  tags  Tag[]
}
model User {
  id    Int @id
  org   Org @relation(fields: [orgId], references: [id])
  orgId Int @map("org_id")
  age   Int
}
model Tag {
  key  String @id
  orgs Org[]
}
`;

async function checkPrisma(body: string, ...expected: readonly string[]): Promise<void> {
  const text = `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function f(name: string) { ${body} }`;
  const made = await prismaTransactionsOf(SCHEMA, { "f.ts": text });
  assert.deepEqual(linesOf(made), expected, body);
}

describe("rows related to several rows", () => {
  it("are read at once, and each row has its own", () =>
    checkPrisma(
      "const orgs = await prisma.org.findMany({ where: { name }, include: { users: true } });\n" +
        "for (const org of orgs) await prisma.org.updateMany({ where: { id: org.id }, data: { seats: org.users.length } });",
      "r1 = select Org.id as id, Org.name as name, Org.seats as seats from Org where (Org.name = :name)",
      "r2 = select User.id as id, User.org_id as orgId, User.age as age from User where any(of r1 where (User.org_id = r1.id))",
      "loop rows",
      "  update Org set seats = count(of r2 where (r2.orgId = r1.id)) where (Org.id = r1.id)",
    ));
  it("are told by what a function makes of them that is given a value, whatever else has that value's name", async () => {
    const text = `import { PrismaClient } from "@prisma/client";
import { unheard } from "unheard";
const prisma = new PrismaClient();
export const id = (n: number) => prisma.org.deleteMany({ where: { seats: n } });
export const user = (n: number) => id(n);
export async function f(name: string) {
  const found = await prisma.user.findMany({ where: { age: 3 } });
  await prisma.org.deleteMany({ where: { id: { in: found.map(({ id }) => id) } } });
  await prisma.org.deleteMany({ where: { id: { in: found.map((user) => user.orgId) } } });
  await prisma.org.deleteMany({ where: { name: { in: found.map((user) => unheard(user)) } } });
}`;
    const made = await prismaTransactionsOf(SCHEMA, { "f.ts": text });
    const lines = linesOf(made.filter((each) => each.name === "f"));
    assert.deepEqual(lines.slice(1, 3), [
      "delete Org where any(of r1 where (Org.id = r1.id))",
      "delete Org where any(of r1 where (Org.id = r1.orgId))",
    ]);
    assert.match(lines.join("\n"), /! a list of values that is not known/u);
  });
  it("are joined by columns that nobody selected", () =>
    checkPrisma(
      "const users = await prisma.user.findMany({ select: { age: true, org: { select: { seats: true } } } });\n" +
        "for (const u of users) await prisma.org.updateMany({ where: { name }, data: { seats: u.org.seats + u.age } });",
      "r1 = select User.age as age, User.org_id as _link.org_id from User",
      "r2 = select Org.seats as seats, Org.id as _link.id from Org where any(of r1 where (Org.id = r1._link.org_id))",
      "loop rows",
      "  if not any(of r2 where (r2._link.id = r1._link.org_id))",
      "    rollback",
      "  update Org set seats = (first(r2.seats of r2 where (r2._link.id = r1._link.org_id)) + r1.age) where (Org.name = :name)",
    ));
  it("are found through the table between", () =>
    checkPrisma(
      "const orgs = await prisma.org.findMany({ include: { tags: true } });\n" +
        "await prisma.tag.deleteMany({ where: { key: { in: orgs.flatMap((o) => o.tags.map((t) => t.key)) } } });",
      "r1 = select Org.id as id, Org.name as name, Org.seats as seats from Org",
      "r2 = select Tag.key as key, t1.A as _link from _OrgToTag t1, Tag where ((Tag.key = t1.B) and any(of r1 where (t1.A = r1.id)))",
      "delete Tag where any(of r1 where any(of r2 where ((r2._link = r1.id) and (Tag.key = r2.key))))",
    ));
  it("are not told where a part of those of each is taken", () =>
    checkPrisma(
      "await prisma.org.findMany({ include: { users: { take: 1 } } });",
      "r1 = select Org.id as id, Org.name as name, Org.seats as seats from Org",
      "r2 = select User.id as id, User.org_id as orgId, User.age as age from User where any(of r1 where (User.org_id = r1.id)) limit 1",
      "! a part of the rows related to each of several rows is not told",
    ));
});

describe("lists of arguments", () => {
  const FOUND = "not (:y[found] is null) and (:y[found].id == :x)";
  const IS_TRUE = `${FOUND} and not (:y[found] is null) and :y[found]`;
  it("have any item that a search may find, or none", () =>
    check(
      "const own = y.find((each) => each.id === x); if (!own) throw new Error(); await set(1, own.n);",
      `if not (${IS_TRUE})`,
      "  rollback",
      `if not (${FOUND})`,
      "  rollback",
      "update accounts set balance = :y[found].n where (accounts.id = 1)",
    ));
  it("have the same item for the same test", () =>
    check(
      "const one = y.find((each) => each.id === x); const two = y.find((other) => other.id === x); if (one && !two) await set(1, 2);",
      `if (${IS_TRUE} and not (${IS_TRUE}))`,
      "  update accounts set balance = 2 where (accounts.id = 1)",
    ));
  it("have an item that is not known for another test as well", () =>
    check(
      "const one = y.find((each) => each.id === x); const two = y.find((each) => each.id === b); if (two) await set(1, 1);",
      "if unknown(:y)",
      "  update accounts set balance = 1 where (accounts.id = 1)",
    ));
  it("have an item that is not known in the rounds of a loop", () =>
    check(
      "for (const row of rows) { const own = y.find((each) => each.id === row.id); if (own) await set(1, 1); }",
      "loop rows",
      "  if unknown(:y)",
      "    update accounts set balance = 1 where (accounts.id = 1)",
    ));
  it("have an item that may be one that was written, before or after", async () => {
    const search = "const own = y.find((each) => each.id === x);";
    for (const write of ["for (const each of y) each.n = 0;", "y[0].n = 0;"])
      for (const body of [`${write} ${search}`, `${search} ${write}`])
        await check(
          `${body} await set(1, own.n);`,
          `if not (${FOUND})`,
          "  rollback",
          "update accounts set balance = unknown(0) where (accounts.id = 1)",
          "! which item of a list was written is not known",
        );
  });
  it("have items of which one may be that which was found and written", () =>
    check(
      "y.find((each) => each.id === x).n = 0; await set(1, y[0].n);",
      `update accounts set balance = unknown((${FOUND}), 0, :y[found].n) where (accounts.id = 1)`,
      "! which item of a list was written is not known",
    ));
});
