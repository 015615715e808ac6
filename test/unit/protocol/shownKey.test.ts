import assert from "node:assert/strict";
import { it } from "node:test";
import { shownKey } from "../../../server/src/protocol/witness";

it("names rows of tables without a key in words, and leaves the user's own keys as they are", () => {
  const named = ["#2", "#T1.4.1", "7", "#tag", "#T1", "1,#2", ""].map(shownKey);
  assert.deepEqual(named, ["row 2", "new row", "7", "#tag", "#T1", "1,#2", ""]);
});
