// Settings beside the code that name the database and the level.
import assert from "node:assert/strict";
import { test } from "node:test";
import { detectedDialect, detectedLevel } from "../../../../server/src/frontend/settings/detection";
import {
  isSettingsFile,
  levelSigns,
  settingSigns,
} from "../../../../server/src/frontend/settings/settingSigns";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { FileId } from "../../../../server/src/protocol/source";
import {
  DEFAULT_CONFIGURATION,
  withDefaultLevel,
} from "../../../../server/src/workspace/configuration";
import { forFiles } from "../../../../server/src/workspace/projects";

const at = (name: string, text: string) => ({ file: name as FileId, text });

/** The settings: `dialect@line`, `level@line`. */
function check(name: string, text: string, expected: readonly string[]): void {
  test(`${name}: ${text}`, () => {
    const said = settingSigns(at(name, text)).map(({ dialect, level, line }) => {
      return `${dialect ?? level ?? ""}@${String(line + 1)}`;
    });
    assert.deepEqual(said, expected);
  });
}

const PROPERTIES = "application.properties";
check(PROPERTIES, "spring.datasource.url=jdbc:postgresql://localhost/x", ["postgres@1"]);
check(PROPERTIES, "a=b\n# url=jdbc:mysql://x\nurl=jdbc:mariadb://x", ["mariadb@3"]);
check(PROPERTIES, "spring.datasource.driver-class-name=com.mysql.cj.jdbc.Driver", ["mysql@1"]);
check(PROPERTIES, "spring.jpa.database-platform=org.hibernate.dialect.PostgreSQLDialect", [
  "postgres@1",
]);
check(PROPERTIES, "spring.datasource.url=jdbc:h2:mem:x", []);
check(PROPERTIES, "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE", [
  "serializable@1",
]);
check(PROPERTIES, "spring.jpa.properties.hibernate.connection.isolation=2", ["read committed@1"]);
check(PROPERTIES, "hibernate.connection.isolation = REPEATABLE_READ", ["repeatable read@1"]);
check(PROPERTIES, "quarkus.datasource.jdbc.transaction-isolation-level=serializable", [
  "serializable@1",
]);
check("application.yml", "hikari:\n  transaction-isolation: TRANSACTION_REPEATABLE_READ", [
  "repeatable read@2",
]);
check("docker-compose.yml", "image: postgres:16-alpine", ["postgres@1"]);
check("docker-compose.yml", "  image: 'docker.io/library/mysql:8'", ["mysql@1"]);
check("compose.yaml", "image: ghcr.io/x/y/mariadb", ["mariadb@1"]);
check("compose.yaml", "image: mcr.microsoft.com/mssql/server:2022-latest", ["sqlserver@1"]);
check("compose.yaml", "image: postgres-exporter:1", []);
check("compose.yaml", "# image: mysql:8", []);
check("compose.yaml", "command: postgres -c default_transaction_isolation='repeatable read'", [
  "repeatable read@1",
]);
check("compose.yaml", "command: [--transaction-isolation=READ-COMMITTED]", ["read committed@1"]);
check("my.cnf", "[mysqld]\ntransaction-isolation = READ-COMMITTED", ["read committed@2"]);
check("my.cnf", "transaction_isolation=SERIALIZABLE", ["serializable@1"]);
check("postgresql.conf", "default_transaction_isolation = 'serializable'", ["serializable@1"]);
check("postgresql.conf", "#default_transaction_isolation = 'serializable'", []);
check(".env.example", "DATABASE_URL=postgresql://user:secret@host/db", ["postgres@1"]);
check(
  ".env.example",
  "DATABASE_URL=\"mysql://u:p@h/d?sessionVariables=transaction_isolation='READ-COMMITTED'\"",
  ["mysql@1", "read committed@1"],
);
check(".env.example", "TRANSACTION_ISOLATION=maybe", []);
check("persistence.xml", '<property name="hibernate.connection.isolation" value="8"/>', [
  "serializable@1",
]);
check("hibernate.cfg.xml", '<property name="hibernate.connection.isolation">8</property>', [
  "serializable@1",
]);

/** Levels in code and SQL that hold for all sessions. */
function checkLevel(name: string, text: string, expected: readonly string[]): void {
  test(`${name}: ${text}`, () => {
    const said = levelSigns(at(name, text)).map(
      ({ level, line }) => `${level ?? ""}@${String(line + 1)}`,
    );
    assert.deepEqual(said, expected);
  });
}

checkLevel("a.ts", 'new Pool({ options: "-c default_transaction_isolation=serializable" })', [
  "serializable@1",
]);
checkLevel(
  "a.ts",
  'const u = "postgres://h/d?options=-c%20default_transaction_isolation%3Drepeatable%5C%20read";',
  [],
);
checkLevel(
  "a.ts",
  'const u = "postgres://h/d?options=-c%20default_transaction_isolation%3Dserializable";',
  ["serializable@1"],
);
checkLevel("a.ts", "// -c default_transaction_isolation=serializable", []);
checkLevel(
  "a.ts",
  "new Sequelize(url, {\n isolationLevel: Transaction.ISOLATION_LEVELS.REPEATABLE_READ });",
  ["repeatable read@2"],
);
checkLevel(
  "a.ts",
  "new Sequelize(url); sequelize.transaction({ isolationLevel: 'SERIALIZABLE' });",
  [],
);
checkLevel("a.sql", "ALTER DATABASE app SET default_transaction_isolation TO 'serializable';", [
  "serializable@1",
]);
checkLevel("a.sql", "alter role web set default_transaction_isolation = 'repeatable read';", [
  "repeatable read@1",
]);
checkLevel("a.sql", "SET default_transaction_isolation = 'serializable';", []);
checkLevel("a.sql", "SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED;", ["read committed@1"]);
checkLevel("a.sql", "-- SET GLOBAL TRANSACTION ISOLATION LEVEL READ COMMITTED;", []);

test("environments and settings of tests are not read", () => {
  for (const name of [
    ".env",
    ".env.local",
    ".env.production",
    "application-test.yml",
    "docker-compose.ci.yml",
    "compose.test.yaml",
  ]) {
    assert.equal(isSettingsFile(name), false, name);
  }
  for (const name of [
    ".env.example",
    ".env.local.example",
    "env.sample",
    "application-dev.yml",
    "docker-compose.dev.yml",
    "compose.yml",
  ]) {
    assert.equal(isSettingsFile(name), true, name);
  }
});

const IMAGES = at(
  "docker-compose.yml",
  "image: mariadb:11\ncommand: --transaction-isolation=READ-COMMITTED",
);

test("an image says which product it is that code speaks to", () => {
  const signs = settingSigns(IMAGES);
  const known = (dialect?: Dialect) => detectedDialect(signs, dialect)?.value;
  assert.deepEqual([known("mysql"), known("postgres"), known()], ["mariadb", undefined, "mariadb"]);
  assert.equal(detectedLevel(signs, "mariadb").level?.place, "docker-compose.yml:2");
  assert.equal(detectedLevel(signs, "postgres").level, undefined);
});

test("levels that contradict each other are told and none is taken", () => {
  const signs = [
    ...settingSigns(at("a.properties", "x.transaction-isolation=TRANSACTION_SERIALIZABLE")),
    ...settingSigns(at("b.properties", "x.transaction-isolation=TRANSACTION_REPEATABLE_READ")),
  ];
  assert.deepEqual(detectedLevel(signs, "postgres"), {
    remarks: [
      'a.properties:1 says PostgreSQL SERIALIZABLE and b.properties:1 says PostgreSQL REPEATABLE READ; neither was taken. "level" in isolens.json decides',
    ],
  });
});

test("what is configured wins; what is found comes before the product's default", () => {
  const sql = [at("a.sql", "SELECT 1 FROM t;")];
  const found = forFiles(DEFAULT_CONFIGURATION, sql, undefined, [IMAGES]);
  assert.equal(found.level.name, "mariadb:read-committed");
  assert.equal(found.detected?.dialect?.place, "docker-compose.yml:1");
  const named = { ...DEFAULT_CONFIGURATION, levelIsDefault: false };
  assert.equal(forFiles(named, sql, undefined, [IMAGES]).level.name, "postgres:read-committed");
  const fixed = withDefaultLevel({ ...DEFAULT_CONFIGURATION, dialect: "postgres" }, "postgres");
  assert.equal(forFiles(fixed, sql, undefined, [IMAGES]).detected, undefined);
  assert.equal(forFiles(DEFAULT_CONFIGURATION, sql).detected, undefined);
});
