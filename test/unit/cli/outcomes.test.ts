// The message about how runs end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeTexts } from "../../../server/src/cli/reporters/outcomes";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { Outcome, Row } from "../../../server/src/protocol/witness";

const KEYS = (): readonly string[] => ["id"];

function outcome(
  final: Readonly<Record<string, readonly Row[]>>,
  status: Readonly<Record<string, string>> = { T1: "committed", T2: "committed" },
): Outcome {
  return { final, status, returned: {} };
}

function told(run: Outcome, ...orders: readonly (readonly [string, string, Outcome])[]) {
  const anomaly: Anomaly = {
    id: "1",
    kind: "lost-update",
    severity: "state",
    title: "A change is lost",
    harm: "amount",
    status: "confirmed",
    transactions: ["t", "t"],
    tables: ["event"],
    cycle: [],
    witness: { instances: [], initial: {}, schedule: [], outcome: run },
    serial: orders.map(([first, second, ended]) => ({ order: [first, second], outcome: ended })),
    steps: [],
    message: "",
    preventedBy: [],
    allowedAt: [],
  };
  return outcomeTexts(anomaly, KEYS);
}

test("a row that only some runs have is told as one, by its first columns", () => {
  const ticket = (id: number) => ({ id, holder: "v0", seat: 3, state: "held", note: "x" });
  const refused = { T1: "committed", T2: "rolled back: full" };
  const texts = told(outcome({ ticket: [ticket(1), ticket(2)] }), [
    "T1",
    "T2",
    outcome({ ticket: [ticket(1)] }, refused),
  ]);
  assert.equal(texts.here, "leaves ticket[2] (holder 'v0', seat 3, state 'held')");
  assert.deepEqual(texts.serial, ["T1 then T2 leaves no ticket[2], and refuses T2"]);
});

test("what no serial order leaves comes first, and times of the clock are passed over", () => {
  const event = (sold: number, seat: number, second: number) => ({
    event: [{ id: 1, seat, updatedAt: `2000-01-01T00:01:0${String(second)}.000Z`, sold }],
  });
  const texts = told(
    outcome(event(52, 7, 3)),
    ["T1", "T2", outcome(event(51, 7, 4))],
    ["T2", "T1", outcome(event(51, 8, 3))],
  );
  assert.equal(texts.here, "leaves event[1].sold = 52 and event[1].seat = 7");
  assert.deepEqual(texts.serial, [
    "T1 then T2 leaves event[1].sold = 51 and event[1].seat = 7",
    "T2 then T1 leaves event[1].sold = 51 and event[1].seat = 8",
  ]);
});

test("times are told where nothing else differs, and where one run has none", () => {
  const used = (at: string | null) => outcome({ code: [{ id: 1, usedAt: at }] });
  const early = used("2000-01-01T00:01:01.000Z");
  const late = used("2000-01-01T00:01:02.000Z");
  assert.equal(
    told(late, ["T1", "T2", early]).here,
    "leaves code[1].usedAt = '2000-01-01T00:01:02.000Z'",
  );
  assert.equal(told(used(null), ["T1", "T2", early]).here, "leaves code[1].usedAt = NULL");
});
