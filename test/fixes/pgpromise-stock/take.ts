// Stock is read, compared and written back.
import pgPromise from "pg-promise";

const db = pgPromise()(process.env.DATABASE_URL);

export async function take(id: number, amount: number) {
  await db.tx(async (t) => {
    const { stock } = await t.one("SELECT stock FROM item WHERE id = $1", [id]);
    if (stock < amount) throw new Error("there is not enough");
    await t.none("UPDATE item SET stock = $1 WHERE id = $2", [stock - amount, id]);
  });
}
