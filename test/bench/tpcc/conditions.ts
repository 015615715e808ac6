// The twelve consistency conditions of TPC-C (revision 5.11, clause 3.3.2), each as a query that counts where it is
// broken. The eleventh speaks of the initial population there; here of as many orders as have been delivered. The sixth
// looks at lines before orders: who has seen an order sees its lines, as one transaction has written them.

export interface Condition {
  readonly number: number;
  readonly broken: string;
}

const lines =
  "SELECT coalesce(sum(ol_amount), 0) FROM order_line JOIN orders ON (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id)";
const ofCustomer = "o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id AND ol_delivered";
const paid =
  "SELECT coalesce(sum(h_amount), 0) FROM history WHERE h_c_w_id = c_w_id AND h_c_d_id = c_d_id AND h_c_id = c_id";
const ofDistrict = (prefix: string): string => `${prefix}_w_id = d_w_id AND ${prefix}_d_id = d_id`;
const waiting = `SELECT count(*) FROM new_order WHERE ${ofDistrict("no")}`;

export const CONDITIONS: readonly Condition[] = [
  "SELECT count(*) FROM warehouse WHERE w_ytd <> (SELECT sum(d_ytd) FROM district WHERE d_w_id = w_id)",
  `SELECT count(*) FROM district WHERE d_next_o_id - 1 <> (SELECT max(o_id) FROM orders WHERE ${ofDistrict("o")})
     OR d_next_o_id - 1 <> (SELECT max(no_o_id) FROM new_order WHERE ${ofDistrict("no")})`,
  `SELECT count(*) FROM district WHERE (SELECT max(no_o_id) - min(no_o_id) + 1 FROM new_order WHERE ${ofDistrict("no")}) <> (${waiting})`,
  `SELECT count(*) FROM district WHERE (SELECT sum(o_ol_cnt) FROM orders WHERE ${ofDistrict("o")})
     <> (SELECT count(*) FROM order_line WHERE ${ofDistrict("ol")})`,
  `SELECT count(*) FROM orders WHERE (o_carrier_id IS NULL) <>
     EXISTS (SELECT 1 FROM new_order WHERE no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id)`,
  `SELECT (SELECT count(*) FROM (SELECT o_ol_cnt FROM order_line JOIN orders ON (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id)
       GROUP BY o_w_id, o_d_id, o_id, o_ol_cnt HAVING count(*) <> o_ol_cnt) AS miscounted)
     + (SELECT count(*) FROM orders WHERE o_ol_cnt <> 0 AND
       NOT EXISTS (SELECT 1 FROM order_line WHERE ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id)) AS count`,
  `SELECT count(*) FROM order_line JOIN orders ON (ol_w_id, ol_d_id, ol_o_id) = (o_w_id, o_d_id, o_id)
     WHERE ol_delivered <> (o_carrier_id IS NOT NULL)`,
  "SELECT count(*) FROM warehouse WHERE w_ytd <> (SELECT sum(h_amount) FROM history WHERE h_c_w_id = w_id)",
  "SELECT count(*) FROM district WHERE d_ytd <> (SELECT sum(h_amount) FROM history WHERE h_c_w_id = d_w_id AND h_c_d_id = d_id)",
  `SELECT count(*) FROM customer WHERE c_balance <> (${lines} WHERE ${ofCustomer}) - (${paid})`,
  `SELECT count(*) FROM district WHERE (SELECT count(*) FROM orders WHERE ${ofDistrict("o")}) - (${waiting})
     <> (SELECT count(*) FROM orders WHERE ${ofDistrict("o")} AND o_carrier_id IS NOT NULL)`,
  `SELECT count(*) FROM customer WHERE c_balance + c_ytd_payment <> (${lines} WHERE ${ofCustomer})`,
].map((broken, at) => ({ number: at + 1, broken }));
