// Stock is read and written back at a level whose refusals (1020) nobody catches.
import mysql from "mysql2/promise";
const pool = mysql.createPool(process.env.DATABASE_URL ?? "");
export async function take(id: number, amount: number) {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const [rows] = await connection.query("SELECT stock FROM item WHERE id = ?", [id]);
    await connection.query("UPDATE item SET stock = ? WHERE id = ?", [rows[0].stock * 9 + amount, id]);
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
