// The order of harms and how loudly each is told.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Anomaly, Harm } from "../../../server/src/protocol/report";
import { selectAnomalies } from "../../../server/src/service/findings/anomalies";
import { severityOf } from "../../../server/src/service/findings/harm";
import { LOST_UPDATE } from "../../cli/reports";

const of = (harm: Harm, more: Partial<Anomaly> = {}): Anomaly => ({
  ...LOST_UPDATE,
  id: harm,
  harm,
  ...more,
});

describe("the harm of an anomaly", () => {
  it("orders findings of the same severity, the worst first", () => {
    const harms: readonly Harm[] = [
      "invariant",
      "limit",
      "duplicate",
      "dangling",
      "rows",
      "value",
      "choice",
      "noted",
    ];
    const mixed = [...harms].reverse().map((harm) => of(harm));
    assert.deepEqual(
      selectAnomalies(mixed).map(({ id }) => id),
      harms,
    );
  });

  it("stands behind whether the final state differs, and before how many take part", () => {
    const pair = { transactions: ["a", "b"] };
    const ordered = [
      of("limit", { id: "1", transactions: ["a", "a"] }),
      of("amount", { id: "2", ...pair }),
      of("duplicate", { id: "3", transactions: ["a", "a"] }),
      of("returned", { id: "4", severity: "value" }),
      of("limit", { id: "5", status: "unconfirmed" }),
    ];
    assert.deepEqual(
      selectAnomalies([...ordered].reverse()).map(({ id }) => id),
      ["1", "2", "3", "4", "5"],
    );
  });

  it("is an error where a limit or an amount is at stake, and information where only what is told differs", () => {
    const loud = (harm: Harm): string => severityOf(of(harm));
    assert.deepEqual(
      (["invariant", "limit", "amount"] as const).map(loud),
      Array.from({ length: 3 }, () => "error"),
    );
    assert.deepEqual(
      (["duplicate", "dangling", "rows", "value", "choice"] as const).map(loud),
      Array.from({ length: 5 }, () => "warning"),
    );
    assert.deepEqual((["noted", "returned"] as const).map(loud), ["information", "information"]);
    assert.equal(loud("unused"), "off");
  });
});
