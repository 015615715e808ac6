// `isolens replay` from the command line: on the PostgreSQL that npm carries, and what it says where it cannot replay.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isolens, makeFolder, reportsOf, type Folder } from "./cli";

const BANK = `CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE FUNCTION withdraw(acc integer, amount integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  bal integer;
BEGIN
  SELECT balance INTO bal FROM account WHERE id = acc;
  IF bal < amount THEN
    RAISE EXCEPTION 'insufficient funds';
  END IF;
  UPDATE account SET balance = bal - amount WHERE id = acc;
  RETURN bal - amount;
END $$;
`;

let folder: Folder;
let id = "";
const run = (line: string) => isolens(line.split(" "), folder.kept);

before(async () => {
  folder = makeFolder({ "bank.sql": BANK });
  const [report] = reportsOf(await run("check . --format json"));
  id = report?.anomalies[0]?.id ?? "";
  assert.notEqual(id, "");
});

after(() => {
  folder.remove();
});

describe("isolens replay", () => {
  it("makes a lost update happen on PostgreSQL", async (context) => {
    const { code, out, error } = await run(`replay . --anomaly ${id}`);
    if (/there is no PostgreSQL/.test(error)) {
      context.diagnostic("not run: PostgreSQL (replay)");
      return;
    }
    assert.equal(code, 1, error);
    assert.match(
      out,
      /^Reproduced on PostgreSQL \d+\.\d+: The -\d+ of withdraw is lost,[^]*\(lost update\)/,
    );
    assert.match(out, /T1, then T2 alone, one after the other/);
  });

  it("says what a server by its address must be, and repeats no password", async () => {
    const cases: readonly (readonly [string, number, RegExp])[] = [
      ["postgres://someone:secret@127.0.0.1:1/db", 3, /127\.0\.0\.1:1\/db cannot be reached: /],
      ["http://someone:secret@host/db", 3, /--server must be "embedded", or a URL as postgres:/],
      ["mysql://someone:secret@127.0.0.1:1/db", 2, /no level of MySQL or MariaDB/],
    ];
    for (const [server, expected, message] of cases) {
      const { code, error, out } = await run(`replay . --anomaly ${id} --server ${server}`);
      assert.equal(code, expected, error);
      assert.match(error, message);
      assert.doesNotMatch(error + out, /secret/);
    }
  });

  it("says that no server shows the levels of papers", async () => {
    const [report] = reportsOf(await run("check . --level causal --format json"));
    const other = report?.anomalies[0]?.id ?? "";
    const { code, error } = await run(`replay . --level causal --anomaly ${other}`);
    assert.equal(code, 2);
    assert.match(error, /^isolens: no server shows .*; the store has executed the anomaly/);
  });
});
