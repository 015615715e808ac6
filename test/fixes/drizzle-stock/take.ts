// Stock is read, compared and written back.
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable } from "drizzle-orm/pg-core";
import { Pool } from "pg";

const items = pgTable("items", {
  id: integer("id").primaryKey(),
  stock: integer("stock").notNull(),
});

const db = drizzle(new Pool({ connectionString: process.env.DATABASE_URL }));

export async function take(id: number, amount: number) {
  await db.transaction(async (tx) => {
    const [item] = await tx.select().from(items).where(eq(items.id, id));
    if (!item || item.stock < amount) throw new Error("there is not enough");
    await tx
      .update(items)
      .set({ stock: item.stock - amount })
      .where(eq(items.id, id));
  });
}
