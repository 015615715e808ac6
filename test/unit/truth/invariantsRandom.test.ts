// Random programs under random invariants: an assumption takes executions away and never adds any, and no witness
// starts where an invariant does not hold.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { analyse, sql, tuples } from "./analyse";

const INVARIANTS = [
  "a.x >= 0",
  "a.x <= a.y",
  "a.x < b.z where a.id = b.r",
  "a.x + a.y = 10",
  "a.name = 'n' or a.x > 2",
  "a.name in ('u', 'v')",
  "not a.f or a.x > 1",
  "a.y is not null",
  "b.z between 2 and 7 where b.r = 1",
  "b.r in (select id from a)",
  "exists (select 1 from c where c.k = b.r and c.w = b.z)",
  "not exists (select 1 from a p, a q where p.id < q.id and p.x = q.x)",
];

const STATEMENTS = [
  "UPDATE a SET x = x + p WHERE id = q;",
  "UPDATE a SET y = q, name = 'v' WHERE id = p AND x > 2;",
  "UPDATE a SET f = NOT f WHERE id = q;",
  "UPDATE b SET z = z - 1 WHERE r = p;",
  "INSERT INTO b VALUES (p, q, 3);",
  "DELETE FROM b WHERE id = p;",
  "SELECT x INTO v FROM a WHERE id = q; UPDATE b SET z = v WHERE id = p;",
  "SELECT x INTO v FROM a WHERE id = p; IF v < 0 THEN UPDATE a SET x = 0 WHERE id = q; END IF;",
  "SELECT z INTO v FROM b WHERE id = q; IF v > 3 THEN UPDATE a SET x = v WHERE id = p; END IF;",
  "SELECT count(*) INTO v FROM b WHERE r = q; UPDATE a SET y = v WHERE id = p;",
];

const LEVELS = [
  "postgres:read-committed",
  "postgres:repeatable-read",
  "causal",
  "snapshot-isolation",
];

function routine(name: string, statements: readonly string[]): string {
  return `CREATE FUNCTION ${name}(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN ${statements.join("\n")} RETURN v; END $$;`;
}

test("invariants only take anomalies away, and witnesses keep them", async () => {
  const body = fc.array(fc.constantFrom(...STATEMENTS), { minLength: 1, maxLength: 2 });
  const said = fc.uniqueArray(fc.constantFrom(...INVARIANTS), { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(
    said,
    body,
    body,
    fc.constantFrom(...LEVELS),
    async (invariants, one, other, level) => {
      const program = `
CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL, y int, name text NOT NULL, f bool NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, r int REFERENCES a (id), z int NOT NULL);
CREATE TABLE c (k int PRIMARY KEY, w int NOT NULL);
${routine("t1", one)}
${routine("t2", other)}`;
      const comments = invariants.map((each) => `-- @isolens invariant ${each}\n`).join("");
      const free = await analyse([sql(program)], level, 2);
      const bound = await analyse([sql(comments + program)], level, 2);
      const added = tuples(bound).filter((tuple) => !tuples(free).includes(tuple));
      assert.deepEqual(added, []);
      const refused = bound.anomalies.filter(({ reason = "" }) => reason.includes("invariant"));
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        [],
      );
    },
  );
  await fc.assert(property, { seed: 7, numRuns: 8, endOnFailure: true });
});
