// An insertion that is refused depends on who took the key, also where each row has a generated primary key.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, sql } from "./analyse";

/** The severities of what is told, and the reasons of what is undecided. */
async function told(text: string, level: string): Promise<string> {
  const { anomalies, unknown } = await analyse([sql(text)], level, 2);
  const severities = anomalies.flatMap(({ severity }) => (severity === "unused" ? [] : severity));
  return [...new Set([...severities, ...unknown.map(({ reason }) => reason)])].join();
}

const TAG = "CREATE TABLE tag (id serial PRIMARY KEY, name text NOT NULL UNIQUE);";

/** A tag is looked up, inserted where there is none, and looked up again. */
function lookUp(insert: string): string {
  return `${TAG} CREATE FUNCTION f(s text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN SELECT id INTO x FROM tag WHERE name = s;
IF x IS NULL THEN ${insert} SELECT id INTO x FROM tag WHERE name = s; END IF; RETURN CASE WHEN x IS NULL THEN 0 ELSE 1 END; END $$;`;
}

const CAUGHT =
  "BEGIN INSERT INTO tag (name) VALUES (s); EXCEPTION WHEN unique_violation THEN NULL; END;";

function inMariadb(insert: string, handler = ""): string {
  return `-- @isolens dialect mariadb
create table tag (id int auto_increment primary key, name varchar(20) not null unique) engine=innodb;
delimiter //
create procedure f(in s varchar(20), out r int)
begin
  declare x int;
  ${handler}
  start transaction;
  select id into x from tag where name = s;
  if x is null then
    ${insert}
    select id into x from tag where name = s;
  end if;
  set r = if(x is null, 0, 1);
  commit;
end //
delimiter ;`;
}

const INSERT = "insert into tag (name) values (s);";

describe("a unique key that another one has taken, behind a generated primary key", () => {
  const cases = [
    ["is caught", lookUp(CAUGHT), "postgres:repeatable-read", "value"],
    ["is caught, and seen by the next snapshot", lookUp(CAUGHT), "postgres:read-committed", ""],
    ["is caught, and found by the server", lookUp(CAUGHT), "postgres:serializable", ""],
    ["ends the transaction", lookUp(INSERT), "postgres:repeatable-read", ""],
    [
      "is caught by a handler",
      inMariadb(INSERT, "declare continue handler for 1062 begin end;"),
      "mariadb:repeatable-read",
      "value",
    ],
    [
      "is ignored",
      inMariadb(INSERT.replace("insert", "insert ignore")),
      "mariadb:repeatable-read",
      "value",
    ],
    [
      "is ignored, and seen by the next snapshot",
      inMariadb(INSERT.replace("insert", "insert ignore")),
      "mariadb:read-committed",
      "",
    ],
  ] as const;
  for (const [name, text, level, answer] of cases)
    it(`${name} at ${level}`, async () => {
      assert.equal(await told(text, level), answer);
    });
});
