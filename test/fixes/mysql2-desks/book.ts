// A desk is booked for a day unless it is booked already: the desk is the first of two arguments.
import mysql from "mysql2/promise";

const pool = mysql.createPool({ uri: process.env.DATABASE_URL });

export async function book(id: number, desk: number, day: number) {
  const connection = await pool.getConnection();
  try {
    await connection.beginTransaction();
    const [rows] = await connection.execute(
      "SELECT count(*) AS taken FROM booking WHERE desk_id = ? AND day = ?",
      [desk, day],
    );
    if (rows[0].taken > 0) throw new Error("it is taken");
    await connection.execute("INSERT INTO booking (id, desk_id, day) VALUES (?, ?, ?)", [
      id,
      desk,
      day,
    ]);
    await connection.commit();
  } catch (error) {
    await connection.rollback();
    throw error;
  } finally {
    connection.release();
  }
}
