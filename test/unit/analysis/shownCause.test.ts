// A run shows the loss that its finding is about, where there is such a run: not one that happens elsewhere at the same time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql } from "../truth/analyse";

const TABLES = `
CREATE TABLE product (id integer PRIMARY KEY, reserved integer NOT NULL);
CREATE TABLE orders (id integer PRIMARY KEY, placed integer NOT NULL, product integer NOT NULL, at timestamptz);
`;

const PLACE = `-- @transaction place
BEGIN;
SELECT placed AS s, product AS p FROM orders WHERE id = :id \\gset
\\if :s = 0
SELECT reserved AS r FROM product WHERE id = :p \\gset
UPDATE product SET reserved = :r + 1 WHERE id = :p;
UPDATE orders SET placed = placed + 1, at = now() WHERE id = :id;
\\endif
COMMIT;
`;

test("a lost update of a product ends with a product as in no order, not with an order that is placed twice", async () => {
  const report = await analyse([sql(TABLES + PLACE)], "postgres:read-committed", 2);
  const about = report.anomalies.filter(
    ({ kind, cycle }) => kind === "lost-update" && cycle.every(({ table }) => table === "product"),
  );
  assert.ok(about.length > 0, report.anomalies.map(({ title }) => title).join("\n"));
  for (const { witness, serial, title } of about) {
    const here = JSON.stringify(witness.outcome.final["product"]);
    for (const { outcome } of serial)
      assert.notEqual(JSON.stringify(outcome.final["product"]), here, title);
  }
});
