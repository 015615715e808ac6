// The extension's questions to the command line: lines that its problem matcher reads, and calls of tools.
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import manifest from "../../package.json";
import { callTool } from "../../client/src/features/toolCall";
import { checkArguments } from "../../client/src/features/taskArguments";
import { isolens } from "./cli";

const APPS = path.resolve(__dirname, "../apps");
const CLI = path.resolve(__dirname, "../../dist/cli.js");

describe("a task that checks", () => {
  it("prints lines that its matcher reads, with paths from its folder", async () => {
    const [matcher] = manifest.contributes.problemMatchers;
    assert.ok(matcher);
    const { regexp, file, line, column, message } = matcher.pattern;
    const { out } = await isolens(checkArguments({ path: "bank" }), { cwd: APPS });
    const found = out
      .trim()
      .split("\n")
      .map((each) => new RegExp(regexp, "u").exec(each));
    assert.deepEqual(
      found.map((match) => [match?.[file], match?.[line], match?.[column]]),
      [
        ["bank/bank.sql", "11", "3"],
        ["bank/bank.sql", "42", "3"],
        // Two transfers in opposite directions wait for each other.
        ["bank/bank.sql", "49", "3"],
      ],
    );
    assert.match(found[0]?.[message] ?? "", /^The -1 of withdraw is lost/u);
  });
});

describe("a tool of the editor's assistants", () => {
  const { signal } = new AbortController();

  it("answers as `isolens mcp` does", async () => {
    const given = { path: path.join(APPS, "bank") };
    assert.match(
      await callTool(CLI, { name: "check", given }, signal),
      /The -1 of withdraw is lost/u,
    );
  });

  it("fails with what the tool says", async () => {
    await assert.rejects(callTool(CLI, { name: "check", given: {} }, signal), /check needs path/u);
    const nowhere = { name: "explain", given: { name: "nothing" } };
    await assert.rejects(callTool(CLI, nowhere, signal), /There is no kind or level "nothing"/u);
  });
});
