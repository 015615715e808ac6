// Names and values that would steer a terminal, or make text look like another.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { visible, visibleAll } from "../../server/src/protocol/controlCharacters";
import { isolens, makeFolder, type Folder } from "./cli";

const ESC = "\u001b]0;owned\u0007\u001b[2J";
const BIDI = "\u202etnuocca\u2066";
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const TEXT = (
  name: string,
): string => `CREATE TABLE "${name}" (id int PRIMARY KEY, "v${name}" int NOT NULL);
-- @transaction add${name}
BEGIN;
SELECT "v${name}" AS v FROM "${name}" WHERE id = :id \\gset
UPDATE "${name}" SET "v${name}" = :v + 1 WHERE id = :id;
COMMIT;
`;

describe("control characters", () => {
  for (const [what, name] of [
    ["escape sequences", ESC],
    ["directions", BIDI],
    ["C1 controls", "\u009b2J\u0085"],
  ] as const)
    describe(what, () => {
      let folder: Folder;
      before(() => {
        folder = makeFolder({
          [`a${what}.sql`]: TEXT(name),
          "b.sql": `SELEC "${name}" ${name};`,
        });
      });
      after(() => {
        folder.remove();
      });
      for (const format of ["text", "json", "sarif", "github"])
        it(`are shown escaped by ${format}: ${what}`, async () => {
          const args = ["check", ".", "--format", format, "--level", `no${name}`];
          for (const each of [args.slice(0, 4), args]) {
            const { out, error } = await isolens(each, folder.kept);
            assert.doesNotMatch(out + error, STEERING);
            if (each.length === 4) assert.match(out, /\\u(?:001b|202e|009b)/);
          }
        });
    });

  it("are escaped as in JSON, which stays what it was", () => {
    const value = { [`k${ESC}`]: [`${BIDI} plain\tübung\r\n😀`, 1, null, true] };
    assert.deepEqual(JSON.parse(visible(JSON.stringify(value))), value);
    assert.doesNotMatch(JSON.stringify(visibleAll(value)), /\u202e/);
    assert.equal(visible("a\tb\r\nc\rd"), "a\tb\r\nc\\u000dd");
  });
});
