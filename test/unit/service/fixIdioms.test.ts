// The words of each library: in the small programs of test/fixes, the first fix of a kind is the edit that its users write.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { editedText } from "../../../server/src/analysis/repair/candidate";
import { indexLines, offsetsOf } from "../../../server/src/frontend/sql/text/lines";
import type { FixKind } from "../../../server/src/protocol/fixes";
import type { Session } from "../../../server/src/service/session";
import { loadProjects } from "../../../server/src/workspace/projects";
import { openTestSession } from "./testSession";

const ROOT = path.join(__dirname, "..", "..");

let session: Session;

before(async () => {
  session = await openTestSession();
});

after(async () => {
  await session.dispose();
});

/** The loop that runs again what the server refuses, in a function that stands at the left. */
const again = (more: readonly string[], refusal: string): readonly string[] => [
  "for (let attempt = 1; ; attempt += 1) {\n    try {\n      ",
  ...more,
  `\n      return;\n    } catch (error) {\n      const { code } = error as { code?: string };\n      if (attempt === 3 || ${refusal}) throw error;\n    }\n  }`,
];
const PG_REFUSAL = '(code !== "40001" && code !== "40P01")';

const CASES: readonly {
  readonly program: string;
  readonly kind: FixKind;
  readonly edits: readonly string[];
}[] = [
  { program: "mysql2-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  {
    program: "mysql2-desks",
    kind: "anchor-lock",
    edits: [
      'await connection.execute("SELECT 1 FROM desk WHERE id = ? FOR UPDATE", [desk]);\n    ',
    ],
  },
  {
    program: "mysql2-desks",
    kind: "raised-level",
    edits: again(
      ['await connection.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");\n        '],
      'code !== "ER_LOCK_DEADLOCK"',
    ),
  },
  { program: "postgresjs-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  {
    program: "postgresjs-stock",
    kind: "raised-level",
    edits: again(['"isolation level serializable", '], PG_REFUSAL),
  },
  { program: "pgpromise-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "slonik-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "jdbc-stock", kind: "row-lock", edits: [" FOR UPDATE"] },
  {
    program: "jpa-stock",
    kind: "advisory-lock",
    edits: [
      `em.createNativeQuery("SELECT CAST(pg_advisory_xact_lock(hashtext('item')) AS text)").getResultList();\n      `,
    ],
  },
  {
    program: "mikroorm-stock",
    kind: "row-lock",
    edits: [", LockMode", ", { lockMode: LockMode.PESSIMISTIC_WRITE }"],
  },
  {
    program: "mikroorm-stock",
    kind: "raised-level",
    edits: [
      ", IsolationLevel",
      ...again([", { isolationLevel: IsolationLevel.SERIALIZABLE }"], PG_REFUSAL),
    ],
  },
  {
    program: "mikroorm-stock",
    kind: "version-check",
    edits: ['\n\n  @Property({ type: "integer", version: true })\n  version!: number;'],
  },
  {
    program: "sequelize-save",
    kind: "version-check",
    edits: [
      "\n\nALTER TABLE item ADD COLUMN version integer NOT NULL DEFAULT 0;",
      ", version: true",
    ],
  },
  {
    program: "jpa-stock",
    kind: "version-check",
    edits: [
      "\nimport jakarta.persistence.Version;",
      "\n\n  @Version\n  private int version;",
      "\n\nALTER TABLE item ADD COLUMN version integer NOT NULL DEFAULT 0;",
    ],
  },
  {
    program: "jpa-stock",
    kind: "row-lock",
    edits: ["\nimport jakarta.persistence.LockModeType;", ", LockModeType.PESSIMISTIC_WRITE"],
  },
  {
    program: "spring-stock",
    kind: "row-lock",
    edits: [
      "import jakarta.persistence.LockModeType;\nimport java.util.Optional;\n",
      "\nimport org.springframework.data.jpa.repository.Lock;",
      "\n  @Lock(LockModeType.PESSIMISTIC_WRITE)\n  Optional<Item> findWithLockById(Long id);\n",
      "findWithLockById",
    ],
  },
  {
    program: "spring-stock",
    kind: "raised-level",
    edits: [
      "import org.springframework.transaction.annotation.Isolation;\n",
      "(isolation = Isolation.SERIALIZABLE)",
    ],
  },
  {
    program: "knex-move",
    kind: "lock-order",
    edits: [
      'await trx.raw("SELECT 1 FROM item WHERE id IN (?, ?) ORDER BY id FOR UPDATE", [from, to]);\n    ',
    ],
  },
  {
    program: "pg-move",
    kind: "lock-order",
    edits: [
      'await client.query("SELECT 1 FROM item WHERE id IN ($1, $2) ORDER BY id FOR UPDATE", [from, to]);\n    ',
    ],
  },
  {
    program: "move-sql",
    kind: "lock-order",
    edits: ["SELECT 1 FROM item WHERE id IN (:from, :to) ORDER BY id FOR UPDATE;\n"],
  },
  { program: "pg-move", kind: "retry-loop", edits: again([], PG_REFUSAL) },
  { program: "knex-again", kind: "retry-loop", edits: again([], PG_REFUSAL) },
  {
    program: "mariadb-again",
    kind: "retry-loop",
    edits: again([], '(code !== "ER_LOCK_DEADLOCK" && code !== "ER_CHECKREAD")'),
  },
  { program: "knex-forgotten", kind: "own-connection", edits: ["trx"] },
  { program: "pg-forgotten", kind: "own-connection", edits: ["client"] },
  {
    program: "prisma-forgotten",
    kind: "own-connection",
    edits: ['await tx.$queryRaw`SELECT 1 FROM "Item" WHERE id = ${id} FOR UPDATE`;\n    ', "tx"],
  },
  {
    program: "sequelize-forgotten",
    kind: "own-connection",
    edits: [", transaction, lock: transaction.LOCK.UPDATE"],
  },
  { program: "jdbc-joined", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "pg-seats", kind: "anchor-lock", edits: [" FOR UPDATE"] },
  {
    program: "pg-seats",
    kind: "raised-level",
    edits: again([" ISOLATION LEVEL SERIALIZABLE"], PG_REFUSAL),
  },
  {
    program: "booking-sql",
    kind: "anchor-lock",
    edits: ["PERFORM 1 FROM room WHERE id = the_room FOR UPDATE;\n  "],
  },
  {
    program: "booking-sql",
    kind: "unique-key",
    edits: [
      "\n\nALTER TABLE booking ADD CONSTRAINT booking_room_day_key UNIQUE (room, day);",
      " ON CONFLICT (room, day) DO NOTHING",
      "\n  IF NOT FOUND THEN\n    RETURN false;\n  END IF;",
    ],
  },
  {
    program: "pg-desks",
    kind: "unique-key",
    edits: [
      "const updated = ",
      " ON CONFLICT (desk_id, day) DO NOTHING",
      '\n    if (updated.rowCount === 0) throw new Error("it is taken");',
      "\n\nALTER TABLE booking ADD CONSTRAINT booking_desk_id_day_key UNIQUE (desk_id, day);",
    ],
  },
  {
    program: "mysql2-desks",
    kind: "unique-key",
    edits: [
      "try {\n      ",
      '\n    } catch (error) {\n      if ((error as { code?: string }).code === "ER_DUP_ENTRY") throw new Error("it is taken");\n      throw error;\n    }',
      "\n\nALTER TABLE booking ADD CONSTRAINT booking_desk_id_day_key UNIQUE (desk_id, day);",
    ],
  },
  {
    program: "pg-migrations",
    kind: "unique-key",
    edits: [
      "const updated = ",
      " ON CONFLICT (desk_id, day) DO NOTHING",
      '\n    if (updated.rowCount === 0) throw new Error("it is taken");',
      "ALTER TABLE booking DROP CONSTRAINT booking_desk_id_day_key;\n",
      "ALTER TABLE booking ADD CONSTRAINT booking_desk_id_day_key UNIQUE (desk_id, day);\n",
    ],
  },
  {
    program: "prisma-seats",
    kind: "unique-key",
    edits: [
      'ALTER TABLE "Seat" ADD CONSTRAINT "Seat_showId_place_key" UNIQUE ("showId", place);\n',
      "  @@unique([showId, place])\n",
      "try {\n      ",
      '\n    } catch (error) {\n      if ((error as { code?: string }).code === "P2002") throw new Error("it is sold");\n      throw error;\n    }',
    ],
  },
  {
    program: "pg-rating",
    kind: "version-check",
    edits: [
      "const updated = ",
      " AND score = $3",
      ", score",
      '\n    if (updated.rowCount === 0) throw new Error("film changed meanwhile");',
    ],
  },
  {
    program: "pg-capped",
    kind: "version-check",
    edits: [
      "const updated = ",
      " AND score = $3",
      ", found.rows[0].score",
      '\n    if (updated.rowCount === 0) throw new Error("film changed meanwhile");',
    ],
  },
  {
    program: "film-plpgsql",
    kind: "version-check",
    edits: [
      " AND score = old_score",
      "\n  IF NOT FOUND THEN\n    RAISE EXCEPTION 'film changed meanwhile' USING ERRCODE = '40001';\n  END IF;",
    ],
  },
  {
    program: "jdbc-stock",
    kind: "version-check",
    edits: [
      " AND stock = ?",
      'write.setInt(3, stock);\n      if (write.executeUpdate() == 0) throw new java.sql.SQLException("item changed meanwhile", "40001");',
    ],
  },
  {
    program: "template-stock",
    kind: "version-check",
    edits: [
      "if (",
      " AND stock = ?",
      ", stock",
      ' == 0) throw new IllegalStateException("item changed meanwhile");',
    ],
  },
  { program: "mysql-routine", kind: "row-lock", edits: [" FOR UPDATE"] },
  { program: "ledger-plpgsql", kind: "guarded-update", edits: ["", "credit"] },
];

/** Functions whose statements commit one by one, with what is put around them, without spacing. */
const JOINED: readonly (readonly [string, string])[] = [
  [
    "pg-unit",
    `const client = await pool.connect();
  try {
    await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
    const found = await client.query("SELECT score FROM film WHERE id = $1", [id]);
    const { score } = found.rows[0];
    await client.query("UPDATE film SET score = $1 WHERE id = $2", [score * 9 + stars, id]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }`,
  ],
  [
    "prisma-unit",
    `return prisma.$transaction(async (tx) => {
    const item = await tx.item.findUniqueOrThrow({ where: { id } });
    if (item.stock < amount) throw new Error("there is not enough");
    await tx.item.update({ where: { id }, data: { stock: item.stock - amount } });
  }, { isolationLevel: "Serializable" });`,
  ],
  [
    "drizzle-unit",
    `return db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.id, id));`,
  ],
  [
    "sequelize-unit",
    `return sequelize.transaction({ isolationLevel: "SERIALIZABLE" }, async (transaction) => {
    const item = await Item.findByPk(id, { rejectOnEmpty: true, transaction });
    item.stock -= amount;
    await item.save({ transaction });
  });`,
  ],
  [
    "typeorm-unit",
    `return items.manager.transaction("SERIALIZABLE", async (manager) => {
    const item = await manager.withRepository(items).findOneByOrFail({ id });
    item.stock -= amount;
    await manager.withRepository(items).save(item);
  });`,
  ],
];

/** Programs that take from a stock, with what their UPDATE becomes, without spacing. */
const GUARDED: readonly (readonly [string, string])[] = [
  [
    "mysql2-stock",
    `const [updated] = await connection.execute("UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ?", [amount, id, amount]);
    if (updated.affectedRows === 0) throw`,
  ],
  [
    "pgpromise-stock",
    `const updated = await t.result("UPDATE item SET stock = stock - $1 WHERE id = $2 AND stock >= $3", [amount, id, amount]);
    if (updated.rowCount === 0) throw`,
  ],
  [
    "postgresjs-stock",
    `const updated = await tx\`UPDATE item SET stock = stock - \${amount} WHERE id = \${id} AND stock >= \${amount}\`;
    if (updated.count === 0) throw`,
  ],
  [
    "slonik-stock",
    `UPDATE item SET stock = stock - \${amount} WHERE id = \${id} AND stock >= \${amount}`,
  ],
  [
    "prisma-stock",
    `const updated = await tx.item.updateMany({ where: { id, stock: { gte: amount } }, data: { stock: { decrement: amount } } });
    if (updated.count === 0) throw`,
  ],
  [
    "drizzle-stock",
    `const updated = await tx.update(items).set({ stock: sql\`\${items.stock} - \${amount}\` }).where(and(eq(items.id, id), gte(items.stock, amount))).returning();
    if (updated.length === 0) throw`,
  ],
  [
    "kysely-stock",
    `const updated = await trx.updateTable("item").set((eb) => ({ stock: eb("stock", "-", amount) })).where("id", "=", id).where("stock", ">=", amount).executeTakeFirst();
    if (updated.numUpdatedRows === 0n) throw`,
  ],
  [
    "knex-stock",
    `const updated = await trx("item").where({ id }).where("stock", ">=", amount).update({ stock: trx.raw("?? - ?", ["stock", amount]) });
    if (updated === 0) throw`,
  ],
  [
    "typeorm-stock",
    `const updated = await manager.decrement(Item, { id, stock: MoreThanOrEqual(amount) }, "stock", amount);
    if (updated.affected === 0) throw`,
  ],
  [
    "typeorm-builder-stock",
    `.set({ stock: () => "stock - :change" }).where("id = :id", { id }).andWhere("stock >= :bound", { bound: amount }).setParameter("change", amount).execute();
    if (updated.affected === 0) throw`,
  ],
  [
    "jdbc-stock",
    `prepareStatement("UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ?")) {
      write.setInt(1, amount);
      write.setInt(2, id);
      write.setInt(3, amount);
      if (write.executeUpdate() == 0) {
        connection.rollback();
        return;
      }`,
  ],
  [
    "template-stock",
    `if (jdbc.update("UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ?", amount, id, amount) == 0) throw`,
  ],
  [
    "sequelize-stock",
    `const [updated] = await Item.update({ stock: literal(\`stock - \${Number(amount)}\`) }, { where: { id, stock: { [Op.gte]: amount } }, transaction });
    if (updated === 0) throw`,
  ],
];

const CHECKED: typeof GUARDED = [
  [
    "pg-token",
    'const updated = await client.query("UPDATE tokens SET used = true WHERE id = $1 AND used = false", [token.id]);' +
      'if (updated.rowCount === 0) throw new Error("used already");',
  ],
  [
    "drizzle-token",
    ".where(and(eq(vouchers.id, v.id), isNull(vouchers.usedAt))).returning();" +
      'if (updated.length === 0) throw new Error("not usable");',
  ],
  [
    "prisma-token",
    "updateMany({ where: { id: voucher.id, usedAt: null }, data: { usedAt: new Date() } });" +
      'if (updated.count === 0) throw new Error("used");',
  ],
  [
    "knex-token",
    '.where({ id: invite.id }).where("state", "=", "open").update({ state: "accepted" });' +
      'if (updated === 0) throw new Error("there is no such invitation");',
  ],
];

const CHANGED: readonly (readonly [FixKind, typeof GUARDED])[] = [
  ["guarded-update", GUARDED],
  ["guarded-update", CHECKED],
  ["one-transaction", JOINED],
];

describe("texts that fixes leave, in the words of each library", () => {
  for (const [kind, program, expected] of CHANGED.flatMap(([each, list]) =>
    list.map(([name, text]) => [each, name, text] as const),
  ))
    it(`${program}: ${kind}`, async () => {
      const folder = path.join(ROOT, "fixes", program);
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [project] = projects;
      assert.ok(project);
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const [anomaly] = report.anomalies;
      assert.ok(anomaly);
      const kinds = [kind];
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds }, signal);
      const [fix] = fixes;
      assert.ok(fix, JSON.stringify(advice));
      const text = project.files
        .map(({ file, text: old }) => {
          const lines = indexLines(file, old);
          const own = fix.edits.filter((each) => each.file === file);
          const edits = own.map(({ range, newText }) => ({
            file,
            ...offsetsOf(lines, range),
            newText,
          }));
          return editedText(old, edits);
        })
        .join("\n");
      const plain = (code: string): string => code.replaceAll(/\s+|,(?=\s*[)\]])/gu, "");
      assert.ok(plain(text).includes(plain(expected)), text);
    });
});

describe("fixes in the words of each library", () => {
  for (const { program, kind, edits } of CASES)
    it(`${program}: ${kind}`, async () => {
      const folder = path.join(ROOT, "fixes", program);
      const { projects } = await loadProjects([folder], { cwd: folder });
      const [project] = projects;
      assert.ok(project);
      const signal = AbortSignal.timeout(120_000);
      const { report } = await session.checkWorkspace({ project }, signal);
      const [anomaly] = [...report.anomalies, ...(report.refusals ?? [])];
      assert.ok(anomaly);
      const { fixes, advice } = await session.fixes({ project, anomaly, kinds: [kind] }, signal);
      assert.deepEqual(
        fixes.map((fix) => [
          fix.kind,
          // Lines that only move further in are left aside.
          fix.edits.map(({ newText }) => newText).filter((each) => !/^ +$/u.test(each)),
        ]),
        [[kind, edits]],
        JSON.stringify(advice),
      );
    });
});
