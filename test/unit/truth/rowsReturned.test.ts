// Results for the caller of a routine: all rows of RETURN QUERY, the first row of a single value, result sets of MySQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const MOVE = `
CREATE TABLE acc (id integer PRIMARY KEY, branch integer NOT NULL, bal integer NOT NULL);
CREATE TABLE note (id integer PRIMARY KEY, n integer NOT NULL);
CREATE FUNCTION move(a integer, b integer, k integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE acc SET bal = bal + 1 WHERE id = a;
  UPDATE note SET n = n + 1 WHERE id = k;
END $$;`;

async function check(text: string, level: string, expected: readonly string[]): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  assert.deepEqual(verdicts(report), expected);
  for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed", anomaly.reason);
}

const list = (returns: string, body: string): string => `${MOVE}
CREATE FUNCTION list(k integer, p integer) RETURNS ${returns} LANGUAGE plpgsql AS $$
BEGIN
${body}
END $$;`;

test("rows behind the first of RETURN QUERY reach the caller", async () => {
  const body = `
  RETURN QUERY SELECT n FROM note WHERE id = k;
  RETURN QUERY SELECT bal FROM acc WHERE branch = p;`;
  await check(list("SETOF integer", body), "postgres:read-committed", ["list+move value"]);
  await check(list("SETOF integer", body), "postgres:repeatable-read", []);
});

test("RETURN QUERY in a branch and in a loop of one round", async () => {
  const body = `
  FOR i IN 1 .. 1 LOOP
    RETURN QUERY SELECT n FROM note WHERE id = k;
    RETURN QUERY SELECT bal FROM acc WHERE id = p;
  END LOOP;`;
  await check(list("SETOF integer", body), "postgres:read-committed", ["list+move value"]);
});

test("of a function with a single value the first row counts, and of a routine that is called its value", async () => {
  const text = `${MOVE}
CREATE FUNCTION first_of(p integer) RETURNS integer LANGUAGE sql AS $$
  SELECT bal FROM acc WHERE branch = p ORDER BY id LIMIT 1;
$$;
CREATE FUNCTION ask(k integer, p integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer;
BEGIN
  SELECT n INTO x FROM note WHERE id = k;
  PERFORM first_of(p);
END $$;`;
  await check(text, "postgres:read-committed", ["ask+move unused"]);
});

test("a SELECT in a procedure of MySQL gives the caller its rows", async () => {
  const text = `
CREATE TABLE acc (id INT PRIMARY KEY, branch INT NOT NULL, bal INT NOT NULL) ENGINE=InnoDB;
CREATE TABLE note (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=InnoDB;
DELIMITER //
CREATE PROCEDURE move(IN a INT, IN k INT)
BEGIN
  UPDATE acc SET bal = bal + 1 WHERE id = a;
  UPDATE note SET n = n + 1 WHERE id = k;
END //
CREATE PROCEDURE list(IN k INT, IN p INT)
BEGIN
  SELECT n FROM note WHERE id = k;
  SELECT bal FROM acc WHERE branch = p;
END //
DELIMITER ;`;
  await check(text, "mysql:read-committed", ["list+move value"]);
  await check(text, "mysql:repeatable-read", []);
});
