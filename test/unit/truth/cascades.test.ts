// Actions of foreign keys that nobody follows: no run that leaves them out is evidence, and none is called safe.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, sql } from "./analyse";

const RC = "postgres:read-committed";

function program(action: string, change: string): string {
  return `CREATE TABLE usr (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE post (id int PRIMARY KEY, usr int REFERENCES usr (id) ${action});
CREATE FUNCTION del(u int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN DELETE FROM usr WHERE id = u; RETURN 1; END $$;
CREATE FUNCTION f(n int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE m int; BEGIN SELECT count(*) INTO m FROM post; ${change} RETURN m; END $$;`;
}

describe("an action of a foreign key that is not followed", () => {
  const cases = [
    ["ON DELETE CASCADE", "DELETE FROM usr WHERE v < n;", /not followed/],
    ["ON DELETE SET NULL", "DELETE FROM usr WHERE v < n;", /not followed/],
    ["ON DELETE CASCADE ON UPDATE CASCADE", "UPDATE usr SET id = q WHERE id = n;", /key column/],
    ["ON DELETE CASCADE ON UPDATE SET NULL", "UPDATE usr SET id = q WHERE id = n;", /key column/],
  ] as const;
  for (const [action, change, reason] of cases)
    it(`${action}: ${change}`, async () => {
      const { verdict, anomalies, unknown } = await analyse([sql(program(action, change))], RC, 2);
      assert.notEqual(verdict, "safe");
      assert.match(unknown.map((each) => each.reason).join("\n"), reason);
      const confirmed = anomalies.filter(({ status }) => status === "confirmed");
      assert.deepEqual(
        confirmed.filter(({ transactions }) => transactions.includes("f")),
        [],
      );
    });
});

it("MySQL's ON UPDATE is not followed either, whichever table a dump declares first", async () => {
  const parent = "CREATE TABLE p (id INT PRIMARY KEY, code INT NOT NULL UNIQUE) ENGINE=InnoDB;";
  const child =
    "CREATE TABLE c (id INT PRIMARY KEY, code INT, FOREIGN KEY (code) REFERENCES p (code) ON UPDATE CASCADE) ENGINE=InnoDB;";
  const rest = `
-- @transaction change
START TRANSACTION; UPDATE p SET code = :b WHERE id = :a; COMMIT;
-- @transaction f
START TRANSACTION; SELECT code FROM c WHERE id = :i; UPDATE c SET code = NULL WHERE id = :i; COMMIT;`;
  for (const tables of [parent + child, child + parent]) {
    const text = `-- @isolens dialect mariadb\n${tables}${rest}`;
    const { verdict, unknown } = await analyse([sql(text)], "mariadb:read-committed", 2);
    assert.notEqual(verdict, "safe");
    assert.match(
      unknown.map((each) => each.reason).join("\n"),
      /also changes c by its foreign key/,
    );
  }
});
