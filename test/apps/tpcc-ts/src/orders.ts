import { withTransaction } from "./database";
import { one } from "./query";

/** The last order of a customer, with what has been delivered of it. */
export async function orderStatus(warehouse: number, district: number, customer: number) {
  return withTransaction(async (client) => {
    const { c_balance } = await one<{ c_balance: number }>(
      client,
      "SELECT c_balance FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
      [warehouse, district, customer],
    );
    const last = await client.query<{ o_id: number; o_carrier_id: number | null }>(
      `SELECT o_id, o_carrier_id FROM orders
        WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3
        ORDER BY o_id DESC LIMIT 1`,
      [warehouse, district, customer],
    );
    const order = last.rows[0];
    if (!order) return { balance: c_balance, lines: [] };
    const { rows: lines } = await client.query<{ ol_i_id: number; ol_delivered: boolean }>(
      `SELECT ol_i_id, ol_delivered FROM order_line
        WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3`,
      [warehouse, district, order.o_id],
    );
    return { balance: c_balance, order, lines };
  });
}

/** Delivers the oldest order of a district that was not delivered yet; undefined if there is none. */
export async function delivery(
  warehouse: number,
  district: number,
  carrier: number,
): Promise<number | undefined> {
  return withTransaction(async (client) => {
    const oldest = await client.query<{ no_o_id: number }>(
      `SELECT no_o_id FROM new_order
        WHERE no_w_id = $1 AND no_d_id = $2 ORDER BY no_o_id LIMIT 1`,
      [warehouse, district],
    );
    if (oldest.rowCount === 0) return undefined;
    const orderId = oldest.rows[0].no_o_id;
    const key = [warehouse, district, orderId];
    await client.query(
      "DELETE FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 AND no_o_id = $3",
      key,
    );
    const { o_c_id: customer } = await one<{ o_c_id: number }>(
      client,
      "SELECT o_c_id FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3",
      key,
    );
    await client.query(
      "UPDATE orders SET o_carrier_id = $4 WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3",
      [...key, carrier],
    );
    await client.query(
      `UPDATE order_line SET ol_delivered = true
        WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3`,
      key,
    );
    const { total } = await one<{ total: number }>(
      client,
      `SELECT sum(ol_amount)::int AS total FROM order_line
        WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3`,
      key,
    );
    await client.query(
      `UPDATE customer
          SET c_balance = c_balance + $4, c_delivery_cnt = c_delivery_cnt + 1
        WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3`,
      [warehouse, district, customer, total],
    );
    return orderId;
  });
}

/** How many items of the last twenty orders run short. */
export async function stockLevel(
  warehouse: number,
  district: number,
  threshold: number,
): Promise<number> {
  return withTransaction(async (client) => {
    const { d_next_o_id: next } = await one<{ d_next_o_id: number }>(
      client,
      "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2",
      [warehouse, district],
    );
    const { short } = await one<{ short: number }>(
      client,
      `SELECT count(DISTINCT s_i_id)::int AS short
         FROM order_line JOIN stock ON s_w_id = $1 AND s_i_id = ol_i_id
        WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id < $3 AND ol_o_id >= $4
          AND s_quantity < $5`,
      [warehouse, district, next, next - 20, threshold],
    );
    return short;
  });
}
