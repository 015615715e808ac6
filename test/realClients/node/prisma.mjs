// Prisma with its driver adapters, whose query compiler comes with npm: queries, transactions, errors. The schema is
// made by SQL as `prisma migrate` writes it, since the schema engine is no part of the package.
import { execFileSync } from "node:child_process";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { end, isPostgres, address, step, url } from "./steps.mjs";

const provider = isPostgres ? "postgresql" : "mysql";
const packages = path.join(process.env.ISOLENS_CLIENTS_NODE ?? process.cwd(), "node_modules");
const folder = mkdtempSync(path.join(os.tmpdir(), "prisma-"));
symlinkSync(packages, path.join(folder, "node_modules"));
writeFileSync(path.join(folder, "package.json"), "{}");
writeFileSync(
  path.join(folder, "schema.prisma"),
  `
generator client {
  provider   = "prisma-client-js"
  engineType = "client"
  output     = "./client"
}
datasource db {
  provider = "${provider}"
  url      = "${url}"
}
model PAccount {
  id      Int      @id @default(autoincrement())
  owner   String   @unique
  balance Decimal  @db.Decimal(12, 2)
  made    DateTime @default(now())
  bytes   Bytes?
  entries PEntry[]
}
model PEntry {
  id      Int      @id @default(autoincrement())
  amount  Int
  account PAccount @relation(fields: [ownerId], references: [id])
  ownerId Int
}
`,
);
let prisma;
await step("generate", () => {
  execFileSync(
    process.execPath,
    [
      path.join(packages, "prisma/build/index.js"),
      "generate",
      "--schema",
      path.join(folder, "schema.prisma"),
    ],
    {
      cwd: folder,
      stdio: "pipe",
      env: {
        ...process.env,
        CHECKPOINT_DISABLE: "1",
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      },
    },
  );
  return Promise.resolve();
});
const require = createRequire(path.join(folder, "x.js"));
await step("schema", async () => {
  const { PrismaClient } = require("./client");
  const adapter = isPostgres
    ? new (require("@prisma/adapter-pg").PrismaPg)({ connectionString: url })
    : new (require("@prisma/adapter-mariadb").PrismaMariaDb)({ ...address, connectionLimit: 4 });
  prisma = new PrismaClient({ adapter });
  const name = (each) => (isPostgres ? `"${each}"` : `\`${each}\``);
  for (const each of ["PEntry", "PAccount"])
    await prisma.$executeRawUnsafe(`DROP TABLE IF EXISTS ${name(each)}`);
  const id = isPostgres ? "SERIAL NOT NULL" : "INTEGER NOT NULL AUTO_INCREMENT";
  const when = isPostgres
    ? "TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP"
    : "DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)";
  await prisma.$executeRawUnsafe(
    `CREATE TABLE ${name("PAccount")} (${name("id")} ${id}, ${name("owner")} ${isPostgres ? "TEXT" : "VARCHAR(191)"} NOT NULL, ${name("balance")} DECIMAL(12,2) NOT NULL, ${name("made")} ${when}, ${name("bytes")} ${isPostgres ? "BYTEA" : "LONGBLOB"}, PRIMARY KEY (${name("id")}))`,
  );
  await prisma.$executeRawUnsafe(
    `CREATE UNIQUE INDEX ${name("PAccount_owner_key")} ON ${name("PAccount")}(${name("owner")})`,
  );
  await prisma.$executeRawUnsafe(
    `CREATE TABLE ${name("PEntry")} (${name("id")} ${id}, ${name("amount")} INTEGER NOT NULL, ${name("ownerId")} INTEGER NOT NULL, PRIMARY KEY (${name("id")}))`,
  );
  await prisma.$executeRawUnsafe(
    `ALTER TABLE ${name("PEntry")} ADD CONSTRAINT ${name("PEntry_ownerId_fkey")} FOREIGN KEY (${name("ownerId")}) REFERENCES ${name("PAccount")}(${name("id")}) ON DELETE RESTRICT ON UPDATE CASCADE`,
  );
});
await step("create", async () => {
  const made = await prisma.pAccount.create({
    data: {
      owner: "ann",
      balance: "12.50",
      bytes: Buffer.from([0, 255]),
      entries: { create: [{ amount: 1 }, { amount: 2 }] },
    },
    include: { entries: true },
  });
  return [made.owner, String(made.balance), made.bytes, made.entries.map(({ amount }) => amount)];
});
await step("find", () =>
  prisma.pAccount.findMany({
    where: { entries: { some: { amount: { gt: 1 } } } },
    select: { owner: true, _count: { select: { entries: true } } },
  }),
);
await step("upsert", async () => {
  await prisma.pAccount.upsert({
    where: { owner: "ann" },
    update: { balance: { increment: 1 } },
    create: { owner: "ann", balance: 0 },
  });
  return String((await prisma.pAccount.findUnique({ where: { owner: "ann" } })).balance);
});
await step("transaction", () =>
  prisma.$transaction(
    async (trx) => {
      await trx.pEntry.updateMany({ data: { amount: { increment: 1 } } });
      return trx.pEntry.aggregate({ _sum: { amount: true } });
    },
    { isolationLevel: "Serializable" },
  ),
);
await step("unique", () =>
  prisma.pAccount.create({ data: { owner: "ann", balance: 0 } }).then(
    () => "no error",
    (error) => error.code,
  ),
);
await step("foreign key", () =>
  prisma.pEntry.create({ data: { amount: 1, ownerId: 99 } }).then(
    () => "no error",
    (error) => error.code,
  ),
);
await step(
  "raw",
  () =>
    prisma.$queryRaw`select count(*) as n from ${require("./client").Prisma.raw(isPostgres ? '"PEntry"' : "\`PEntry\`")}`,
);
end();
