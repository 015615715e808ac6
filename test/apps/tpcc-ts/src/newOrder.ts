import type { PoolClient } from "pg";
import { withTransaction } from "./database";
import { one } from "./query";

export interface Line {
  itemId: number;
  quantity: number;
}

/** A customer orders items; returns what they cost, in cents. */
export async function newOrder(
  warehouse: number,
  district: number,
  customer: number,
  lines: Line[],
): Promise<number> {
  return withTransaction(async (client) => {
    const { c_discount: discount } = await one<{ c_discount: number }>(
      client,
      "SELECT c_discount FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
      [warehouse, district, customer],
    );
    const { w_tax } = await one<{ w_tax: number }>(
      client,
      "SELECT w_tax FROM warehouse WHERE w_id = $1",
      [warehouse],
    );
    const { orderId, d_tax } = await takeOrderId(client, warehouse, district);
    await client.query(
      `INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt)
       VALUES ($1, $2, $3, $4, NULL, $5)`,
      [warehouse, district, orderId, customer, lines.length],
    );
    await client.query("INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES ($1, $2, $3)", [
      warehouse,
      district,
      orderId,
    ]);
    let total = 0;
    for (const [index, { itemId, quantity }] of lines.entries()) {
      const { i_price: price } = await one<{ i_price: number }>(
        client,
        "SELECT i_price FROM item WHERE i_id = $1",
        [itemId],
      );
      await takeFromStock(client, warehouse, itemId, quantity);
      const amount = quantity * price;
      await client.query(
        `INSERT INTO order_line
           (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
         VALUES ($1, $2, $3, $4, $5, $1, $6, $7)`,
        [warehouse, district, orderId, index + 1, itemId, quantity, amount],
      );
      total += amount;
    }
    return Math.floor((total * (100 - discount) * (100 + w_tax + d_tax)) / 10_000);
  });
}

/** Orders of a district are numbered one after the other: its row is locked while a number is taken. */
async function takeOrderId(client: PoolClient, warehouse: number, district: number) {
  const { d_next_o_id: orderId, d_tax } = await one<{ d_next_o_id: number; d_tax: number }>(
    client,
    "SELECT d_next_o_id, d_tax FROM district WHERE d_w_id = $1 AND d_id = $2 FOR UPDATE",
    [warehouse, district],
  );
  await client.query("UPDATE district SET d_next_o_id = $3 WHERE d_w_id = $1 AND d_id = $2", [
    warehouse,
    district,
    orderId + 1,
  ]);
  return { orderId, d_tax };
}

async function takeFromStock(
  client: PoolClient,
  warehouse: number,
  itemId: number,
  quantity: number,
): Promise<void> {
  const stock = await one<{ s_quantity: number }>(
    client,
    "SELECT s_quantity FROM stock WHERE s_w_id = $1 AND s_i_id = $2 FOR UPDATE",
    [warehouse, itemId],
  );
  const left =
    stock.s_quantity >= quantity + 10
      ? stock.s_quantity - quantity
      : stock.s_quantity - quantity + 91;
  await client.query(
    `UPDATE stock
        SET s_quantity = $3, s_ytd = s_ytd + $4, s_order_cnt = s_order_cnt + 1
      WHERE s_w_id = $1 AND s_i_id = $2`,
    [warehouse, itemId, left, quantity],
  );
}
