// Stock is read, compared and written back.
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";

interface Database {
  item: { id: number; stock: number };
}

const db = new Kysely<Database>({
  dialect: new PostgresDialect({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) }),
});

export async function take(id: number, amount: number) {
  await db.transaction().execute(async (trx) => {
    const { stock } = await trx
      .selectFrom("item")
      .select("stock")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    if (stock < amount) throw new Error("there is not enough");
    await trx
      .updateTable("item")
      .set({ stock: stock - amount })
      .where("id", "=", id)
      .execute();
  });
}
