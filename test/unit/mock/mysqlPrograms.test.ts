// Clients of MySQL and MariaDB that are no packages of this repository, against the whole mock database. Those that are
// not installed are listed by name.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { openStore, type OpenedStore } from "../../../server/src/mock/openStore";
import { javaDriver, output, pythonWith } from "../../support/programs";

const SCHEMA = `CREATE TABLE account (
  id int PRIMARY KEY AUTO_INCREMENT, owner varchar(20) NOT NULL UNIQUE, balance decimal(10,2) NOT NULL DEFAULT 0);
INSERT INTO account (owner, balance) VALUES ('ann', 100), ('bob', 50);`;

async function withStore(body: (store: OpenedStore) => Promise<void>): Promise<void> {
  const store = await openStore({
    protocol: "mysql",
    level: "mysql:repeatable-read",
    strategy: "latest",
    schema: SCHEMA,
  });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

const PROGRAM = path.join(__dirname, "fixtures", "MysqlClient.java");
const DRIVER = {
  variable: "ISOLENS_MARIADB_JDBC",
  files: ["/usr/share/java/mariadb-java-client.jar"],
  artifact: "org/mariadb/jdbc/mariadb-java-client",
};

const ABOUT = [
  "table account",
  "columns id:4+ owner:12 balance:3",
  "key PRIMARY id",
  "index owner",
  "index PRIMARY",
  "parents false",
];
const OPTIONS = ["", "&useServerPrepStmts=true", "&useBulkStmts=true"];

test("MariaDB's JDBC driver prepares statements, on both sides, and asks for tables", (context) =>
  withStore(async (store) => {
    const driver = javaDriver(context, "JDBC driver of MariaDB", DRIVER);
    if (driver === undefined) return;
    const url = `jdbc:mariadb://127.0.0.1:${String(store.port)}/app?user=u&sslMode=disable`;
    const shown = await output(context, "java", "java", [
      ...["-cp", driver, PROGRAM],
      ...OPTIONS.map((options) => url + options),
    ]);
    if (shown === undefined) return;
    const rest = ["batch 5", "1062 23000 true", "rows 27 191.25", "deleted 10"];
    const round = (numbers: string) => [...ABOUT, `inserted ${numbers}`, ...rest];
    assert.deepEqual(shown.trim().split("\n"), [
      ...round("3 4 5"),
      ...round("12 13 14"),
      ...round("21 22 23"),
    ]);
  }));

const PYMYSQL = `
import sys, pymysql
connection = pymysql.connect(host="127.0.0.1", port=int(sys.argv[1]), user="u", password="p", database="app")
with connection.cursor() as cursor:
    cursor.execute("INSERT INTO account (owner, balance) VALUES (%s, %s)", ("cid", 1.5))
    print(cursor.lastrowid)
    try:
        cursor.execute("INSERT INTO account (owner) VALUES (%s)", ("ann",))
    except pymysql.err.IntegrityError as error:
        print(error.args[0])
    cursor.executemany("INSERT INTO account (owner) VALUES (%s)", [("d",), ("e",)])
    cursor.execute("SELECT owner, balance FROM account ORDER BY id")
    print(cursor.fetchall()[1:3])
connection.rollback()
with connection.cursor(pymysql.cursors.SSDictCursor) as cursor:
    cursor.execute("SELECT count(*) AS n FROM account")
    print(cursor.fetchone())
`;

test("pymysql sends arguments, learns of errors and rolls back", (context) =>
  withStore(async (store) => {
    const python = await pythonWith(context, "pymysql");
    if (python === undefined) return;
    const args = ["-c", PYMYSQL, String(store.port)];
    const shown = await output(context, "pymysql", python, args);
    assert.deepEqual(shown?.trim().split("\n"), [
      "3",
      "1062",
      "(('bob', Decimal('50.00')), ('cid', Decimal('1.50')))",
      "{'n': 2}",
    ]);
  }));

const MARIADB = `
(async () => {
  const mariadb = (await import(process.argv[1])).default;
  const pool = mariadb.createPool({ host: "127.0.0.1", port: Number(process.argv[2]), user: "u", database: "app", connectionLimit: 2 });
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  const made = await connection.execute("INSERT INTO account (owner, balance) VALUES (?, ?)", ["cid", 1.5]);
  console.log(String(made.insertId), made.affectedRows);
  await connection.query("INSERT INTO account (owner) VALUES (?)", ["ann"]).catch((error) => console.log(error.errno, error.sqlState));
  await connection.batch("INSERT INTO account (owner) VALUES (?)", [["d"], ["e"]]);
  console.log(JSON.stringify(await connection.query("SELECT owner, balance FROM account WHERE id < ? ORDER BY id", [4])));
  await connection.rollback();
  await connection.release();
  console.log(String((await pool.query("SELECT count(*) AS n FROM account"))[0].n));
  await pool.end();
})();
`;

/** The driver's main file, where somebody has installed it: its licence keeps it from being a dependency. */
function mariadbPackage(): string | undefined {
  const folder = process.env["ISOLENS_MARIADB_PACKAGE"];
  const folders = createRequire(__filename).resolve.paths("mariadb") ?? [];
  return [...(folder === undefined ? [] : [folder]), ...folders]
    .map((each) => path.join(each, "mariadb", "promise.js"))
    .find(existsSync);
}

test("the package mariadb sends arguments, many rows at once, and uses a pool", (context) =>
  withStore(async (store) => {
    const driver = mariadbPackage();
    if (driver === undefined) {
      context.diagnostic("not run: mariadb (npm)");
      return;
    }
    const args = ["-e", MARIADB, driver, String(store.port)];
    const shown = await output(context, "mariadb (npm)", process.execPath, args);
    assert.deepEqual(shown?.trim().split("\n"), [
      "3 1",
      "1062 23000",
      '[{"owner":"ann","balance":"100.00"},{"owner":"bob","balance":"50.00"},{"owner":"cid","balance":"1.50"}]',
      "2",
    ]);
  }));
