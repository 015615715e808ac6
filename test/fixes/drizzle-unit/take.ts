// Stock is read, compared and written back, each by itself.
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
  const [item] = await db.select().from(items).where(eq(items.id, id));
  if (!item || item.stock < amount) throw new Error("there is not enough");
  await db
    .update(items)
    .set({ stock: item.stock - amount })
    .where(eq(items.id, id));
}
