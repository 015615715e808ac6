// A small TPC-C database in which all twelve consistency conditions hold: one warehouse, two districts, an order that
// waits for its delivery in each.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../scenarios";

export const DISTRICTS = 2;
export const CUSTOMERS = 3;
export const ITEMS = 4;

/** The schema of the example application, and the rows at the start. */
export function population(): string {
  const schema = readFileSync(path.join(root, "test", "apps", "tpcc", "schema.sql"), "utf8");
  const rows: string[] = [];
  const insert = (table: string, columns: string, values: readonly (number | string | null)[]) => {
    const list = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
    rows.push(`INSERT INTO ${table} (${columns}) VALUES (${list.join(", ")});`);
  };
  const paid = 10;
  insert("warehouse", "w_id, w_name, w_tax, w_ytd", [1, "w", 1, DISTRICTS * CUSTOMERS * paid]);
  for (let item = 1; item <= ITEMS; item++) {
    insert("item", "i_id, i_name, i_price", [item, `item ${String(item)}`, item]);
    insert("stock", "s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt", [1, item, 50, 0, 0]);
  }
  for (let district = 1; district <= DISTRICTS; district++) {
    const ytd = CUSTOMERS * paid;
    insert("district", "d_w_id, d_id, d_name, d_tax, d_ytd, d_next_o_id", [
      1,
      district,
      "d",
      1,
      ytd,
      2,
    ]);
    for (let customer = 1; customer <= CUSTOMERS; customer++) {
      const who = [1, district, customer] as const;
      insert(
        "customer",
        "c_w_id, c_d_id, c_id, c_last, c_credit, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt",
        [...who, "BAR", "GC", 0, -paid, paid, 1, 0],
      );
      insert("history", "h_c_w_id, h_c_d_id, h_c_id, h_amount", [...who, paid]);
    }
    insert("orders", "o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt", [
      1,
      district,
      1,
      1,
      null,
      1,
    ]);
    insert("new_order", "no_w_id, no_d_id, no_o_id", [1, district, 1]);
    insert(
      "order_line",
      "ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount",
      [1, district, 1, 1, 1, 1, 1, 5],
    );
  }
  return `${schema}\n${rows.join("\n")}`;
}
