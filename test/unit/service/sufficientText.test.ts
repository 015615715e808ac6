// The text about the levels that suffice, also where some were not decided.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sufficientLines } from "../../../server/src/cli/reporters/proofText";
import type { LevelTrial } from "../../../server/src/protocol/proof";

function check(tried: readonly LevelTrial[], expected: string): void {
  const level = tried.find(({ status }) => status === "proved")?.level;
  const sufficient = [{ transactions: ["a"], ...(level !== undefined && { level }), tried }];
  const report = { level: "causal", anomalies: [], sufficient };
  assert.equal(sufficientLines(report, 10_000).join(" "), expected);
}

const UNDECIDED = { status: "open", undecided: true } as const;

test("levels whose proofs did not end are named beside the weakest that is proved", () => {
  check(
    [
      { level: "causal", ...UNDECIDED },
      { level: "prefix", status: "open" },
      { level: "snapshot-isolation", ...UNDECIDED },
      { level: "serializable", status: "proved" },
    ],
    "The weakest level that is proved to suffice is serializable. Whether causal and snapshot-isolation suffice was not decided: their proofs did not come to an end; a longer --budget may help.",
  );
  check(
    [
      { level: "causal", status: "proved" },
      { level: "prefix", ...UNDECIDED },
    ],
    "The weakest level that is proved to suffice is causal.",
  );
});

test("where nothing is proved as well", () => {
  check(
    [
      { level: "causal", status: "anomaly" },
      { level: "prefix", ...UNDECIDED },
    ],
    "No level of the table is proved to suffice. Whether prefix suffices was not decided: its proof did not come to an end; a longer --budget may help.",
  );
});
