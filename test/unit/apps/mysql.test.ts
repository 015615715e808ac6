// The same program as functions of PostgreSQL and as stored procedures of MySQL has the same verdicts at the papers'
// levels, which know nothing of either product.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, app, appReport, verdicts } from "../truth/analyse";

const TWINS: readonly {
  readonly postgres: string;
  readonly mysql: string;
  readonly levels: readonly string[];
}[] = [
  {
    postgres: "smallbank-classic",
    mysql: "smallbank-mysql",
    levels: ["read-committed", "snapshot-isolation"],
  },
  { postgres: "tpcc", mysql: "tpcc-mysql", levels: ["read-committed"] },
];

for (const { postgres, mysql, levels } of TWINS) {
  for (const level of levels) {
    test(`${mysql} has the verdicts of ${postgres} at ${level}`, async () => {
      const expected = await appReport(postgres, level, 2);
      const found = await analyse(app(mysql), level, 2);
      assert.deepEqual(verdicts(found), verdicts(expected));
      assert.deepEqual(
        found.anomalies.filter(({ status }) => status !== "confirmed"),
        [],
      );
    });
  }
}
