// Loops: what needs a second round is found with a second round, what is covered whole is safe, and what is not covered
// leaves the verdict open. At a product's level and at one of the papers'.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const TABLES = `
CREATE TABLE item (id integer PRIMARY KEY, kind integer NOT NULL, n integer NOT NULL);
CREATE TABLE log (id integer PRIMARY KEY, n integer NOT NULL);`;

const LOSES = `SELECT n INTO x FROM log WHERE id = k; UPDATE log SET n = x + 1 WHERE id = k;`;

function routine(body: string): string {
  return `${TABLES}
CREATE FUNCTION f(k integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r record; x integer; i integer := 0;
BEGIN ${body} END $$;`;
}

interface Expectation {
  readonly level?: string;
  readonly unroll?: number;
  readonly finds: readonly string[];
  /** The open questions, as the start of each reason. */
  readonly open?: readonly string[];
}

async function check(body: string, expected: Expectation): Promise<void> {
  const levels = expected.level ? [expected.level] : ["postgres:read-committed", "read-atomic"];
  for (const level of levels) {
    const report = await analyse([sql(routine(body))], level, 2, expected.unroll);
    const what = `${level}: ${body}`;
    assert.deepEqual(verdicts(report), expected.finds, what);
    const open = report.unknown.map(({ reason }) => reason);
    assert.deepEqual(open, expected.open ?? [], what);
  }
}

const ROUNDS = (first: string): string => `rounds of this loop after the ${first} are not searched`;
const FOUND = ["f+f state"];

test("rows of a query: the second row is another one, in the query's order", async () => {
  const second = `FOR r IN SELECT id FROM item ORDER BY id LOOP
    i := i + 1; IF i = 2 THEN ${LOSES.replaceAll("= k", "= r.id")} END IF; END LOOP;`;
  await check(second, { finds: [], open: [ROUNDS("first")] });
  await check(second, { unroll: 2, finds: FOUND, open: [ROUNDS("first 2")] });
  const same = `FOR r IN SELECT id FROM item ORDER BY id LOOP
    IF r.id = i THEN ${LOSES} END IF; i := r.id; END LOOP;`;
  await check(`i := NULL; ${same}`, { unroll: 3, finds: [], open: [ROUNDS("first 3")] });
  const falls = `i := 100; FOR r IN SELECT n FROM item ORDER BY n LOOP
    IF r.n < i AND i < 100 THEN ${LOSES} END IF; i := r.n; END LOOP;`;
  await check(falls, { unroll: 3, finds: [], open: [ROUNDS("first 3")] });
});

test("rows of a query that has at most as many are covered", async () => {
  await check(`FOR r IN SELECT id FROM item WHERE id = k LOOP ${LOSES} END LOOP;`, {
    finds: FOUND,
  });
  await check(
    `FOR r IN SELECT id FROM item WHERE kind = k ORDER BY id LIMIT 1 LOOP UPDATE log SET n = 1 WHERE id = k; END LOOP;`,
    { level: "postgres:repeatable-read", finds: [] },
  );
  await check(
    `FOR r IN SELECT id FROM item ORDER BY id LIMIT 2 LOOP UPDATE log SET n = n + 1 WHERE id = k; END LOOP;`,
    { level: "postgres:repeatable-read", unroll: 2, finds: [] },
  );
});

test("counted rounds are covered where they are few", async () => {
  await check(`FOR j IN 1..3 LOOP IF j = 3 THEN ${LOSES} END IF; END LOOP;`, { finds: FOUND });
  await check(`FOR j IN REVERSE 3..1 LOOP IF j = 0 THEN ${LOSES} END IF; END LOOP;`, { finds: [] });
  await check(`WHILE i < 3 LOOP i := i + 1; IF i = 3 THEN ${LOSES} END IF; END LOOP;`, {
    finds: FOUND,
  });
  const many = `FOR j IN 1..7 LOOP IF j = 7 THEN ${LOSES} END IF; END LOOP;`;
  await check(many, { finds: [], open: [ROUNDS("first")] });
  await check(many, { unroll: 7, finds: FOUND });
  await check(`FOR j IN 1..k LOOP IF j = 2 THEN ${LOSES} END IF; END LOOP;`, {
    unroll: 2,
    finds: FOUND,
    open: [ROUNDS("first 2")],
  });
});

test("the bounds of a counting loop are evaluated once", async () => {
  await check(`i := 2; FOR j IN 1..i LOOP i := 4; IF j = 3 THEN ${LOSES} END IF; END LOOP;`, {
    unroll: 4,
    finds: [],
  });
});

test("leaving a loop, going on with its next round, loops inside of loops", async () => {
  await check(`FOR j IN 1..3 LOOP EXIT WHEN j = 2; IF j = 2 THEN ${LOSES} END IF; END LOOP;`, {
    finds: [],
  });
  await check(`FOR j IN 1..3 LOOP CONTINUE WHEN j < 3; ${LOSES} END LOOP;`, { finds: FOUND });
  await check(`LOOP i := i + 1; EXIT WHEN i >= 2; END LOOP; IF i = 2 THEN ${LOSES} END IF;`, {
    unroll: 2,
    finds: FOUND,
  });
  await check(
    `<<a>> FOR j IN 1..2 LOOP FOR l IN 1..2 LOOP EXIT a WHEN j = 2 AND l = 2; i := i + 1; END LOOP; END LOOP;
    IF i = 3 THEN ${LOSES} END IF;`,
    { finds: FOUND },
  );
});

test("a loop without an end never commits; that later rounds are not searched is said where they could matter", async () => {
  await check(`LOOP UPDATE log SET n = n + 1 WHERE id = k; END LOOP;`, {
    level: "postgres:read-committed",
    finds: [],
  });
  const report = await analyse(
    [sql(routine(`LOOP ${LOSES} END LOOP;`))],
    "postgres:read-committed",
    2,
  );
  assert.deepEqual(report.anomalies, []);
  assert.deepEqual(
    report.unknown.map(({ reason }) => reason),
    [ROUNDS("first")],
  );
});
