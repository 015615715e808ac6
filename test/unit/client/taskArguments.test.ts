import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkArguments } from "../../../client/src/features/taskArguments";

describe("a task that checks", () => {
  it("has the command line of its definition, where nothing is an option by itself", () => {
    assert.deepEqual(checkArguments({}), ["check", ".", "--format=github"]);
    assert.deepEqual(checkArguments({ path: "--output=x", level: "postgres:serializable" }), [
      "check",
      "./--output=x",
      "--level=postgres:serializable",
      "--format=github",
    ]);
  });
});
