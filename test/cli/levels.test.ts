// Levels that users define, on the command line.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isolens, makeFolder, reportsOf } from "./cli";
import type { Folder } from "./cli";

const SQL = `
CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
-- @transaction add
BEGIN;
SELECT v FROM a WHERE id = :id \\gset
UPDATE a SET v = :v + 1 WHERE id = :id;
COMMIT;
`;
const axioms = ["forall a, b. conflict(a, b) & ar(a, b) => vis(a, b)"];
const OWN = JSON.stringify({ name: "my-store", extends: "causal", axioms });

let folder: Folder;

before(() => {
  folder = makeFolder({
    "app.sql": SQL,
    "own.level.json": OWN,
    "broken.level.json": OWN.replace("conflict", "conflit"),
    "named.json": '{ "levels": ["own.level.json"], "level": "my-store" }',
    "wrong.json": '{ "levels": ["broken.level.json"] }',
  });
});

after(() => {
  folder.remove();
});

describe("levels that users define", () => {
  const run = (line: string) => isolens(line.split(" "), { cwd: folder.path });

  it("are checked by file and by name, with the same answer", async () => {
    const byFile = await run(
      "check app.sql --no-cache --level ./own.level.json,causal --format json",
    );
    assert.equal(byFile.code, 1, byFile.error);
    const [own, causal] = reportsOf(byFile);
    assert.deepEqual([own?.level, own?.verdict], ["my-store", "safe"]);
    assert.ok(causal?.anomalies[0]?.preventedBy.includes("my-store"));
    const byName = await run("check app.sql --no-cache --config named.json --format json");
    assert.equal(byName.code, 0, byName.error);
    assert.deepEqual(reportsOf(byName)[0], own);
  });

  const refused: readonly (readonly [string, RegExp])[] = [
    [
      "check app.sql --config named.json --level my-stor",
      /^isolens: there is no level "my-stor"; did you mean "my-store"\?\n$/u,
    ],
    [
      "check app.sql --level serialisable",
      /^isolens: there is no level "serialisable"; did you mean "serializable"\?\n$/u,
    ],
    [
      "check app.sql --level ./none.level.json",
      /^isolens: \.\/none\.level\.json: not read: no such/u,
    ],
    [
      "check app.sql --level ./broken.level.json",
      /^isolens: \.\/broken\.level\.json:1:63: there is no relation "conflit"; did you mean "conflict"\?\n$/u,
    ],
    [
      "check app.sql --config wrong.json",
      /^isolens: broken\.level\.json:1:63: there is no relation "conflit"/u,
    ],
  ];
  for (const [line, message] of refused)
    it(`leaves with 3 for ${line}`, async () => {
      const result = await run(line);
      assert.match(result.error, message);
      assert.equal(result.code, 3);
    });
});
