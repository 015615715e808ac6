import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TreeFile } from "../../../server/src/protocol/requests";
import { withServer, type Harness, type HarnessOptions } from "./harness";

/** "file", "  transaction verdict" and "    anomaly" lines, with "!" before what is not told. */
function lines(files: readonly TreeFile[]): readonly string[] {
  return files.flatMap(({ project, name, transactions, skipped }) => [
    `${project === "" ? "" : `${project}/`}${name}${skipped === undefined ? "" : `: ${skipped}`}`,
    ...transactions.flatMap((each) => [
      `  ${each.name} ${each.verdict}`,
      ...each.anomalies.map(
        ({ title, suppressed, severity }) =>
          `    ${suppressed || severity === "off" ? "!" : ""}${title}`,
      ),
      ...each.undecided.map((reason) => `    ? ${reason}`),
    ]),
  ]);
}

async function check(
  options: HarnessOptions,
  expected: readonly string[],
  prepare: (harness: Harness) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  await withServer(options, async (harness) => {
    for (const [file, text] of Object.entries(options.files)) {
      if (file.endsWith(".sql")) await harness.open(file, text);
    }
    await harness.request("isolens/check", {});
    await prepare(harness);
    assert.deepEqual(lines(await harness.request("isolens/tree", {})), expected);
  });
}

describe("the tree", () => {
  it("lists files, their transactions with verdicts, and the anomalies of each", async () => {
    const files = {
      "a.sql": "transaction a\n  anomaly lost-update\ntransaction b",
      "b.sql": "transaction c\nunknown too hard",
      "c.sql": "create table t (a int)",
    };
    await check({ files }, [
      "a.sql",
      "  a anomaly",
      "    Lost update",
      "  b nothing",
      "b.sql",
      "  c unknown",
      "    ? too hard",
    ]);
  });

  it("tells what is suppressed and off apart from what is not there", async () => {
    const files = {
      "isolens.json": '{ "severities": { "phantom": "off" } }',
      "a.sql":
        "-- @isolens ignore lost-update -- why\ntransaction a\n  anomaly lost-update\n  anomaly write-skew\ntransaction b\n  anomaly phantom",
    };
    await check({ files }, [
      "a.sql",
      "  a anomaly",
      "    Write skew",
      "    !Lost update",
      "  b hidden",
      "    !Phantom",
    ]);
  });

  it("names projects where there are several", async () => {
    const files = {
      "x/isolens.json": "{}",
      "x/a.sql": "transaction a",
      "y/isolens.json": "{}",
      "y/a.sql": "transaction a",
    };
    await check({ files }, ["x/a.sql", "  a nothing", "y/a.sql", "  a nothing"]);
  });

  it("says of what was edited that it has to be checked again", async () => {
    const files = { "a.sql": "transaction a\n  anomaly lost-update\ntransaction b" };
    const settings = { check: "manual" };
    await check(
      { files, settings },
      ["a.sql", "  a checking", "    Lost update", "  b nothing"],
      async (harness) => {
        const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 2 } };
        await harness.edit("a.sql", range, "an ");
        await harness.until("a.sql", (all) => all.some(({ tags }) => tags !== undefined));
      },
    );
  });
});
