// A manager keeps one object for a row: two keys that turn out to be equal give the same one. Tests of JPA stand beside its others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

test("MikroORM reads a row by a second key unless it is the first", async () => {
  const text = `import { Entity, EntityManager, PrimaryKey, Property } from "@mikro-orm/core";
@Entity() class Account { @PrimaryKey() id!: number; @Property() balance!: number; }
export const move = (em: EntityManager, from: number, to: number, n: number) =>
  em.transactional(async (own) => {
    const source = await own.findOneOrFail(Account, from);
    const target = await own.findOneOrFail(Account, to);
    source.balance -= n;
    target.balance += n;
  });`;
  const lines = printed(
    await transactionsOf("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);", {
      "a.ts": text,
    }),
  );
  const at = lines.findIndex((line) => line.includes("if (:to = :from)"));
  assert.ok(at > 0, lines.join("\n"));
  const reads = lines.flatMap((line, index) => (/select account/u.test(line) ? [index] : []));
  assert.equal(reads.length, 2);
  assert.ok((reads[0] ?? Infinity) < at && at < (reads[1] ?? 0), lines.join("\n"));
  const otherwise = lines.findLastIndex((line) => line.trim() === "else");
  assert.ok(otherwise < lines.findIndex((line) => line.includes("where (account.id = r2.id)")));
});
