import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Anomaly } from "../../../server/src/protocol/report";
import { selectAnomalies } from "../../../server/src/service/findings/anomalies";
import { LOST_UPDATE } from "../../cli/reports";

function anomaly(id: string, changes: Partial<Anomaly> = {}): Anomaly {
  return { ...LOST_UPDATE, id, ...changes };
}

/** The selection as "id severity status", in order. */
function check(all: readonly Anomaly[], expected: readonly string[]): void {
  const told = (of: readonly Anomaly[]): readonly string[] =>
    selectAnomalies(of).map(({ id, severity, status }) => `${id} ${severity} ${status}`);
  assert.deepEqual(told(all), expected);
  assert.deepEqual(told([...all].reverse()), expected, "the order of finding does not matter");
}

describe("the anomalies of a report", () => {
  it("are one per id, the severest that was confirmed", () => {
    check(
      [
        anomaly("a", { severity: "value" }),
        anomaly("a", { severity: "state" }),
        anomaly("a", { severity: "state", status: "unconfirmed" }),
      ],
      ["a state confirmed"],
    );
  });

  it("stand in order of weight, then of place", () => {
    const later = LOST_UPDATE.cycle.map((edge) => ({
      ...edge,
      from: { ...edge.from, file: "z.sql" },
    }));
    check(
      [
        anomaly("d", { status: "unconfirmed" }),
        anomaly("c", { severity: "value" }),
        anomaly("e", { severity: "unused" }),
        anomaly("b", { cycle: later }),
        anomaly("a"),
        anomaly("f", { transactions: ["x", "y", "z"] }),
      ],
      [
        "a state confirmed",
        "b state confirmed",
        "f state confirmed",
        "c value confirmed",
        "e unused confirmed",
        "d state unconfirmed",
      ],
    );
  });

  it("prefer the shorter witness", () => {
    const short = { ...LOST_UPDATE.witness, schedule: LOST_UPDATE.witness.schedule.slice(1) };
    const [first] = selectAnomalies([anomaly("a"), anomaly("a", { witness: short })]);
    assert.equal(first?.witness.schedule.length, 5);
  });
});
