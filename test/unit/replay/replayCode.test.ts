// Anomalies of application code on a real PostgreSQL: the statements that the code makes, whatever library it calls.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import { programOf } from "../frontend/code/prismaPrograms";
import type { Program } from "../../../server/src/program/program";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import { checkNothingLeft, programOfCode, replayAll, verdictsOf } from "./replayCases";

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The outcome of every anomaly. */
  readonly expected: RegExp;
}

const ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";
const POOL = `import { Pool } from "pg";
const pool = new Pool();
`;

const CASES: readonly Case[] = [
  {
    name: "a transaction of pg with a guard in the code",
    files: {
      "schema.sql": ACCOUNT,
      "pay.ts": `${POOL}
export async function pay(id: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
    if (rows[0].balance < amount) throw new Error("too little");
    await client.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - amount]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}`,
    },
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "statements of one function that commit one by one",
    files: {
      "schema.sql": ACCOUNT,
      "pay.ts": `${POOL}
export async function pay(id: number, amount: number) {
  const { rows } = await pool.query("SELECT balance FROM account WHERE id = $1", [id]);
  if (rows.length === 0) return;
  await pool.query("UPDATE account SET balance = $2 WHERE id = $1", [id, rows[0].balance - amount]);
}`,
    },
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a statement before a transaction of its own",
    files: {
      "schema.sql": ACCOUNT,
      "pay.ts": `${POOL}
export async function pay(from: number, to: number, amount: number) {
  const { rows } = await pool.query("SELECT balance FROM account WHERE id = $1", [from]);
  if (rows[0].balance < amount) throw new Error("too little");
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("UPDATE account SET balance = balance - $2 WHERE id = $1", [from, amount]);
  await client.query("UPDATE account SET balance = balance + $2 WHERE id = $1", [to, amount]);
  await client.query("COMMIT");
  client.release();
}`,
    },
    expected: /: reproduced$/,
  },
  {
    name: "models of Prisma, whose tables stand in no SQL file",
    files: {
      "schema.prisma": `datasource db {
  provider = "postgresql"
}
generator client {
  provider = "prisma-client-js"
}
model Order {
  id     Int    @id @default(autoincrement())
  number Int
  userId Int    @map("user")
  state  String @default("new")
}`,
      "order.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export async function order(userId: number) {
  return prisma.$transaction(async (tx) => {
    const last = await tx.order.findFirst({ where: { userId }, orderBy: { number: "desc" } });
    return tx.order.create({ data: { userId, number: (last?.number ?? 0) + 1 } });
  });
}`,
    },
    expected: /: reproduced$/,
  },
];

describe("anomalies of application code on PostgreSQL", () => {
  let temporary: TemporaryServer | undefined;
  before(async () => {
    temporary = await serverFor("postgres", { diagnostic: () => undefined });
  });
  after(async () => {
    await temporary?.stop();
  });

  for (const { name, files, expected } of CASES)
    test(name, async () => {
      if (!temporary) return;
      const all = Object.entries(files).map(([file, text]) => sql(text, file));
      const program = await programIn(files);
      const replayed = await replayAll(temporary.server, all, "postgres:read-committed", {
        program,
      });
      assert.ok(replayed.length > 0, "nothing was found");
      for (const verdict of verdictsOf(replayed)) assert.match(verdict, expected);
      await checkNothingLeft(temporary.server);
    });
});

async function programIn(files: Case["files"]): Promise<Program> {
  const { "schema.prisma": models, ...code } = files;
  if (models !== undefined) return programOf(models, code);
  return programOfCode(Object.entries(files).map(([file, text]) => sql(text, file)));
}
