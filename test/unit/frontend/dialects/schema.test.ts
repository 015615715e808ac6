// Tables that DDL of other dialects leaves, and the dialects that texts tell.
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { detectDialect } from "../../../../server/src/frontend/sql/dialectDetection/detectDialect";
import { createDialectReader } from "../../../../server/src/frontend/sql/dialectDetection/dialectsOf";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Table } from "../../../../server/src/program/schema";
import type { FileId } from "../../../../server/src/protocol/source";
import { render } from "../sql/render";

function tables(text: string, dialect: Dialect): readonly string[] {
  const program = readProgram([{ file: "schema.sql" as FileId, text }], {}, { dialect });
  const notes = program.notes.filter(({ code }) => code === "ddl").map(({ message }) => message);
  return [...program.schema.tables.map(line), ...notes];
}

function line(table: Table): string {
  const columns = table.columns.map(({ name, type, nullable, default: value }) => {
    const given = value === undefined ? "" : ` = ${render(value)}`;
    return `${name} ${type}${nullable ? "?" : ""}${given}`;
  });
  const unique = table.uniqueKeys.map(
    ({ columns: names, where }) =>
      ` unique(${names.join(", ")})${where === undefined ? "" : ` where ${render(where)}`}`,
  );
  const foreign = table.foreignKeys.map(
    (key) =>
      ` ${key.columns.join()} -> ${key.table}(${key.referenced.join()})${key.onDelete === undefined ? "" : ` ${key.onDelete}`}`,
  );
  const checks = table.checks.map((check) => ` check ${render(check)}`);
  return `${table.name}(${columns.join(", ")}) key(${table.primaryKey.join(", ")})${[...unique, ...foreign, ...checks].join("")}`;
}

function check(dialect: Dialect, text: string, ...expected: readonly string[]): void {
  test(text.trim().split("\n")[0] ?? "", () => assert.deepEqual(tables(text, dialect), expected));
}

check(
  "mysql",
  `CREATE TABLE \`a\` (\`id\` bigint(20) unsigned NOT NULL AUTO_INCREMENT COMMENT 'x, y', \`n\` decimal(10,2) DEFAULT '1.5',
   s ENUM('a','b') CHARACTER SET utf8 COLLATE utf8_bin DEFAULT 'a', t TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
   b TINYINT(1) DEFAULT FALSE, d DOUBLE PRECISION, KEY \`k\` (\`n\`), FULLTEXT KEY f (s), PRIMARY KEY (\`id\`), UNIQUE KEY \`u\` (\`s\`(10), \`n\`)
  ) ENGINE=InnoDB AUTO_INCREMENT=5 DEFAULT CHARSET=utf8mb4 COMMENT='it;s';`,
  'a(id int = fresh sequence, n decimal? = 1.5, s text? = "a", t time? = fresh now, b int? = 0, d decimal?) key(id) unique(s, n)',
);
check(
  "mysql",
  `CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT PRIMARY KEY, p INT REFERENCES p (id), q INT,
   CONSTRAINT fk FOREIGN KEY (q) REFERENCES p (id) ON UPDATE CASCADE ON DELETE SET NULL, CONSTRAINT pos CHECK (q > 0 AND p <> q));`,
  "p(id int) key(id)",
  "c(id int, p int?, q int?) key(id) p -> p(id) q -> p(id) set check ((c.q > 0) and (c.p <> c.q))",
);
check(
  "mysql",
  `CREATE TABLE g (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED, c INT AS (a + 1) VIRTUAL UNIQUE, INVALID %% STUFF, z INT);`,
  "g(a int?, b int? = unknown(), c int? = unknown(), z int?) key() unique(c)",
  "This definition cannot be read: unexpected %.",
);
check(
  "mysql",
  `CREATE TABLE x (a INT, b INT, old INT);
   ALTER TABLE x ADD PRIMARY KEY (a), ADD COLUMN c VARCHAR(5) NOT NULL DEFAULT '' AFTER a, DROP COLUMN old, ADD UNIQUE INDEX ub (b);
   ALTER TABLE x MODIFY a INT NOT NULL AUTO_INCREMENT, CHANGE b bb BIGINT, ADD (d DATE, e JSON), ALTER COLUMN c SET DEFAULT 'q';
   CREATE UNIQUE INDEX uc ON x (c(3) DESC); DROP INDEX ub ON x; RENAME TABLE x TO y; ALTER TABLE y RENAME COLUMN d TO dd;
   CREATE TABLE z LIKE y; DROP TABLE IF EXISTS nothing;`,
  'y(a int = fresh sequence, c text = "q", bb int?, dd time?, e json?) key(a) unique(c)',
  'z(a int = fresh sequence, c text = "q", bb int?, dd time?, e json?) key(a) unique(c)',
);
check(
  "mysql",
  `/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS \`t\`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE \`t\` (\`id\` int NOT NULL, \`v\` int DEFAULT NULL) /*!50100 PARTITION BY HASH (id) */;
LOCK TABLES \`t\` WRITE;
INSERT INTO \`t\` VALUES (1,2),(3,4);
UNLOCK TABLES;
ALTER TABLE \`t\` ADD PRIMARY KEY (\`id\`), MODIFY \`id\` int NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=5;`,
  "t(id int = fresh sequence, v int? = null) key(id)",
);
check(
  "mysql",
  `CREATE TABLE p (id INT PRIMARY KEY, v INT);
   ALTER TABLE p ADD COLUMN w INT FIRST, CHANGE id k INT AFTER v, ADD x INT AFTER nothing;`,
  "p(w int?, v int?, k int, x int?) key(k)",
);
check(
  "sqlserver",
  `CREATE TABLE [dbo].[Users] ([Id] INT IDENTITY(1,1) NOT NULL, [Name] NVARCHAR(50) COLLATE Latin1_General_CI_AS NULL CONSTRAINT df DEFAULT (N'x'),
   Active BIT NOT NULL DEFAULT ((1)), CONSTRAINT [PK_Users] PRIMARY KEY CLUSTERED ([Id] ASC) ON [PRIMARY]) ON [PRIMARY]
GO
ALTER TABLE dbo.Users WITH CHECK ADD CONSTRAINT uq UNIQUE NONCLUSTERED (Name)
GO`,
  'Users(Id int = fresh sequence, Name text? = "x", Active int = 1) key(Id) unique(Name)',
);
check(
  "sqlite",
  `CREATE TABLE IF NOT EXISTS "a" (id INTEGER PRIMARY KEY, b, c VARCHAR(10) UNIQUE ON CONFLICT IGNORE, d REAL CHECK (d > 0), e TEXT DEFAULT (datetime('now'))) WITHOUT ROWID, STRICT;
   CREATE UNIQUE INDEX i ON a (b) WHERE c IS NOT NULL;`,
  "a(id int = fresh sequence, b other?, c text?, d decimal?, e text? = fresh now) key(id) unique(c) unique(b) where not (a.c is null) check (a.d > 0)",
);

function detects(expected: Dialect | undefined, text: string): void {
  test(`${text.slice(0, 50)} is ${expected ?? "anyone's"}`, () =>
    assert.equal(detectDialect(text), expected));
}

detects(undefined, "SELECT balance FROM accounts WHERE id = 1;");
detects(undefined, "BEGIN; UPDATE t SET a = 1; COMMIT; -- ENGINE=InnoDB in a comment");
detects("mysql", "SELECT `a` FROM `t`;");
detects("sqlite", "INSERT OR IGNORE INTO `t` (`a`) VALUES (1);");
detects("sqlite", "CREATE TABLE `t` (`a` integer DEFAULT (strftime('%s', 'now')));");
detects("mysql", "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB;");
detects("mysql", "START TRANSACTION; SET @a = 1; COMMIT;");
detects("mysql", "SELECT a INTO @x FROM t;");
detects("mysql", "DELIMITER //\nSELECT 1//");
detects("mysql", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1;");
detects("mariadb", "-- MariaDB dump 10.19\nCREATE TABLE `t` (id int);");
detects("mysql", "-- MySQL dump 10.13\nCREATE TABLE t (id int);");
detects("sqlserver", "DECLARE @x INT = 1;\nSELECT @x;");
detects("sqlserver", "SELECT 1\nGO\n");
detects("sqlserver", "BEGIN TRAN; UPDATE [dbo].[t] SET a = 1; COMMIT TRAN;");
detects("sqlite", "PRAGMA foreign_keys = ON;");
detects("sqlite", "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT);");
detects("sqlite", "BEGIN IMMEDIATE; INSERT OR REPLACE INTO t VALUES (1); COMMIT;");
detects(
  "postgres",
  "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;",
);
detects("postgres", "\\set a 1\nBEGIN; SELECT :a; COMMIT;");
detects("postgres", "SELECT a::int FROM t WHERE b = $1 FOR NO KEY UPDATE;");
detects(
  "postgres",
  "INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING RETURNING `b`;".replaceAll("`", '"'),
);
detects("mysql", "-- dialect: mysql\nSELECT 1;");
detects("sqlite", "-- @isolens dialect sqlite\nSELECT 1;");

describe("files with backticks alone", () => {
  const ticked = { file: "1.sql" as FileId, text: "CREATE TABLE `t` (`id` integer PRIMARY KEY);" };
  const sqlite = { file: "2.sql" as FileId, text: "PRAGMA foreign_keys=OFF;" };
  const mysql = { file: "2.sql" as FileId, text: "CREATE TABLE u (a int) ENGINE=InnoDB;" };
  const reader = createDialectReader();

  it("are in the dialect of the files around them", () => {
    assert.equal(reader.dialects([ticked, sqlite]).get(ticked.file), "sqlite");
    assert.equal(reader.dialects([ticked, mysql]).get(ticked.file), "mysql");
    assert.equal(reader.told([ticked, sqlite]), "sqlite");
  });

  it("are in what the code speaks to where no file tells, and MySQL's where nobody does", () => {
    assert.equal(
      reader.told([ticked], () => "sqlite"),
      "sqlite",
    );
    assert.equal(reader.dialects([ticked], { usual: "sqlite" }).get(ticked.file), "sqlite");
    assert.equal(
      reader.told([ticked], () => "postgres"),
      "mysql",
    );
    assert.equal(reader.told([ticked]), "mysql");
  });
});

test("breakpoints of drizzle-kit stand between statements of MySQL", () =>
  assert.deepEqual(
    tables(
      "CREATE TABLE `a` (`id` int PRIMARY KEY);\n--> statement-breakpoint\nCREATE TABLE `b` (`id` int);--> statement-breakpoint\n",
      "mysql",
    ).map((each) => each.slice(0, 1)),
    ["a", "b"],
  ));
