// Functions of moments in the store: milliseconds and back, and a calendar of UTC.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callOfMoments } from "../../../server/src/store/moments";

describe("functions of moments", () => {
  it("go from a moment to its milliseconds and back", () => {
    assert.equal(callOfMoments("code:millis", ["1970-01-02"]), 86_400_000);
    assert.equal(callOfMoments("code:millis", ["1970-01-01 00:00:01+00"]), 1000);
    assert.equal(callOfMoments("code:instant", [1000]), "1970-01-01T00:00:01.000Z");
    assert.equal(callOfMoments("code:instant", ["2025-06-30"]), "2025-06-30T00:00:00.000Z");
  });

  it("move in a calendar", () => {
    assert.equal(callOfMoments("code:Date.addMonths", ["2024-01-31T00:00:00Z", 1]), "2024-02-29T00:00:00.000Z"); // prettier-ignore
    assert.equal(callOfMoments("code:Date.addDays", ["2024-02-28 12:00", 2]), "2024-03-01T12:00:00.000Z"); // prettier-ignore
    assert.equal(callOfMoments("code:Date.setHours", ["2024-01-31T10:20:30Z", 25]), "2024-02-01T01:20:30.000Z"); // prettier-ignore
    assert.equal(callOfMoments("code:Date.startOfMonth", ["2024-02-29"]), "2024-02-01T00:00:00.000Z"); // prettier-ignore
    assert.equal(callOfMoments("code:Date.endOfDay", ["2024-02-29"]), "2024-02-29T23:59:59.999Z");
    assert.equal(callOfMoments("code:Date.getDate", ["2024-02-29T23:00:00Z"]), 29);
  });

  it("leave a date without a time as it is, as SQL does", () => {
    assert.equal(callOfMoments("code:Date.addDays", ["2024-02-28", 2]), "2024-03-01");
    assert.equal(callOfMoments("code:Date.addMonths", ["2024-01-31", 1]), "2024-02-29");
  });

  it("are NULL of NULL, and nothing of what is no moment", () => {
    assert.equal(callOfMoments("code:millis", [null]), null);
    assert.equal(callOfMoments("code:millis", ["soon"]), undefined);
    assert.equal(callOfMoments("code:instant", [9e15]), undefined);
    assert.equal(callOfMoments("code:Date.unheardOf", ["2024-02-29"]), undefined);
    assert.equal(callOfMoments("lower", ["A"]), undefined);
  });
});
