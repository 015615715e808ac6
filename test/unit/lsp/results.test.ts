import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asBefore } from "../../../server/src/lsp/results";
import { isShown } from "../../../server/src/protocol/report";
import { LOST_UPDATE } from "../../cli/reports";

describe("an anomaly that is found again while a check runs", () => {
  it("is told by itself where it was, although others would stand for it by what is found so far", () => {
    const now = asBefore({ ...LOST_UPDATE, representative: "other" }, LOST_UPDATE);
    assert.ok(isShown(now));
  });

  it("stays behind the one that stood for it", () => {
    const now = asBefore(LOST_UPDATE, { ...LOST_UPDATE, representative: "other" });
    assert.equal(now.representative, "other");
  });

  it("stays off where it was off", () => {
    const { reportedAs } = asBefore(
      { ...LOST_UPDATE, reportedAs: "error" },
      { ...LOST_UPDATE, reportedAs: "off" },
    );
    assert.equal(reportedAs, "off");
  });
});
