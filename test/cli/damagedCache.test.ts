// Whatever happens to the files of the cache, the command line says what it says without one.
import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { isolens, makeFolder, type CliResult } from "./cli";

const folders = mkdtempSync(path.join(os.tmpdir(), "isolens-damaged-"));
/** As a first run left it, and a copy for each damage. */
const first = path.join(folders, "first");
const cache = path.join(folders, "damaged");
const folder = makeFolder({
  "isolens.json": "{}",
  "app.sql": `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
CREATE PROCEDURE add(p integer) LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  SELECT v INTO x FROM a WHERE id = p;
  UPDATE a SET v = x + 1 WHERE id = p;
END $$;
`,
});
after(() => {
  rmSync(folders, { recursive: true, force: true });
  folder.remove();
});

const check = (kept: string) =>
  isolens(["check", folder.path, "--format", "json"], { env: { ISOLENS_CACHE: kept } });

/** Every file of the cache. */
function files(): readonly string[] {
  return readdirSync(cache).map((name) => path.join(cache, name));
}

describe("a report with a cache", () => {
  let without: CliResult;
  before(async () => {
    without = await check("off");
    assert.equal(without.code, 1, without.error);
    assert.equal((await check(first)).out, without.out);
  });

  const damages: readonly (readonly [string, (content: Buffer) => Buffer | undefined])[] = [
    ["is empty", () => Buffer.alloc(0)],
    ["is cut off in the middle", (content) => content.subarray(0, content.length / 2)],
    ["lacks its last bytes", (content) => content.subarray(0, -3)],
    ["is of zeros", (content) => Buffer.alloc(content.length)],
    ["holds a second verdict", (content) => replaced(content, '"anomaly"', '"unknown"')],
    ["has no findings", (content) => replaced(content, '"findings":[', '"findings":[],"x":[')],
    ["is a folder", () => undefined],
  ];
  for (const [what, damage] of damages)
    it(`whose every file ${what} is the report without one, and so is the next`, async () => {
      rmSync(cache, { recursive: true, force: true });
      cpSync(first, cache, { recursive: true });
      assert.ok(files().length >= 2, files().join());
      for (const file of files()) {
        const damaged = damage(readFileSync(file));
        rmSync(file);
        if (damaged === undefined) mkdirSync(file);
        else writeFileSync(file, damaged);
      }
      for (const next of [await check(cache), await check(cache)]) {
        assert.equal(next.out, without.out);
        assert.equal(next.code, without.code, next.error);
      }
    });
});

function replaced(content: Buffer, from: string, to: string): Buffer {
  return Buffer.from(content.toString("utf8").replaceAll(from, to));
}
