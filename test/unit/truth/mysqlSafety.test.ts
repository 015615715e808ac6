// Behaviour that MySQL and MariaDB have and no other product: where it lets something through, nothing is called safe.
import {
  withTables,
  ACC,
  READ_LOCKED,
  WRITE_BACK,
  type Case,
  checked,
  script,
  procedure,
} from "./mysqlCases";

const LOCKED_THEN_READ = [
  "SELECT v FROM acc WHERE id = 1 FOR UPDATE",
  "SELECT sum(v) FROM acc",
  "UPDATE acc SET v = v + 1 WHERE id = 1",
  "COMMIT",
];

checked("WITH CONSISTENT SNAPSHOT", [
  {
    name: "reads behind a lock see what was there at BEGIN",
    text: script("START TRANSACTION WITH CONSISTENT SNAPSHOT", ...LOCKED_THEN_READ),
    level: "mariadb:repeatable-read",
    verdict: "anomaly",
    why: /non-repeatable-read/,
  },
  {
    name: "also of MySQL, beside other modes, under a level that a comment gives",
    text: script(
      "-- @isolens level mysql:repeatable-read\nSTART TRANSACTION READ WRITE, WITH CONSISTENT SNAPSHOT",
      ...LOCKED_THEN_READ,
    ).replace("dialect mariadb", "dialect mysql"),
    level: "mysql:read-committed",
    verdict: "anomaly",
  },
  {
    name: "in a procedure, behind SET TRANSACTION",
    text: procedure(
      "declare b int",
      "set transaction isolation level repeatable read",
      "start transaction with consistent snapshot",
      "select v into b from acc where id = p for update",
      "select v into b from acc where id = p",
      "update acc set v = b - 1 where id = p",
      "commit",
    ),
    level: "mariadb:read-committed",
    verdict: "anomaly",
  },
  {
    name: "in a unit",
    text: script(
      "START TRANSACTION WITH CONSISTENT SNAPSHOT",
      ...LOCKED_THEN_READ,
      "UPDATE tot SET s = 1 WHERE id = 1",
    ).replace("@transaction a", "@isolens unit a"),
    level: "mariadb:repeatable-read",
    verdict: "anomaly",
  },
  {
    name: "at READ COMMITTED it means nothing",
    text: script("START TRANSACTION WITH CONSISTENT SNAPSHOT", ...LOCKED_THEN_READ),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
  {
    name: "without it the snapshot is taken behind the lock",
    text: script("START TRANSACTION", ...LOCKED_THEN_READ),
    level: "mariadb:repeatable-read",
    verdict: "safe",
  },
]);

function handled(handler: string): string {
  return procedure(
    "declare b int",
    handler,
    "start transaction",
    "select v into b from acc where id = p lock in share mode",
    "update acc set v = b - 1 where id = p",
    "update tot set s = s + 1 where id = 3",
    "commit",
  );
}

const GOES_ON = /handler acts on .*deadlock|a lock that does not come|behind the ROLLBACK/;

checked("handlers of refused locks", [
  ...[
    "declare continue handler for sqlstate '40001' begin end",
    "declare continue handler for 1213 begin end",
    "declare continue handler for 1205 set b = 0",
    "declare continue handler for sqlexception set b = 0",
    "declare exit handler for sqlexception set b = 0",
    "declare exit handler for 1205 set b = 0",
    "declare continue handler for sqlexception rollback",
    "declare deadlock condition for 1213; declare continue handler for deadlock begin end",
  ].map((handler): Case => ({
    name: handler,
    text: handled(handler),
    level: "mariadb:repeatable-read",
    verdict: "unknown",
    why: GOES_ON,
  })),
  {
    name: "at SERIALIZABLE, too, where every read may be refused",
    text: handled("declare continue handler for 1213 begin end"),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: GOES_ON,
  },
  {
    name: "an EXIT handler that rolls back ends what the deadlock has ended",
    text: handled("declare exit handler for sqlexception begin rollback; resignal; end"),
    level: "mariadb:repeatable-read",
    verdict: "safe",
  },
  {
    name: "a handler of other errors does not run",
    text: handled("declare continue handler for not found set b = 0"),
    level: "mariadb:repeatable-read",
    verdict: "safe",
  },
]);

function committedBy(statement: string): string {
  return script("START TRANSACTION", READ_LOCKED, statement, WRITE_BACK, "COMMIT");
}

checked("implicit commits", [
  ...[
    "TRUNCATE tot",
    "TRUNCATE TABLE tot",
    "ALTER TABLE tot ADD COLUMN more int",
    "CREATE TABLE other (id int primary key)",
    "CREATE OR REPLACE VIEW seen AS SELECT v FROM acc",
    "DROP TABLE IF EXISTS other",
    "RENAME TABLE tot TO sums",
    "GRANT SELECT ON acc TO somebody",
    "ANALYZE TABLE acc",
    "FLUSH TABLES",
    "START TRANSACTION",
    "BEGIN",
  ].map((statement): Case => ({
    name: statement,
    text: committedBy(statement),
    level: "mariadb:serializable",
    verdict: "anomaly",
    why: /lost-update/,
  })),
  ...[
    "CREATE TEMPORARY TABLE other (id int primary key)",
    "DROP TEMPORARY TABLE IF EXISTS other",
    "SET autocommit = 1",
    "UNLOCK TABLES",
    "SAVEPOINT here",
  ].map((statement): Case => ({
    name: `none by ${statement}`,
    text: committedBy(statement),
    level: "mariadb:read-committed",
    verdict: "safe",
  })),
  {
    // It commits, and what it keeps out from there on is not followed.
    name: "LOCK TABLES acc WRITE",
    text: committedBy("LOCK TABLES acc WRITE"),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /a possible anomaly [^\n]* is not confirmed: [^\n]*LOCK TABLES/,
  },
  {
    name: "without autocommit what follows is the next transaction",
    text: script("SET autocommit = 0", READ_LOCKED, "TRUNCATE tot", WRITE_BACK, "COMMIT"),
    level: "mariadb:read-committed",
    verdict: "anomaly",
  },
  {
    name: "at the end of a transaction nothing comes between",
    text: script("START TRANSACTION", READ_LOCKED, WRITE_BACK, "TRUNCATE tot", "COMMIT"),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
  {
    name: "in a procedure that begins no transaction",
    text: procedure(
      "declare b int",
      "select v into b from acc where id = p for update",
      "truncate tot",
      "update acc set v = b - 1 where id = p",
    ),
    level: "mariadb:read-committed",
    verdict: "anomaly",
  },
  {
    name: "in a branch of a procedure",
    text: procedure(
      "declare b int",
      "start transaction",
      "select v into b from acc where id = p for update",
      "if b > 3 then truncate tot; end if",
      "update acc set v = b - 1 where id = p",
      "commit",
    ),
    level: "mariadb:read-committed",
    verdict: "unknown",
  },
  {
    name: "by BEGIN in the middle of a procedure's transaction",
    text: procedure(
      "declare b int",
      "start transaction",
      "select v into b from acc where id = p for update",
      "start transaction",
      "update acc set v = b - 1 where id = p",
      "commit",
    ),
    level: "mariadb:serializable",
    verdict: "anomaly",
  },
  {
    name: "a procedure without autocommit reads and writes in its second transaction",
    text: procedure(
      "declare b int",
      "set autocommit = 0",
      "select v into b from acc where id = p for update",
      "commit",
      "select v into b from acc where id = p",
      "update acc set v = b - 1 where id = p",
      "commit",
    ),
    level: "mariadb:read-committed",
    verdict: "anomaly",
  },
]);

checked("engines and options of tables", [
  ...["MyISAM", "memory", "`Aria`", "CSV", "HEAP"].map((engine): Case => ({
    name: engine,
    text: withTables(`${ACC} engine = ${engine};`),
    level: "mariadb:read-committed",
    verdict: "anomaly",
    why: /lost-update/,
  })),
  {
    name: "an engine that ALTER TABLE gives",
    text: withTables(
      `${ACC} engine=InnoDB comment 'x';\nalter table acc row_format=dynamic, engine=myisam;`,
    ),
    level: "mariadb:serializable",
    verdict: "anomaly",
  },
  ...[
    "engine=rocksdb",
    "partition by hash(id) partitions 4",
    "engine=innodb with system versioning",
    "engine=innodb some_new_option=1",
  ].map((options): Case => ({
    name: options,
    text: withTables(`${ACC} ${options};`),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /is not followed/,
  })),
  {
    name: "no level answers for an engine that is not followed",
    text: withTables(`${ACC} engine=rocksdb;`),
    level: "mariadb:serializable",
    verdict: "unknown",
    why: /is not followed/,
  },
  {
    name: "a transaction on tables of both kinds",
    text: script(
      "START TRANSACTION",
      READ_LOCKED,
      WRITE_BACK,
      "INSERT INTO tot VALUES (9, 9)",
      "COMMIT",
    ).replace("s int not null) engine=innodb", "s int not null) engine=myisam"),
    level: "mariadb:read-committed",
    verdict: "unknown",
  },
  {
    name: "options that say nothing about transactions",
    text: withTables(
      `${ACC} ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC COMMENT='of all';`,
    ),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
]);

function named(column: string, read: string, write: string, dialect = "mariadb"): string {
  return `-- @isolens dialect ${dialect}
create table u (${column}, n int not null) engine=innodb;
-- @transaction a
START TRANSACTION;
SELECT n INTO @n FROM u WHERE ${read};
UPDATE u SET n = @n + 1 WHERE ${write};
COMMIT;
`;
}

const KEY = "name varchar(20) primary key";

checked("texts that the server takes for equal", [
  {
    name: "in another case",
    text: named(KEY, "name = 'bob'", "name = 'BOB'"),
    level: "mariadb:read-committed",
    verdict: "anomaly",
    why: /lost-update/,
  },
  {
    name: "in IN, and with spaces at the end",
    text: named(KEY, "name in ('bob ')", "name = 'Bob'"),
    level: "mariadb:read-committed",
    verdict: "anomaly",
    why: /lost-update/,
  },
  {
    name: "with spaces at the end, which MySQL's newest collation tells apart",
    text: named(KEY, "name = 'bob '", "name = 'bob'", "mysql"),
    level: "mysql:read-committed",
    verdict: "unknown",
    why: /may be equal to the server/,
  },
  {
    name: "with accents",
    text: named(KEY, "name = 'José'", "name = 'jose'"),
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /may be equal to the server/,
  },
  {
    name: "one that a row is inserted with",
    text: `-- @isolens dialect mariadb
create table u (${KEY}, n int not null) engine=innodb;
-- @transaction a
START TRANSACTION;
SELECT count(*) INTO @n FROM u WHERE name = 'root';
INSERT INTO u VALUES ('ROOT', @n) ON DUPLICATE KEY UPDATE n = @n + 1;
COMMIT;
`,
    level: "mariadb:read-committed",
    verdict: "anomaly",
  },
  {
    name: "in a comparison that says how",
    text: named(KEY, "binary name = 'bob'", "name = 'bill'"),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
  ...["varchar(20) collate utf8mb4_bin", "varchar(20) binary", "varbinary(20)"].map(
    (type): Case => ({
      name: `not of ${type}`,
      text: named(`name ${type} primary key`, "name = 'bob'", "name = 'BOB'"),
      level: "mariadb:read-committed",
      verdict: "safe",
    }),
  ),
  {
    name: "not where the table compares bytes",
    text: named(KEY, "name = 'bob'", "name = 'BOB'").replace(
      "engine=innodb",
      "engine=innodb charset=utf8mb4 collate=utf8mb4_bin",
    ),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
  {
    name: "not other texts",
    text: named(KEY, "name = 'bob'", "name = 'bill'"),
    level: "mariadb:read-committed",
    verdict: "safe",
  },
]);

checked("GET_LOCK", [
  ...[
    "DO GET_LOCK('l', 10)",
    "DO GET_LOCK('l', 10), SLEEP(0)",
    "SELECT GET_LOCK('l', 10)",
    "SET @ok = GET_LOCK('l', 10)",
    "SELECT IF(GET_LOCK('l', 10) = 1, 1, 0) INTO @ok",
  ].map((statement): Case => ({
    name: `${statement} keeps nobody out who goes on without the lock`,
    text: script(
      "START TRANSACTION",
      statement,
      "SELECT v INTO @v FROM acc WHERE id = :id",
      WRITE_BACK,
      "COMMIT",
    ),
    level: "mariadb:read-committed",
    verdict: "anomaly",
    why: /lost-update/,
  })),
  ...(
    [
      ["do get_lock('l', 10)", "anomaly"],
      ["set ok = get_lock('l', 10)", "anomaly"],
      ["if get_lock('l', 10) = 0 then set ok = 0; end if", "anomaly"],
      ["if get_lock('l', 10) <> 1 then signal sqlstate '45000'; end if", "safe"],
      ["if p > 0 and get_lock('l', 10) <> 1 then signal sqlstate '45000'; end if", "anomaly"],
      ["set ok = get_lock('l', 10); if ok = 0 then signal sqlstate '45000'; end if", "safe"],
      ["select get_lock('l', 10) into ok; if not ok then signal sqlstate '45000'; end if", "safe"],
    ] as const
  ).map(([statement, verdict]): Case => ({
    name: `${statement} in a procedure`,
    text: procedure(
      "declare b, ok int",
      "start transaction",
      statement,
      "select v into b from acc where id = p",
      "update acc set v = b - 1 where id = p",
      "commit",
    ),
    level: "mariadb:read-committed",
    verdict,
  })),
  ...(
    [
      ["before the commit", ["do release_lock('l')", "commit"], "anomaly"],
      ["of another name", ["do release_lock('m')", "commit"], "safe"],
      ["of all locks", ["do release_all_locks()", "commit"], "anomaly"],
      ["behind the commit", ["commit", "do release_lock('l')"], "safe"],
    ] as const
  ).map(([name, ends, verdict]): Case => ({
    name: `given up ${name}`,
    text: procedure(
      "declare b int",
      "start transaction",
      "if get_lock('l', 10) <> 1 then signal sqlstate '45000'; end if",
      "select v into b from acc where id = p",
      "update acc set v = b - 1 where id = p",
      ...ends,
    ),
    level: "mariadb:read-committed",
    verdict,
  })),
  {
    name: "a lock of another name keeps nobody out",
    text: script(
      "START TRANSACTION",
      "DO GET_LOCK(:other, 10)",
      "SELECT v INTO @v FROM acc WHERE id = :id",
      WRITE_BACK,
      "COMMIT",
    ),
    level: "mariadb:read-committed",
    verdict: "anomaly",
    why: /lost-update/,
  },
]);

checked(
  "a child of a row that another transaction deletes",
  ["read-uncommitted", "read-committed", "repeatable-read"].map((level): Case => ({
    name: `waits for the deletion, whatever both call the row: ${level}`,
    text: `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table item (id int primary key, acc int, n int not null, foreign key (acc) references acc (id)) engine=innodb;
DELIMITER //
create procedure del(in p int)
begin
  start transaction;
  delete from acc where id = p;
  commit;
end //
create procedure adds(in q int, in i int)
begin
  declare x int;
  start transaction;
  select count(*) into x from acc where id = q;
  insert into item values (i, q, x);
  commit;
end //
DELIMITER ;
`,
    level: `mariadb:${level}`,
    verdict: "safe",
  })),
);

checked("an UPDATE of several tables", [
  {
    name: "nobody inserts a row between its parts: one that waits for it is not executed as the server does",
    text: `-- @isolens dialect mariadb
create table acc (id int primary key, v int not null) engine=innodb;
create table item (id int primary key, acc int not null, n int not null) engine=innodb;
DELIMITER //
create procedure adds(in p int)
begin
  start transaction;
  insert into acc values (p, 12);
  select v from acc where id = p;
  commit;
end //
create procedure joins(in q int)
begin
  start transaction;
  update acc a join item i on i.acc = a.id set a.v = a.v - 1, i.n = i.n + 1 where i.id = q;
  commit;
end //
DELIMITER ;
`,
    level: "mariadb:read-committed",
    verdict: "unknown",
    why: /between the parts of one statement/,
  },
]);
