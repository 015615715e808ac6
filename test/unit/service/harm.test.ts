import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { Outcome, Row } from "../../../server/src/protocol/witness";
import { harmOf } from "../../../server/src/service/harm";
import { LOST_UPDATE } from "../../cli/reports";

function outcome(table: string, rows: readonly Row[]): Outcome {
  return { final: { [table]: rows }, status: {}, returned: {} };
}

function anomaly(table: string, here: readonly Row[], ...serial: (readonly Row[])[]): Anomaly {
  return {
    ...LOST_UPDATE,
    witness: { ...LOST_UPDATE.witness, outcome: outcome(table, here) },
    serial: serial.map((rows) => ({ order: ["T1", "T2"], outcome: outcome(table, rows) })),
  };
}

describe("the harm of an anomaly", () => {
  it("is greatest where an amount differs, then which rows there are, then another value", () => {
    const one = { id: 1, balance: 10, state: "open" };
    assert.equal(harmOf(anomaly("account", [one], [{ ...one, balance: 5 }])), 3);
    assert.equal(harmOf(anomaly("booking", [{ id: 1 }, { id: 2 }], [{ id: 1 }])), 2);
    assert.equal(harmOf(anomaly("account", [one], [{ ...one, state: "closed" }])), 1);
    assert.equal(harmOf(anomaly("account", [one], [one])), 0);
  });

  it("is that against the serial order that comes nearest", () => {
    const one = { id: 1, balance: 10, state: "open" };
    const far = [{ ...one, balance: 5 }];
    assert.equal(harmOf(anomaly("account", [one], far, [{ ...one, state: "closed" }])), 1);
  });

  it("is none where only times, notes and logs differ", () => {
    const one = { id: 1, balance: 10, updated_at: "2000-01-01T00:01:40.000Z", note: "a" };
    const other = { ...one, updated_at: "2000-01-01T00:01:44.000Z", note: "b" };
    assert.equal(harmOf(anomaly("account", [one], [other])), 0);
    assert.equal(harmOf(anomaly("audit_log", [{ id: 1 }, { id: 2 }], [{ id: 1 }])), 0);
  });
});
