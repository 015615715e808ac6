// Every product's level against the anomalies: all interleavings of each program are run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MODELLED_LEVELS } from "../../../server/src/isolation/levels";
import { enumerateProduct } from "../../../server/src/store/enumerate";
import { PRODUCT_ANOMALIES, seenIn, type ProductAnomaly } from "./productAnomalies";
import { instances, programOf, rowsOf, table } from "./programs";

const LIMIT = 100_000;

/** The levels at which some interleaving shows the anomaly. */
function allowedAt({ transactions, shows }: ProductAnomaly): readonly string[] {
  const names = transactions.map((_, at) => `T${String(at + 1)}`);
  const read = programOf(
    Object.fromEntries(
      names.map((name, at): [string, string] => [
        name,
        (transactions[at] ?? []).filter((each) => each !== "ROLLBACK").join("\n"),
      ]),
    ),
    [table("t", { id: "int", v: "int" })],
  );
  const program = {
    ...read,
    transactions: read.transactions.map((each, at) => {
      if (transactions[at]?.at(-1) !== "ROLLBACK") return each;
      const rollback = { kind: "rollback", why: "ROLLBACK", source: each.source } as const;
      return { ...each, body: { kind: "sequence", commands: [each.body, rollback] } as const };
    }),
  };
  const setup = { instances: instances(...names), initial: { t: rowsOf({ 1: 10, 2: 20 }) } };
  return MODELLED_LEVELS.filter((level) => {
    const { runs, complete } = enumerateProduct(program, setup, () => level, LIMIT);
    assert.ok(complete);
    return runs.some((run) => shows(seenIn(run)));
  }).map((level) => level.name);
}

describe("the products' levels and the anomalies that they allow", () => {
  for (const anomaly of PRODUCT_ANOMALIES)
    it(anomaly.name, () => {
      assert.deepEqual([...allowedAt(anomaly)].sort(), [...anomaly.allowedAt].sort());
    });
});
