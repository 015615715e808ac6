import { withTransaction } from "./database";
import { one } from "./query";

export interface CustomerKey {
  warehouse: number;
  district: number;
  customer: number;
}

interface CustomerRow {
  c_balance: number;
  c_ytd_payment: number;
  c_payment_cnt: number;
}

/** `by` pays at a district, which need not be that customer's own; returns the new balance. */
export async function payment(
  warehouse: number,
  district: number,
  by: CustomerKey,
  amount: number,
): Promise<number> {
  if (amount <= 0) throw new RangeError("the amount must be positive");
  return withTransaction(async (client) => {
    await client.query("UPDATE warehouse SET w_ytd = w_ytd + $2 WHERE w_id = $1", [
      warehouse,
      amount,
    ]);
    await client.query("UPDATE district SET d_ytd = d_ytd + $3 WHERE d_w_id = $1 AND d_id = $2", [
      warehouse,
      district,
      amount,
    ]);
    const key = [by.warehouse, by.district, by.customer];
    const row = await one<CustomerRow>(
      client,
      `SELECT c_balance, c_ytd_payment, c_payment_cnt
         FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3`,
      key,
    );
    const balance = row.c_balance - amount;
    await client.query(
      `UPDATE customer SET c_balance = $4, c_ytd_payment = $5, c_payment_cnt = $6
        WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3`,
      [...key, balance, row.c_ytd_payment + amount, row.c_payment_cnt + 1],
    );
    await client.query(
      "INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES ($1, $2, $3, $4)",
      [...key, amount],
    );
    return balance;
  });
}
