// Parts of MySQL and MariaDB that are not followed are named, and nothing is called safe behind them.
import {
  ACC,
  READ_LOCKED,
  WRITE_BACK,
  withTables,
  type Case,
  checked,
  script,
  procedure,
} from "./mysqlCases";

function besides(text: string, definitions = ""): string {
  return `${withTables(`${ACC} engine=innodb;`)}\n${definitions}\n${text}`;
}

checked("what is not followed", [
  ...[
    "SET SESSION default_storage_engine = MyISAM",
    "SET @@session.completion_type = 1",
    "SET sql_select_limit = 1, @a = 2",
    "SET @a = 1, low_priority_updates = 1",
    "SET STATEMENT max_statement_time = 1 FOR UPDATE acc SET v = 1",
    "SET innodb_snapshot_isolation = ON",
  ].map((statement): Case => ({
    name: statement,
    text: script("START TRANSACTION", statement, READ_LOCKED, WRITE_BACK, "COMMIT"),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /not followed/,
  })),
  {
    name: "a setting that a procedure changes",
    text: procedure(
      "start transaction",
      "set session sql_select_limit = 1",
      "update acc set v = v - 1 where id = p",
      "commit",
    ),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /sql_select_limit/,
  },
  {
    name: "not the settings of a dump",
    text: script(
      "SET NAMES utf8mb4",
      "SET FOREIGN_KEY_CHECKS = 0, SQL_MODE = 'NO_AUTO_VALUE_ON_ZERO'",
      "SET @@session.time_zone = '+00:00'",
      "SET @old = @@sql_notes",
      "START TRANSACTION",
      READ_LOCKED,
      WRITE_BACK,
      "COMMIT",
    ),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
  {
    name: "a trigger",
    text: besides("CREATE TRIGGER t BEFORE UPDATE ON acc FOR EACH ROW SET NEW.v = 1;"),
    level: "mariadb:serializable",
    verdict: "safe",
  },
  {
    name: "REPLACE of a row that others refer to",
    text: `create table parent (id int primary key, n int not null) engine=innodb;
create table child (id int primary key, p int, foreign key (p) references parent (id) on delete cascade) engine=innodb;
-- @transaction put
START TRANSACTION;
REPLACE INTO parent VALUES (1, 5);
COMMIT;
`,
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /replacing rows of parent also changes child/,
  },
  {
    name: "a trigger that asks its session",
    text: besides("CREATE TRIGGER t BEFORE UPDATE ON acc FOR EACH ROW SET NEW.v = @x;"),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /trigger/,
  },
  {
    name: "an event",
    text: besides("CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO UPDATE acc SET v = 0;"),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /event/,
  },
  {
    name: "a generated column",
    text: script(
      "START TRANSACTION",
      "SELECT w INTO @w FROM gen WHERE id = 1 FOR UPDATE",
      "UPDATE gen SET v = @w WHERE id = 1",
      "COMMIT",
    ).replace(
      "-- @tr",
      "create table gen (id int primary key, v int, w int as (v + 1) stored);\n-- @tr",
    ),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /generated column/,
  },
  {
    name: "partitions that a statement names",
    text: script("START TRANSACTION", "UPDATE acc PARTITION (p0) SET v = 1 WHERE id = 1", "COMMIT"),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /PARTITION/,
  },
  {
    name: "a function that is not known",
    text: script(
      "START TRANSACTION",
      "UPDATE acc SET v = 1 WHERE id = 1",
      "DO strange(1)",
      "COMMIT",
    ),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /strange/,
  },
  {
    name: "what a foreign key updates",
    text: script("START TRANSACTION", "UPDATE acc SET id = :next WHERE id = :id", "COMMIT").replace(
      "-- @tr",
      "create table own (id int primary key, acc int, foreign key (acc) references acc (id) on update cascade);\n-- @tr",
    ),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /also changes own/,
  },
]);

checked("UPDATE of several tables", [
  {
    name: "nothing commits between its parts",
    text: `-- @isolens dialect mariadb
create table ord (id int primary key, st int not null) engine=innodb;
create table line (id int primary key, ord int not null, st int not null) engine=innodb;
-- @transaction ship
START TRANSACTION;
UPDATE ord o JOIN line l ON l.ord = o.id SET o.st = 1, l.st = 1 WHERE o.id = :p AND o.st = 0;
COMMIT;
-- @transaction add
START TRANSACTION;
INSERT INTO line VALUES (:id, :p, 0);
COMMIT;
`,
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /an UPDATE of several tables that reads what it changes/,
  },
]);

// Measured on MariaDB 10.11: what IGNORE passes by is a warning with its number and SQLSTATE, which handlers take up but those of SQLEXCEPTION.
const ignoring = (condition: string): string =>
  procedure(
    `declare exit handler for ${condition} rollback`,
    "start transaction",
    "insert ignore into acc values (p, 1)",
    "insert ignore into tot select id, v from acc where id = 7",
    "commit",
  );

checked("warnings of INSERT IGNORE", [
  ...["1062", "sqlstate '23000'", "1452", "sqlwarning"].map((condition): Case => ({
    name: `run a handler for ${condition}`,
    text: ignoring(condition),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /INSERT IGNORE whose warnings run a handler/,
  })),
  {
    name: "run none for SQLEXCEPTION",
    text: ignoring("sqlexception"),
    level: "mariadb:serializable",
    verdict: "safe",
  },
]);
