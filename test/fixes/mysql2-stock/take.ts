// Stock is read, compared and written back.
import mysql from "mysql2/promise";

const pool = mysql.createPool({ uri: process.env.DATABASE_URL });

export async function take(id: number, amount: number) {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const [rows] = await connection.execute("SELECT stock FROM item WHERE id = ?", [id]);
    const stock = rows[0].stock;
    if (stock < amount) throw new Error("there is not enough");
    await connection.execute("UPDATE item SET stock = ? WHERE id = ?", [stock - amount, id]);
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
