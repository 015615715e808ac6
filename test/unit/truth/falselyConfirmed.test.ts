// An execution that no server has is not confirmed: each class with a program that was once told as an anomaly, or could not be run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LevelReport } from "../../../server/src/protocol/report";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { analyse, sql } from "./analyse";

const RC = "postgres:read-committed";

/** Those in which something comes out that no order gives: a row that is only looked at may be another one. */
async function confirmedAt(level: string, text: string): Promise<LevelReport["anomalies"]> {
  const report = await analyse([sql(text)], level, 2);
  return report.anomalies.filter(
    ({ status, severity }) => status === "confirmed" && severity !== "unused",
  );
}

const ACCOUNTS = "create table acc (id int primary key, v int not null);\n";
const TRANSFER = `-- @transaction mv
BEGIN;
UPDATE acc SET v = v - 5 WHERE id = 1;
UPDATE acc SET v = v + 5 WHERE id = 3;
COMMIT;
`;

/** Reads two rows one after the other, and is declared as said. */
const reading = (volatility: string): string => `${ACCOUNTS}${TRANSFER}
create function tot() returns int language plpgsql ${volatility} as $$
declare r int; q int;
begin
  select v into r from acc where id = 1;
  select v into q from acc where id = 3;
  return r + q;
end $$;
`;

describe("functions that are no VOLATILE ones read the snapshot of who calls them", () => {
  for (const volatility of ["stable", "immutable", "STABLE PARALLEL SAFE"])
    it(volatility, async () => {
      assert.deepEqual(await confirmedAt(RC, reading(volatility)), []);
    });
  const branching = (volatility: string): string => `${ACCOUNTS}
create function bal(p int) returns int language plpgsql ${volatility} as $$
declare a int; b int;
begin
  select v into a from acc where id = p;
  if a > 5 then select sum(v) into b from acc; else select max(v) into b from acc; end if;
  return b;
end $$;
-- @transaction add
BEGIN;
UPDATE acc SET v = v + :n WHERE id = :p;
COMMIT;
-- @transaction tell
BEGIN;
SELECT bal(1);
COMMIT;
`;
  it("called in a transaction, several queries of which one decides which is asked", async () => {
    assert.deepEqual(await confirmedAt(RC, branching("stable")), []);
    assert.notDeepEqual(await confirmedAt(RC, branching("")), []);
  });
  for (const volatility of ["", "volatile"])
    it(`${volatility || "nothing"}: each statement its own`, async () => {
      assert.equal((await confirmedAt(RC, reading(volatility))).length, 1);
    });
});

describe("arguments without a type have that of the column that they are put into", () => {
  const inserting = (query: string): string => `${ACCOUNTS}
-- @transaction t
BEGIN;
INSERT INTO acc (id, v) ${query};
COMMIT;
`;
  for (const query of [
    "SELECT :p, 1 WHERE NOT EXISTS (SELECT 1 FROM acc WHERE v = 1)",
    "SELECT 7, 2 WHERE false UNION ALL SELECT :p, 1 WHERE NOT EXISTS (SELECT 1 FROM acc WHERE v = 1)",
  ])
    it(query, async () => {
      const anomalies = await confirmedAt(RC, inserting(query));
      for (const { witness } of anomalies)
        for (const each of witness.instances)
          assert.notEqual(typeof ownEntry(each.arguments, "p"), "string");
    });
});

describe("queries outside of SELECT lock what they read in InnoDB, at every level", () => {
  const LEVELS = ["mariadb:read-committed", "mariadb:repeatable-read"];
  const TABLE = "-- @isolens dialect mariadb\n" + ACCOUNTS.replace(";", " engine=innodb;");
  const script = (read: string): string => `${TABLE}
-- @transaction f
START TRANSACTION;
${read}
UPDATE acc SET v = @x + 1 WHERE id = 1;
COMMIT;
`;
  const procedure = (read: string): string => `${TABLE}
delimiter //
create procedure f()
begin
  declare x int;
  start transaction;
  ${read}
  commit;
end //
delimiter ;
`;
  const read = "(select v from acc where id = 1)";
  const cases = {
    "SET @x": script(`SET @x = ${read};`),
    "SET x": procedure(`set x = ${read}; update acc set v = x + 1 where id = 1;`),
    IF: procedure(`if ${read} = 0 then update acc set v = 5 where id = 1;
      else update acc set v = 6 where id = 1; end if;`),
    "IF EXISTS": procedure(`if exists(select 1 from acc where id = 1 and v = 0) then
      update acc set v = 5 where id = 1; else update acc set v = 6 where id = 1; end if;`),
    CASE: procedure(`case ${read} when 0 then update acc set v = 5 where id = 1;
      else update acc set v = 6 where id = 1; end case;`),
  };
  for (const level of LEVELS) {
    for (const [name, text] of Object.entries(cases))
      it(`${name} at ${level}`, async () => {
        assert.deepEqual(await confirmedAt(level, text), []);
      });
    it(`SELECT ... INTO at ${level} does not`, async () => {
      const text = procedure(
        "select v into x from acc where id = 1; update acc set v = x + 1 where id = 1;",
      );
      assert.equal((await confirmedAt(level, text)).length, 1);
    });
  }
});

describe("unique keys refuse what a change of a row brings under them", () => {
  const open = "if not exists (select 1 from slot where u = q and active) then";
  const changes = {
    "UPDATE of what a partial index asks for":
      "update slot set active = true where id = p and u = q;",
    "ON CONFLICT DO UPDATE of it":
      "insert into slot values (p, q, false) on conflict (id) do update set active = true where slot.u = q;",
  };
  const plain = "insert into slot values (p, q, true) on conflict (id) do update set u = q;";
  const program = (index: string, change: string): string => `
create table slot (id int primary key, u int not null, active boolean not null);
${index}
create function f(p int, q int) returns void language plpgsql as $$
begin
  ${open}
    ${change}
  end if;
end $$;
`;
  for (const [name, change] of Object.entries(changes)) {
    it(name, async () => {
      const index = "create unique index on slot (u) where active;";
      assert.deepEqual(await confirmedAt(RC, program(index, change)), []);
    });
    it(`${name}, without the index`, async () => {
      assert.notDeepEqual(await confirmedAt(RC, program("", change)), []);
    });
  }
  it("ON CONFLICT DO UPDATE of another key", async () => {
    const index = "alter table slot add unique (u);";
    assert.deepEqual(await confirmedAt(RC, program(index, plain)), []);
    assert.notDeepEqual(await confirmedAt(RC, program("", plain)), []);
  });
});

describe("rows that TRUNCATE has taken are not there for older snapshots", () => {
  const emptying = (how: string): string => `${ACCOUNTS}
create function f() returns void language plpgsql as $$ begin ${how} acc; end $$;
create function h(i int) returns int language plpgsql as $$
declare x int;
begin
  select count(*) into x from acc;
  insert into acc (id, v) values (i, x);
  return x;
end $$;
`;
  const pairs = async (how: string): Promise<number> => {
    const anomalies = await confirmedAt("postgres:repeatable-read", emptying(how));
    return anomalies.filter(({ transactions }) => transactions.includes("f")).length;
  };
  it("TRUNCATE", async () => {
    assert.equal(await pairs("truncate"), 0);
  });
  it("DELETE leaves them", async () => {
    assert.notEqual(await pairs("delete from"), 0);
  });
});

describe("names that PL/pgSQL refuses are neither safe nor confirmed", () => {
  const program = (option: string): string => `${ACCOUNTS}
create function f(p int) returns void language plpgsql as $$ ${option}
declare v int;
begin
  select v into v from acc where id = p;
  update acc set v = 1 where id = p;
end $$;
`;
  it("a column and a variable", async () => {
    const report = await analyse([sql(program(""))], RC, 2);
    assert.match(JSON.stringify(report.unknown), /is a column and a variable/);
  });
  it("an option decides", async () => {
    const report = await analyse([sql(program("\n#variable_conflict use_column"))], RC, 2);
    assert.doesNotMatch(JSON.stringify(report.unknown), /is a column and a variable/);
  });
  it("an option is none in a text of the body", async () => {
    const own = program("").replace(
      "begin\n",
      `begin\n perform '\n#variable_conflict use_column';\n`,
    );
    const report = await analyse([sql(own)], RC, 2);
    assert.match(JSON.stringify(report.unknown), /is a column and a variable/);
  });
});

describe("a STABLE function of one query is a part of the statement that calls it", () => {
  const program = (definition: string, body: string): string => `
create table acc (id int primary key, v int not null);
${definition}
-- @transaction mv
BEGIN;
UPDATE acc SET v = v - 5 WHERE id = 1;
UPDATE acc SET v = v + 5 WHERE id = 3;
COMMIT;
-- @transaction rd
BEGIN;
${body}
COMMIT;
`;
  const ONE = "select v from acc where id = k";
  const SCALAR = `create function f(k int) returns int language sql stable as $$ ${ONE} $$;`;
  for (const [name, definition, body] of [
    ["twice in an expression", SCALAR, "SELECT f(1) + f(3);"],
    [
      "in PL/pgSQL",
      `create function f(k int) returns int language plpgsql stable as $$ begin return (${ONE}); end $$;`,
      "SELECT f(1) + f(3);",
    ],
    [
      "in FROM, rows of a table",
      "create function f() returns setof acc language sql stable as $$ select * from acc where id = 1 $$;",
      "SELECT f.v, a.v FROM f() f, acc a WHERE a.id = 3;",
    ],
    [
      "in FROM, columns of its own",
      "create function f() returns table (a int, b int) language sql stable as $$ select id, v from acc where id = 1 $$;",
      "SELECT f.b, a.v FROM f() f, acc a WHERE a.id = 3;",
    ],
  ] as const)
    it(name, async () => {
      const report = await analyse([sql(program(definition, body))], "postgres:read-committed", 2);
      assert.equal(report.verdict, "safe");
    });

  it("a VOLATILE one sees what was committed since", async () => {
    const definition = SCALAR.replace(" stable", "");
    const text = program(definition, "SELECT f(1) + f(3);");
    const report = await analyse([sql(text)], "postgres:read-committed", 2);
    assert.equal(report.verdict, "anomaly");
  });
});

describe("statements of which only keyword and tables are known are not executed", () => {
  const lost = (trigger: string): string => `${ACCOUNTS}${trigger}
-- @transaction add
BEGIN;
SELECT v AS x FROM acc WHERE id = :id \\gset
UPDATE acc SET v = :x + 1 WHERE id = :id;
COMMIT;
`;
  const capped =
    "create trigger capped before update on acc for each row execute function elsewhere();";

  it("an update that fires a trigger of which the function is not known", async () => {
    const report = await analyse([sql(lost(capped))], RC, 2);
    const [possible] = report.anomalies;
    assert.equal(possible?.status, "unconfirmed");
    assert.match(possible.reason ?? "", /a statement is not understood: the trigger capped/u);
    assert.equal(report.verdict, "unknown");
  });

  it("without the trigger it is confirmed, and with one of another event", async () => {
    assert.notDeepEqual(await confirmedAt(RC, lost("")), []);
    assert.notDeepEqual(await confirmedAt(RC, lost(capped.replace("update", "insert"))), []);
  });

  it("an update that fires a trigger of MySQL of which a session decides what it does", async () => {
    const text = `create table acc (id int primary key, v int not null) engine=innodb;
delimiter //
create trigger capped before update on acc for each row begin if new.v > @most then set new.v = 5; end if; end //
create procedure bump(in p int)
begin
  declare x int;
  start transaction;
  select v into x from acc where id = p;
  update acc set v = x + 1 where id = p;
  commit;
end //
delimiter ;
`;
    assert.deepEqual(await confirmedAt("mariadb:read-committed", text), []);
    const without = text.replace(/create trigger[^\n]*\n/u, "");
    for (const known of [without, text.replace("@most", "5")])
      assert.notDeepEqual(await confirmedAt("mariadb:read-committed", known), []);
  });

  it("a script behind LOCK TABLES of MySQL", async () => {
    const text = `create table acc (id int primary key, v int not null) engine=innodb;
-- @transaction bump
LOCK TABLES acc WRITE;
SELECT v INTO @x FROM acc WHERE id = :id;
UPDATE acc SET v = @x + 1 WHERE id = :id;
UNLOCK TABLES;
`;
    const level = "mariadb:repeatable-read";
    const report = await analyse([sql(text)], level, 2);
    assert.equal(report.verdict, "unknown");
    assert.deepEqual(await confirmedAt(level, text), []);
    assert.notDeepEqual(await confirmedAt(level, text.replace(/^(?:UN)?LOCK.*$/gmu, "")), []);
  });

  it("a routine with a part in front that is not understood", async () => {
    const bump = (front: string, behind: string): string =>
      `create table acc (id int primary key, v int not null) engine=innodb;
delimiter //
create procedure bump(in p int)
begin
  declare x int;
  start transaction;
  ${front}
  select v into x from acc where id = p;
  update acc set v = x + 1 where id = p;
  ${behind}
  commit;
end //
delimiter ;
`;
    const level = "mariadb:read-committed";
    const setting = "set session innodb_strict_mode = off;";
    const report = await analyse([sql(bump(setting, ""))], level, 2);
    const [possible] = report.anomalies;
    assert.equal(possible?.status, "unconfirmed");
    assert.match(possible.reason ?? "", /not all of it is understood: what innodb_strict_mode/u);
    assert.equal(report.verdict, "unknown");
    assert.notDeepEqual(await confirmedAt(level, bump("", setting)), []);
  });

  it("a start that breaks what is stated of sums and counts", async () => {
    const text = `create table acc (id int primary key, owner int not null, v int not null);
create function bump(p int) returns void language plpgsql as $$
declare x int;
begin
  select v into x from acc where id = p;
  update acc set v = x + 1 where id = p;
end $$;
create function move(a int, b int) returns void language plpgsql as $$
begin
  update acc set v = v - 1 where id = a;
  update acc set v = v + 1 where id = b;
end $$;
`;
    const stated = (invariant: string): string => `-- @isolens invariant ${invariant}\n${text}`;
    for (const invariant of ["(select sum(v) from acc) >= 7", "(select count(*) from acc) <= 5"]) {
      const { anomalies } = await analyse([sql(stated(invariant))], RC, 2);
      const found = anomalies.filter(({ status }) => status === "confirmed");
      assert.notDeepEqual(found, [], invariant);
    }
    const { anomalies, refusals } = await analyse([sql(stated("(select count(*) from acc) >= 5"))], RC, 2); // prettier-ignore
    assert.deepEqual([...new Set(anomalies.map(({ status }) => status))], ["unconfirmed"]);
    assert.match(anomalies[0]?.reason ?? "", /starts from rows that break the invariant/u);
    assert.deepEqual(refusals ?? [], []);
  });
});

describe("what a window function gives is compared with nothing where it is not followed", () => {
  // The rank of the row may be what stands for its absence.
  const ranked = (what: string): string => `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table told (id int primary key, r int) engine=innodb;
-- @transaction tell
BEGIN;
INSERT INTO told SELECT 1, count(*) FROM acc WHERE id = 1;
INSERT INTO told SELECT 2, coalesce((SELECT t.r FROM (SELECT id, ${what} AS r FROM acc) t WHERE t.id = 1), 1);
COMMIT;
-- @transaction del
BEGIN;
DELETE FROM acc WHERE id = 1;
COMMIT;
`;
  const LEVEL = "mariadb:read-committed";
  it("row_number()", async () => {
    assert.deepEqual(await confirmedAt(LEVEL, ranked("row_number() over (order by v)")), []);
  });
  it("a column is", async () => {
    assert.notDeepEqual(await confirmedAt(LEVEL, ranked("v")), []);
  });
});
