// Statements and scripts of MySQL, SQL Server and SQLite: what each becomes, with its losses.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import type { Dialect } from "../../../../server/src/program/dialect";
import { fixture, update, UPDATING } from "../pg/fixtures";
import { read } from "./programs";

const FOLDER = path.join(__dirname, "fixtures");

const FILES: readonly (readonly [string, Dialect])[] = [
  ["mysqlQueries.sql", "mysql"],
  ["mysqlChanges.sql", "mysql"],
  ["mysqlScripts.sql", "mysql"],
  ["mariadb.sql", "mariadb"],
  ["sqlServer.sql", "sqlserver"],
  ["sqlite.sql", "sqlite"],
];

for (const [file, dialect] of FILES) {
  test(`what ${file} becomes`, () => {
    const cases = fixture(file, FOLDER);
    const actual = cases.map(({ sql }) => read(asTransaction(sql), dialect));
    if (UPDATING) {
      const updated = cases.map((each, at) => ({ ...each, expected: actual[at] ?? [] }));
      update(file, updated, FOLDER);
    }
    cases.forEach(({ line, sql, expected }, at) => {
      assert.deepEqual(actual[at], expected, `${file}:${String(line)} ${sql}`);
    });
  });
}

/** A lone statement as a transaction t; scripts say themselves what they are. */
function asTransaction(sql: string): string {
  const isScript = /^(--|#|BEGIN|START|SET|DECLARE|DELIMITER|LOCK|CREATE|GO|\/\*)/i.test(sql);
  return isScript ? sql : `-- @transaction t\n${sql}`;
}
