// Tests and scripts of transactions that fire triggers: nothing is done twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "../truth/analyse";
import { findIn, generated } from "./testgenCases";

const TEXT = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, version int NOT NULL);
CREATE TABLE stats (id int PRIMARY KEY, moves int NOT NULL);
CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE k int;
BEGIN
  NEW.version := OLD.version + 1;
  SELECT moves INTO k FROM stats WHERE id = 1;
  UPDATE stats SET moves = k + 1 WHERE id = 1;
  RETURN NEW;
END $$;
CREATE TRIGGER moves BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION moved();
-- @transaction deposit
BEGIN;
UPDATE account SET balance = balance + :amount WHERE id = :who;
COMMIT;
`;

test("a script says what triggers do among its steps and creates none; a test is refused", async () => {
  const found = await findIn([sql(TEXT)], "postgres:read-committed");
  const [anomaly] = found.anomalies;
  assert.ok(anomaly);
  const script = await generated(found, anomaly, "sql");
  assert.ok(script.ok);
  assert.doesNotMatch(script.text, /CREATE TRIGGER|INTO k|:amount/);
  assert.match(script.text, /UPDATE account SET .*version = /);
  assert.match(script.text, /UPDATE stats SET moves = .*1/);
  const refused = await generated(found, anomaly, "ts");
  assert.ok(!refused.ok);
  assert.match(refused.reason, /^deposit: the server itself runs the triggers of account/);
});
