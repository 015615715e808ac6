// Exception handlers and savepoints: what runs in a handler is found, what a handler undoes is undone, and errors that no
// run meets are said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const TABLES = `
CREATE TABLE counter (id integer PRIMARY KEY, n integer NOT NULL CHECK (n < 100));
CREATE TABLE log (id integer PRIMARY KEY, n integer NOT NULL);`;

const LOSES = `SELECT n INTO x FROM log WHERE id = k; UPDATE log SET n = x + 1 WHERE id = k;`;

function routine(body: string): string {
  return `${TABLES}
CREATE FUNCTION f(k integer, d integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN ${body} END $$;`;
}

interface Expectation {
  readonly finds: readonly string[];
  readonly open?: readonly RegExp[];
}

async function check(text: string, level: string, expected: Expectation): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  const what = `${level}: ${text}`;
  assert.deepEqual(verdicts(report), expected.finds, what);
  const { open = [] } = expected;
  assert.equal(report.unknown.length, open.length, JSON.stringify(report.unknown));
  open.forEach((reason, at) => assert.match(report.unknown[at]?.reason ?? "", reason));
}

const [RC, RR] = ["postgres:read-committed", "postgres:repeatable-read"] as const;
const FOUND = ["f+f state"];

test("insert, else update: nothing is lost at READ COMMITTED, the update is at REPEATABLE READ", async () => {
  const upsert = routine(`BEGIN INSERT INTO counter VALUES (k, 1);
    EXCEPTION WHEN unique_violation THEN UPDATE counter SET n = n + 1 WHERE id = k; END;`);
  await check(upsert, RC, { finds: [] });
  // The handler's UPDATE does not see the row that made the INSERT fail.
  await check(upsert, RR, { finds: FOUND });
  await check(upsert, "causal", { finds: FOUND });
  await check(upsert, "snapshot-isolation", { finds: [] });
});

test("a row that is deleted between the failed insert and the update", async () => {
  const text = `${routine(`BEGIN INSERT INTO counter VALUES (k, d);
    EXCEPTION WHEN unique_violation THEN UPDATE counter SET n = d WHERE id = k;
      IF NOT FOUND THEN INSERT INTO log VALUES (k, d); END IF; END;`)}
  CREATE FUNCTION g(k integer) RETURNS void LANGUAGE sql AS $$ DELETE FROM counter WHERE id = k $$;`;
  await check(text, RC, { finds: ["f+g state"] });
});

test("a handler runs for the errors that it names", async () => {
  const guarded = (error: string, condition: string): string =>
    routine(`BEGIN ${error} EXCEPTION WHEN ${condition} THEN ${LOSES} END;`);
  const raise = "IF d > 5 THEN RAISE EXCEPTION 'no'; END IF;";
  await check(guarded(raise, "raise_exception"), RC, { finds: FOUND });
  await check(guarded(raise, "others"), RC, { finds: FOUND });
  await check(guarded(raise, "unique_violation"), RC, { finds: [] });
  await check(guarded("RAISE check_violation;", "check_violation"), RC, { finds: FOUND });
  await check(guarded("RAISE EXCEPTION USING ERRCODE = '23505';", "unique_violation"), RC, {
    finds: FOUND,
  });
  const strict = "SELECT n INTO STRICT x FROM counter WHERE id = k;";
  await check(guarded(strict, "no_data_found"), RC, { finds: FOUND });
  await check(guarded(strict, "too_many_rows"), RC, { finds: [] });
  const change = "UPDATE counter SET n = d WHERE id = k;";
  await check(guarded(change, "check_violation"), RC, { finds: FOUND });
  await check(guarded(change, "integrity_constraint_violation"), RC, {
    finds: FOUND,
  });
});

test("what the block wrote is undone, its variables are not", async () => {
  // Without the undoing, the second write would overwrite the first.
  const undone = routine(`BEGIN
      SELECT n INTO x FROM log WHERE id = k; UPDATE log SET n = x + 1 WHERE id = k;
      RAISE EXCEPTION 'no';
    EXCEPTION WHEN raise_exception THEN UPDATE counter SET n = 5 WHERE id = k; END;`);
  await check(undone, RR, { finds: [] });
  await check(undone, "snapshot-isolation", { finds: [] });
  const kept = routine(`BEGIN SELECT n INTO x FROM log WHERE id = k; RAISE EXCEPTION 'no';
    EXCEPTION WHEN raise_exception THEN UPDATE log SET n = x + 1 WHERE id = k; END;`);
  await check(kept, RC, { finds: FOUND });
});

test("of several handlers the first that is for the error runs", async () => {
  const two = (first: string, second: string): string =>
    routine(`BEGIN INSERT INTO counter VALUES (k, 1); RAISE EXCEPTION 'no';
      EXCEPTION WHEN unique_violation THEN ${first} WHEN others THEN ${second} END;`);
  const open = [/on a deadlock are not searched/u];
  await check(two(LOSES, "NULL;"), RC, { finds: FOUND, open });
  await check(two("NULL;", LOSES), RC, { finds: FOUND, open });
  await check(two("NULL;", "NULL;"), RC, { finds: [], open });
});

test("an upsert loop tries again", async () => {
  const loop = routine(`LOOP
      UPDATE counter SET n = n + 1 WHERE id = k;
      IF FOUND THEN RETURN; END IF;
      BEGIN INSERT INTO counter VALUES (k, 1); RETURN;
      EXCEPTION WHEN unique_violation THEN NULL; END;
    END LOOP;`);
  const report = await analyse([sql(loop)], RC, 2);
  // The loser sees another row count on the way; nothing comes of it.
  assert.deepEqual(verdicts(report), ["f+f unused"]);
});

test("returning to a savepoint undoes what came after it", async () => {
  const script = (rest: string): string => `${TABLES}
-- @transaction f
BEGIN;
SAVEPOINT s;
UPDATE counter SET n = n WHERE id = :k;
${rest}
COMMIT;`;
  const read =
    "SELECT n AS x FROM counter WHERE id = :k \\gset\nUPDATE counter SET n = :x + 1 WHERE id = :k;";
  await check(script(`ROLLBACK TO s;`), RC, { finds: [] });
  // Nobody waits for a lock that was given up.
  await check(script(`ROLLBACK TO s;\n${read}`), RC, { finds: [], open: [/gives up the locks/] });
  await check(script(`RELEASE s;\n${read}`), RC, { finds: [] });
  // A row that may not be there keeps nobody waiting.
  const other = script(`RELEASE s;\n${read}`).replace("counter SET n = n", "log SET n = 7");
  await check(other, RC, { finds: FOUND });
});

test("FOUND and ROW_COUNT are false and 0 at first, and each routine's own", async () => {
  await check(routine(`IF NOT FOUND THEN ${LOSES} END IF;`), RC, { finds: FOUND });
  await check(routine(`GET DIAGNOSTICS d = ROW_COUNT; IF d = 0 THEN ${LOSES} END IF;`), RC, {
    finds: FOUND,
  });
  const callee = `CREATE FUNCTION g() RETURNS integer LANGUAGE plpgsql AS $$
    BEGIN PERFORM 1 FROM counter WHERE id = -1; IF NOT FOUND THEN RETURN 1; END IF; RETURN 0; END $$;`;
  const calls = `PERFORM 1 FROM log WHERE id = k; d := g(); IF FOUND THEN ${LOSES} END IF;`;
  const report = await analyse([sql(`${routine(calls)}\n${callee}`)], RC, 2);
  assert.deepEqual(verdicts(report), FOUND);
});
