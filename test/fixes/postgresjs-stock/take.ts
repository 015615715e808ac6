// Stock is read, compared and written back.
import postgres from "postgres";

const sql = postgres(process.env.DATABASE_URL);

export async function take(id: number, amount: number) {
  await sql.begin(async (tx) => {
    const [item] = await tx`SELECT stock FROM item WHERE id = ${id}`;
    if (item.stock < amount) throw new Error("there is not enough");
    await tx`UPDATE item SET stock = ${item.stock - amount} WHERE id = ${id}`;
  });
}
