// A map of transactions made by hand: a shop of three files, one pair that races, one that races with itself, one that is open.
import type { PanelState, TreeFile, TreeRace, TreeTransaction } from "../../server/src/protocol/requests"; // prettier-ignore
import type { TableUse } from "../../server/src/protocol/report";

const LEVEL = { name: "postgres:read-committed", label: "PostgreSQL READ COMMITTED" };

/** A transaction on its line; tables by name, those that it writes as well with a `*`. */
export function transaction(
  name: string,
  line: number,
  tables: readonly string[],
  more: Partial<TreeTransaction> = {},
): TreeTransaction {
  return {
    name,
    place: placeOf(line),
    verdict: "nothing",
    tables: tables.map((each): TableUse => {
      const writes = each.endsWith("*");
      return { name: each.replace("*", ""), reads: true, writes };
    }),
    isDecided: true,
    undecided: [],
    anomalies: [],
    races: [],
    ...more,
  };
}

export function race(id: string, title: string, transactions: readonly string[]): TreeRace {
  return { id, title, transactions, unconfirmed: false };
}

export function file(name: string, transactions: readonly TreeTransaction[]): TreeFile {
  return {
    ...{ uri: `file:///shop/${name}`, name, project: "", level: LEVEL, transactions },
    ...{ statements: 2, exact: 2, over: 0, approx: 0, opaque: 0 },
  };
}

export function mapOf(files: readonly TreeFile[]): Extract<PanelState, { kind: "map" }> {
  return { kind: "map", files, status: { level: LEVEL, anomalies: 2 } };
}

const skew = race("1a", "Stock of item 7 is -2", ["placeOrder", "correctStock"]);
const twice = race("2b", "Two coupons are used where one may be", ["useCoupon", "useCoupon"]);

export const SHOP: readonly TreeFile[] = [
  file("src/orders/orderService.ts", [
    transaction("placeOrder", 10, ["item*", "orders*", "customer"], {
      verdict: "anomaly",
      races: [skew],
    }),
    transaction("cancelOrder", 40, ["orders*"], { verdict: "unknown", isDecided: false }),
    transaction("listOrders", 60, ["orders", "customer"], { verdict: "unknown", isDecided: false }),
  ]),
  file("src/stock/correctStock.ts", [
    transaction("correctStock", 5, ["item*"], { verdict: "anomaly", races: [skew] }),
  ]),
  file("src/coupons.ts", [
    transaction("useCoupon", 3, ["coupon*"], { verdict: "anomaly", races: [twice] }),
  ]),
];

function placeOf(line: number) {
  const range = { start: { line, character: 0 }, end: { line: line + 1, character: 0 } };
  return { uri: "file:///shop/src/orders/orderService.ts", range };
}
