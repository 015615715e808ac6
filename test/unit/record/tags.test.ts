// Comments that applications add by themselves: they name an entry, and often no call.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learnt, type Sent } from "./calls";

const tagged = (tags: string, id: number): readonly Sent[] => [
  { sql: "BEGIN" },
  {
    sql: `SELECT balance FROM account WHERE id = ${String(id)} /*${tags},callsite='shop.go:4'*/`,
    columns: ["balance"],
    rows: [[String(id * 10)]],
  },
  {
    sql: `UPDATE account SET balance = ${String(id * 9)} WHERE id = ${String(id)} /*${tags},callsite='shop.go:7'*/`,
    affected: 1,
  },
  { sql: "COMMIT" },
];

test("transactions of one route are runs of their own, whether its requests have numbers or not", () => {
  const ids = [1, 2, 3, 4];
  const routes = ids.map((id) => tagged("route='pay'", id));
  const traces = ids.map((id) =>
    tagged(`route='pay',traceparent='00-${String(id).repeat(32)}-00f067aa0ba902b7-01'`, id),
  );
  for (const calls of [routes, traces]) {
    const [text = "", other] = learnt(calls, { site: false });
    assert.match(text, /^-- @isolens transaction pay\n-- @isolens learnt 4 runs\nBEGIN;/);
    assert.equal(other, undefined);
  }
});
