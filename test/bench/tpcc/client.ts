// Three of TPC-C's transactions as an application of PostgreSQL writes them, over the driver `pg`.
import type pg from "pg";
import type { Random } from "../../../server/src/exploration/randomNumbers";
import { CUSTOMERS, DISTRICTS, ITEMS } from "./population";

type Body = (client: pg.Client, random: Random) => Promise<void>;

/** A random one, twice as often an order or a payment as a delivery. True if it committed. */
export async function randomTransaction(client: pg.Client, random: Random): Promise<boolean> {
  const which = random(5);
  const body = which < 2 ? newOrder : which < 4 ? payment : delivery;
  await client.query("BEGIN");
  try {
    await body(client, random);
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK");
    if (error instanceof Error && "code" in error && REFUSALS.includes(String(error.code)))
      return false;
    throw error;
  }
}

/** Serialization failure, deadlock, and a key that another one was faster to insert. */
const REFUSALS = ["40001", "40P01", "23505"];

async function one(client: pg.Client, sql: string, values: readonly number[]): Promise<number> {
  const { rows } = await client.query<{ value: number | string | null }>(sql, [...values]);
  return Number(rows[0]?.value ?? 0);
}

const newOrder: Body = async (client, random) => {
  const [district, customer] = [1 + random(DISTRICTS), 1 + random(CUSTOMERS)];
  const order = await one(
    client,
    "SELECT d_next_o_id AS value FROM district WHERE d_w_id = 1 AND d_id = $1 FOR UPDATE",
    [district],
  );
  await client.query(
    "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = $1",
    [district],
  );
  const count = 1 + random(2);
  await client.query(
    "INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt) VALUES (1, $1, $2, $3, NULL, $4)",
    [district, order, customer, count],
  );
  await client.query("INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, $1, $2)", [
    district,
    order,
  ]);
  for (let line = 1; line <= count; line++) {
    const [item, quantity] = [1 + random(ITEMS), 1 + random(5)];
    const price = await one(client, "SELECT i_price AS value FROM item WHERE i_id = $1", [item]);
    await client.query(
      "UPDATE stock SET s_quantity = s_quantity - $2, s_ytd = s_ytd + $2, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = 1 AND s_i_id = $1",
      [item, quantity],
    );
    await client.query(
      "INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount) VALUES (1, $1, $2, $3, $4, 1, $5, $6)",
      [district, order, line, item, quantity, quantity * price],
    );
  }
};

const payment: Body = async (client, random) => {
  const [district, customer, amount] = [
    1 + random(DISTRICTS),
    1 + random(CUSTOMERS),
    1 + random(9),
  ];
  await client.query("UPDATE warehouse SET w_ytd = w_ytd + $1 WHERE w_id = 1", [amount]);
  await client.query("UPDATE district SET d_ytd = d_ytd + $1 WHERE d_w_id = 1 AND d_id = $2", [
    amount,
    district,
  ]);
  await client.query(
    "UPDATE customer SET c_balance = c_balance - $1, c_ytd_payment = c_ytd_payment + $1, c_payment_cnt = c_payment_cnt + 1 WHERE c_w_id = 1 AND c_d_id = $2 AND c_id = $3",
    [amount, district, customer],
  );
  await client.query(
    "INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (1, $1, $2, $3)",
    [district, customer, amount],
  );
};

const delivery: Body = async (client, random) => {
  const carrier = 1 + random(10);
  for (let district = 1; district <= DISTRICTS; district++) {
    const order = await one(
      client,
      "SELECT min(no_o_id) AS value FROM new_order WHERE no_w_id = 1 AND no_d_id = $1",
      [district],
    );
    if (order === 0) continue;
    const of = [district, order];
    await client.query(
      "DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = $1 AND no_o_id = $2",
      of,
    );
    const customer = await one(
      client,
      "UPDATE orders SET o_carrier_id = $3 WHERE o_w_id = 1 AND o_d_id = $1 AND o_id = $2 RETURNING o_c_id AS value",
      [...of, carrier],
    );
    await client.query(
      "UPDATE order_line SET ol_delivered = true WHERE ol_w_id = 1 AND ol_d_id = $1 AND ol_o_id = $2",
      of,
    );
    const amount = await one(
      client,
      "SELECT sum(ol_amount) AS value FROM order_line WHERE ol_w_id = 1 AND ol_d_id = $1 AND ol_o_id = $2",
      of,
    );
    await client.query(
      "UPDATE customer SET c_balance = c_balance + $1, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = 1 AND c_d_id = $2 AND c_id = $3",
      [amount, district, customer],
    );
  }
};
