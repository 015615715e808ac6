// Sessions that keep or lose something at other points than the end of a transaction, and numbers that a server refuses.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LevelReport } from "../../../server/src/protocol/report";
import { analyse, sql } from "./analyse";

const RR = "mariadb:repeatable-read";
const HEAD = `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null, n int unsigned not null default 0) engine=innodb;
`;

function told(body: string, level: string): Promise<LevelReport> {
  return analyse([sql(body)], level, 2);
}

function procedure(...lines: readonly string[]): string {
  const body = lines.map((each) => `  ${each}\n`).join("");
  return `${HEAD}delimiter //\ncreate procedure f(in p int, in q int)\nbegin\n  declare b int; declare ok int;\n${body}end //\ndelimiter ;\n`;
}

/** The kinds of those in which something comes out that no order gives. */
function confirmedIn({ anomalies }: LevelReport): readonly string[] {
  return anomalies
    .filter(({ status, severity }) => status === "confirmed" && severity !== "unused")
    .map(({ kind }) => kind);
}

const READ_LOCKED = "select v into b from acc where id = p for update;";
const READ = "select v into b from acc where id = p;";
const WRITE = "update acc set v = b - q where id = p;";

describe("a savepoint of InnoDB before the first statement: a return to it ends all locks", () => {
  const returning = (...between: readonly string[]): string =>
    procedure("start transaction;", ...between, WRITE, "commit;");
  for (const level of [RR, "mariadb:read-committed"])
    it(`is not called safe at ${level}`, async () => {
      const report = await told(
        returning("savepoint s;", READ_LOCKED, "rollback to s;", READ),
        level,
      );
      assert.equal(report.verdict, "unknown");
      assert.match(report.unknown.map(({ reason }) => reason).join(), /before the first statement/);
    });

  it("keeps them where a statement stands before it", async () => {
    const report = await told(
      returning(
        READ_LOCKED,
        "savepoint s;",
        "update acc set v = 0 where id = p;",
        "rollback to s;",
      ),
      RR,
    );
    assert.equal(report.verdict, "safe");
  });

  it("opens another snapshot, so that nothing older is read", async () => {
    const text = returning(
      "savepoint s;",
      "select v into ok from acc where id = q;",
      "rollback to s;",
      READ_LOCKED,
      READ,
    );
    assert.deepEqual(confirmedIn(await told(text, RR)), []);
  });
});

describe("a lock of the session around a transaction", () => {
  it("of MariaDB is not taken to end with the statement", async () => {
    const guarded = (key: string): string =>
      procedure(
        `select get_lock(${key}, 5) into ok;`,
        "if ok = 1 then",
        "start transaction;",
        READ,
        WRITE,
        "commit;",
        `do release_lock(${key});`,
        "end if;",
      );
    const of = (key: string): Promise<LevelReport> => told(guarded(key), "mariadb:read-committed");
    const same = await of("concat('acc', p)");
    assert.deepEqual([confirmedIn(same), same.verdict], [[], "unknown"]);
    assert.deepEqual(confirmedIn(await of("concat('acc', q)")), ["lost-update"]);
  });

  it("of PostgreSQL is not, either", async () => {
    const unit = (key: string): string => `create table acc (id int primary key, v int not null);
create procedure f(p int, q int) language plpgsql as $$
declare b int;
begin
  perform pg_advisory_lock(${key});
  commit;
  select v into b from acc where id = p;
  update acc set v = b - q where id = p;
  commit;
  perform pg_advisory_unlock(${key});
end $$;`;
    const report = await told(unit("p"), "postgres:read-committed");
    assert.deepEqual([confirmedIn(report), report.verdict], [[], "unknown"]);
  });
});

describe("an UNSIGNED column of MySQL takes no negative number", () => {
  const taking = (change: string): string =>
    procedure(
      "start transaction;",
      "select n into b from acc where id = p;",
      "if b >= q then update acc set n = n - q where id = p; end if;",
      "commit;",
    ).replace("delimiter //", `${change}\ndelimiter //`);
  const titles = async (change: string): Promise<string> =>
    (await told(taking(change), RR)).anomalies.map(({ title }) => title).join("; ");

  it("so that the server refuses what is taken too much", async () => {
    assert.doesNotMatch(await titles(""), /taken out of|below zero/);
  });
  it("until it is signed", async () => {
    assert.match(await titles("alter table acc modify n int not null;"), /taken out of|below zero/);
  });
});
