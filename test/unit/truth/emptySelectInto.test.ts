// SELECT ... INTO @x without a row leaves the variable as it was: the client sees its value, not the row.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, sql } from "./analyse";

const RC = "mariadb:read-committed";

/** A copy of a row through a variable, beside the insertion of that row and of a look at the copy. */
function copy(before: string): string {
  return `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table log (id int primary key, v int) engine=innodb;
-- @transaction copy
START TRANSACTION;
${before}
SELECT count(*) INTO @n FROM log WHERE id = 1;
SELECT v INTO @x FROM acc WHERE id = 1;
COMMIT;
-- @transaction make
START TRANSACTION;
INSERT INTO acc VALUES (1, 7);
INSERT INTO log VALUES (1, 7);
COMMIT;`;
}

async function severities(before: string): Promise<readonly string[]> {
  const { anomalies } = await analyse([sql(copy(before))], RC, 2);
  return [...new Set(anomalies.flatMap(({ severity }) => (severity === "unused" ? [] : severity)))];
}

describe("a variable that a SELECT without a row leaves as it was", () => {
  it("has another value than the row", async () => {
    assert.deepEqual(await severities("SET @x = 8;"), ["value"]);
  });
  it("has the value that the row would give", async () => {
    assert.deepEqual(await severities("SET @x = 7;"), []);
  });
  it("was not set before", async () => {
    assert.deepEqual(await severities("SET @y = 7;"), ["value"]);
  });
});
