// Keys and rows of a table say nothing of its namesakes in other schemas and databases.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, sql } from "./analyse";

/** True if something is confirmed, false if the program is safe. */
async function found(text: string, level: string): Promise<boolean> {
  const { verdict, anomalies } = await analyse([sql(text)], level, 2);
  assert.ok(verdict === "anomaly" || verdict === "safe", verdict);
  for (const each of anomalies) assert.equal(each.status, "confirmed");
  return verdict === "anomaly";
}

const KEYED = "(id int PRIMARY KEY, name int NOT NULL UNIQUE, n int NOT NULL)";
const PLAIN = "(id int PRIMARY KEY, name int NOT NULL, n int NOT NULL)";

/** A name is looked up before it is inserted: a race unless a key keeps the second one out. */
const add = (table: string): string => `
  IF NOT EXISTS (SELECT 1 FROM ${table} WHERE name = p_name) THEN
    INSERT INTO ${table} (id, name, n) VALUES (p_id, p_name, 0);
  END IF;`;

describe("PostgreSQL's schemas", () => {
  const level = "postgres:repeatable-read";
  const adding = (table: string, settings = ""): string => `
CREATE FUNCTION add(p_id int, p_name int) RETURNS void LANGUAGE plpgsql ${settings} AS $$
BEGIN ${add(table)} END $$;`;

  it("have keys of their own", async () => {
    const tables = `CREATE TABLE auth.users ${KEYED}; CREATE TABLE users ${PLAIN};`;
    assert.equal(await found(tables + adding("users"), level), true);
    assert.equal(await found(tables + adding("public.users"), level), true);
    assert.equal(await found(tables + adding("auth.users"), level), false);
    const ofAuth = "SET search_path = auth, public";
    assert.equal(await found(tables + adding("users", ofAuth), level), false);
    assert.equal(await found(`${tables}${ofAuth};${adding("users")}`, level), false);
  });

  it("have rows of their own", async () => {
    const both = (other: string): string => `
CREATE TABLE auth.users ${PLAIN};
CREATE TABLE users ${PLAIN};
CREATE FUNCTION f(i int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE m int;
BEGIN
  SELECT n INTO m FROM users WHERE id = i;
  UPDATE ${other} SET n = m + 1 WHERE id = i;
  RETURN m;
END $$;`;
    const weak = "postgres:read-committed";
    assert.equal(await found(both("users"), weak), true);
    assert.equal(await found(both("auth.users"), weak), false);
  });
});

describe("MySQL's databases", () => {
  const tables = `CREATE TABLE a.t ${KEYED} ENGINE=InnoDB; CREATE TABLE b.t ${PLAIN} ENGINE=InnoDB;`;
  const adding = (name: string, table: string): string => `
DELIMITER //
CREATE PROCEDURE ${name}(p_id INT, p_name INT)
BEGIN
  START TRANSACTION; ${add(table)}
  COMMIT;
END //
DELIMITER ;
`;

  it("have keys of their own", async () => {
    const level = "mariadb:read-committed";
    for (const [place, isRace] of [
      ["a", false],
      ["b", true],
    ] as const)
      // prettier-ignore
      for (const text of [
        adding("p", `${place}.t`),
        adding(`${place}.p`, "t"),
        `USE ${place};${adding("p", "t")}`,
      ])
        assert.equal(await found(`-- MySQL\n${tables}\n${text}`, level), isRace, text);
  });
});
