// Checks of parts of a program beside a longer work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { earlyCheck } from "../../../server/src/service/search/earlyCheck";
import type { WorkspaceCheck } from "../../../server/src/service/workspaceCheck";

/** A check that found anomalies of these names; the rest of it is not looked at. */
function finding(...ids: readonly string[]): WorkspaceCheck {
  const anomalies = ids.map((id) => ({ id, transactions: ["f"] }));
  const report = { verdict: "anomaly", anomalies, unknown: [], transactions: [{ name: "f" }] };
  return { report } as unknown as WorkspaceCheck;
}

test("a check that takes the place of another keeps what that found, and one that fails says so", async () => {
  const early = earlyCheck(new AbortController().signal);
  const stopped: boolean[] = [];
  early.begin(async () => Promise.resolve(finding("a")));
  early.begin(async () => Promise.reject(new Error("no solver")));
  early.begin(async (signal) => {
    stopped.push(signal.aborted);
    return Promise.resolve(finding("b"));
  });
  const { check, failures } = await early.end();
  assert.deepEqual(check?.report.anomalies.map(({ id }) => id).toSorted(), ["a", "b"]);
  assert.deepEqual(failures, ["no solver"]);
  assert.deepEqual(stopped, [true]);
});

test("an end without a beginning has found nothing", async () => {
  assert.deepEqual(await earlyCheck(new AbortController().signal).end(), { failures: [] });
});
