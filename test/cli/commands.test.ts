// The commands that `check` prints find the same anomalies again, whatever it was asked, with nothing kept between runs.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { againText } from "../../server/src/cli/reproduceLine";
import { askedFor, printedShow } from "../support/printedCommand";
import { isolens, makeFolder, reportsOf, type Folder } from "./cli";

/** Each pair commits alone; the value that is lost is found with a second round of the loop, at this level only. */
const ROUNDS = `CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL);
-- @transaction Add
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT n FROM counter WHERE id = :id \\gset
UPDATE counter SET n = :n + 1 WHERE id = :id;
COMMIT;
`;
const FILE = "it's $HOME's counter.sql";

let folder: Folder;

before(() => {
  folder = makeFolder({ [FILE]: ROUNDS, "-dash.sql": ROUNDS, "plain name.sql": ROUNDS });
});

after(() => {
  folder.remove();
});

const ASKED: readonly (readonly string[])[] = [
  ["."],
  [FILE],
  ["plain name.sql", "--level", "postgres:repeatable-read"],
  ["./-dash.sql", "--level", "read-committed", "--max-transactions", "2", "--unroll", "1"],
  [".", "--prove", "--budget", "90s", "--level", "postgres:read-committed,mysql:read-committed"],
];

describe("the command that check prints", () => {
  for (const asked of ASKED) {
    it(`finds the anomalies again: check ${asked.join(" ")}`, async () => {
      const options = { cwd: folder.path };
      const text = await isolens(["check", ...asked, "--no-cache"], options);
      const [report] = reportsOf(
        await isolens(["check", ...asked, "--no-cache", "--format", "json"], options),
      );
      const id = report?.anomalies[0]?.id;
      assert.ok(id !== undefined, text.out);
      const show = printedShow(text.out);
      const shown = await isolens(askedFor(show, ["show"], id), options);
      assert.equal(shown.code, 0, shown.error);
      assert.ok(shown.out.includes(id));
      const written = await isolens(askedFor(show, ["testgen", "--lang", "sql"], id), options);
      assert.equal(written.code, 0, written.error);
    });
  }

  it("holds every option that changes what is found", () => {
    const text = againText(
      {
        paths: ["src"],
        levels: [{ name: "snapshot-isolation" }],
        maxTransactions: 4,
        unroll: 3,
        prove: true,
        budget: 90_000,
        configurationFile: "other.json",
        nodePath: "/opt/node",
        timings: false,
      },
      "snapshot-isolation",
    );
    assert.equal(
      text,
      "src --level snapshot-isolation --max-transactions 4 --unroll 3 --budget 90s --config other.json --node-path /opt/node --prove",
    );
  });

  it("searches longer for an anomaly that somebody has seen", async () => {
    const options = { cwd: folder.path };
    const [report] = reportsOf(
      await isolens(["check", FILE, "--no-cache", "--format", "json"], options),
    );
    const id = report?.anomalies[0]?.id ?? "";
    const shown = await isolens(
      ["show", FILE, "--anomaly", id, "--budget", "1ms", "--no-cache"],
      options,
    );
    assert.equal(shown.code, 0, shown.error);
  });
});
