// A procedure's results are values of its transaction, also where they are computed behind its COMMIT.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, sql } from "./analyse";
import { procedure } from "./mysqlCases";

const RR = "mariadb:repeatable-read";
const BEHIND = "what the routine gives back is computed behind the end of a transaction";

/** A row is looked up by a plain read, inserted where it is absent, and looked up again behind a refused INSERT. */
function lookUp(...end: readonly string[]): string {
  return procedure(
    "declare x int",
    "declare continue handler for 1062 begin end",
    "start transaction",
    "select v into x from acc where id = p",
    "if x is null then insert into acc values (p, 5); select v into x from acc where id = p; end if",
    ...end,
  ).replace("wd(in p int)", "wd(in p int, out r int)");
}

async function told(...end: readonly string[]): Promise<readonly string[]> {
  const { anomalies, unknown } = await analyse([sql(lookUp(...end))], RR, 2);
  const severities = anomalies.flatMap(({ severity }) => (severity === "unused" ? [] : severity));
  return [...new Set([...severities, ...unknown.map(({ reason }) => reason)])];
}

describe("what a procedure gives back", () => {
  const cases = [
    ["is computed before COMMIT", ["set r = x", "commit"], ["value"]],
    ["is computed behind COMMIT", ["commit", "set r = x"], ["value"]],
    [
      "is computed behind a COMMIT in a branch",
      ["if p > 0 then commit; else rollback; end if", "set r = coalesce(x, 0)"],
      ["value"],
    ],
    [
      "is computed in branches behind COMMIT",
      ["commit", "if x > 2 then set r = 1; else set r = 0; end if"],
      ["value"],
    ],
    ["is sent behind COMMIT", ["commit", "set x = x + 1", "select x"], ["value"]],
    [
      "is computed behind the release of a lock",
      ["commit", "do release_lock('a')", "set r = x"],
      ["value"],
    ],
    ["is the same in each case", ["commit", "set r = p"], []],
    ["is overwritten behind COMMIT", ["set r = x", "commit", "set r = p"], []],
  ] as const;
  for (const [name, end, answers] of cases)
    it(name, async () => {
      assert.deepEqual(await told(...end), answers);
    });

  it("is computed behind another transaction", async () => {
    const answers = await told("commit", "insert into tot values (p, 1)", "set r = x");
    assert.ok(
      answers.some((each) => each.includes(BEHIND)),
      answers.join("\n"),
    );
  });
});
