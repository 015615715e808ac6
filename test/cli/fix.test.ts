// `isolens fix`: shows a difference, writes it or not, and leaves alone what is not as it was read.
import assert from "node:assert/strict";
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { applyPatch } from "diff";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isolens, makeFolder, reportsOf, type Folder } from "./cli";

const TEXT = `CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL);
-- @transaction add
BEGIN;
SELECT n FROM counter WHERE id = :id \\gset
UPDATE counter SET n = :n + 1 WHERE id = :id;
COMMIT;
`;

let folder: Folder;

beforeEach(() => {
  folder = makeFolder({ "counter.sql": TEXT });
});

afterEach(() => {
  folder.remove();
});

const ids = new Map<string, string>();

/** The anomaly of the folder; one text has the same in every folder. */
async function idOf(text = TEXT): Promise<string> {
  const known = ids.get(text);
  if (known !== undefined) return known;
  const [report] = reportsOf(
    await isolens(["check", ".", "--format", "json", "--no-cache"], { cwd: folder.path }),
  );
  const id = report?.anomalies[0]?.id;
  assert.ok(id !== undefined);
  ids.set(text, id);
  return id;
}

function fix(id: string, ...options: readonly string[]) {
  const args = ["fix", ".", "--anomaly", id, "--no-cache", ...options];
  return isolens(args, { cwd: folder.path });
}

function written(): string {
  return readFileSync(path.join(folder.path, "counter.sql"), "utf8");
}

describe("isolens fix", () => {
  it("shows the difference and writes nothing with --dry-run", async () => {
    const { code, out } = await fix(await idOf(), "--fix", "row-lock", "--dry-run");
    assert.equal(code, 0);
    assert.ok(out.includes("-SELECT n FROM counter WHERE id = :id \\gset"), out);
    assert.ok(out.includes("+SELECT n FROM counter WHERE id = :id FOR UPDATE \\gset"), out);
    assert.equal(written(), TEXT);
  });

  it("shows a difference that leads to what it writes, also without an end of the last line", async () => {
    folder.write("counter.sql", TEXT.trimEnd());
    const id = await idOf(TEXT.trimEnd());
    const { out } = await fix(id, "--fix", "row-lock", "--dry-run");
    const patch = out.slice(out.indexOf("--- a/counter.sql"), out.lastIndexOf("end of file") + 12);
    assert.match(patch, /^@@ -1,6 \+1,6 @@$/mu);
    await fix(id, "--fix", "row-lock");
    assert.equal(applyPatch(TEXT.trimEnd(), patch), written());
  });

  it("writes the edit, after which the anomaly is gone", async () => {
    const { code, error } = await fix(await idOf(), "--fix", "row-lock");
    assert.equal(code, 0, error);
    assert.equal(error, "isolens: written: counter.sql\n");
    assert.equal(written(), TEXT.replace(" \\gset", " FOR UPDATE \\gset"));
    const again = await isolens(["check", ".", "--no-cache"], { cwd: folder.path });
    assert.equal(again.code, 0, again.out);
  });

  it("keeps line ends and the mark of the file", async () => {
    const own = `\ufeff${TEXT.replaceAll("\n", "\r\n")}`;
    folder.write("counter.sql", own);
    const { code, error } = await fix(await idOf(own), "--fix", "row-lock");
    assert.equal(code, 0, error);
    assert.equal(written(), own.replace(" \\gset", " FOR UPDATE \\gset"));
  });

  it("writes no file that may not be written", async () => {
    const id = await idOf();
    chmodSync(path.join(folder.path, "counter.sql"), 0o444);
    const { code, error } = await fix(id);
    assert.equal(code, 3);
    assert.match(error, /counter\.sql: not written: it is read-only/u);
    assert.equal(written(), TEXT);
  });

  it("names the kinds that it knows", async () => {
    const { code, error } = await fix("00000000", "--fix", "prayer");
    assert.equal(code, 3);
    assert.match(error, /--fix must be one of own-connection, guarded-update, /u);
  });

  it("writes a migration as a new file and leaves the one that was applied alone", async () => {
    folder.remove();
    const book = `CREATE FUNCTION book(r integer, d integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM booking WHERE room = r AND day = d) THEN
    RETURN false;
  END IF;
  INSERT INTO booking (room, day) VALUES (r, d);
  RETURN true;
END $$;
`;
    const table =
      "CREATE TABLE booking (id serial PRIMARY KEY, room integer NOT NULL, day integer NOT NULL);\n";
    folder = makeFolder({ "migrations/001_booking.sql": table, "book.sql": book });
    const id = await idOf(book);
    const { out } = await fix(id, "--fix", "unique-key", "--dry-run");
    assert.ok(out.includes("--- /dev/null"), out);
    const created = "migrations/002_add_booking_room_day_key.sql";
    assert.ok(out.includes(`+++ b/${created}`), out);
    assert.equal((await fix(id, "--fix", "unique-key")).code, 0);
    assert.equal(
      readFileSync(path.join(folder.path, created), "utf8"),
      "ALTER TABLE booking ADD CONSTRAINT booking_room_day_key UNIQUE (room, day);\n",
    );
    assert.equal(readFileSync(path.join(folder.path, "migrations/001_booking.sql"), "utf8"), table);
  });
});
