// Statements as applications write them, with what real servers answered: rows, counts of changed rows and errors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow, type SqlOutcome } from "../../../server/src/sqlstore/session";
import { wireText } from "../../../server/src/sqlstore/values/format";

interface Recorded {
  readonly sql: string;
  readonly error?: string;
  readonly rows?: readonly (readonly (string | null)[])[];
  /** `UPDATE 1`, as psql prints it. */
  readonly tag?: string;
}

/** Answers that differ, and why: the number is the same, its zeros are not. */
const OTHER_ZEROS = new Set([
  "select u.name, count(a.id) n, coalesce(sum(a.balance), 0) total from users u left join accounts a on a.owner_id = u.id group by u.id, u.name order by u.id",
  "select 1 union all select 2.5",
]);

function read(name: string): readonly Recorded[] {
  const file = path.join(import.meta.dirname, "../../data/sqlstore", `${name}.json`);
  // Our own recording.
  const data = JSON.parse(readFileSync(file, "utf8")) as {
    readonly statements: readonly Recorded[];
  };
  return data.statements;
}

function shown(outcome: SqlOutcome, isPostgres: boolean): Recorded["rows"] | string {
  if (!outcome.ok) return isPostgres ? outcome.error.code : String(outcome.error.number);
  const result = outcome.results.at(-1);
  return (result?.rows ?? []).map((row) =>
    row.map((value, at) => {
      if (typeof value === "boolean" && !isPostgres) return value ? "1" : "0";
      return wireText(value, result?.columns[at]?.type ?? "text");
    }),
  );
}

/** Rows that nobody ordered may come in any order. */
function comparable(rows: Recorded["rows"], sql: string): readonly string[] {
  const texts = (rows ?? []).map((row) => JSON.stringify(row));
  return /order by/i.test(sql) ? texts : texts.sort();
}

function withoutZeros(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.replace(/(\d)\.0+"/g, '$1"'));
}

/** Statements over tables, expressions of constants, and definitions over rows that are there. */
const RECORDINGS = [
  ["postgres", "postgres", 210],
  ["postgres", "postgres-expressions", 75],
  ["postgres", "postgres-definitions", 140],
  ["postgres", "postgres-further", 70],
  ["mariadb", "mariadb", 150],
  ["mariadb", "mariadb-further", 30],
  ["mariadb", "mariadb-expressions", 30],
  ["mariadb", "mariadb-definitions", 45],
  ["mariadb", "mariadb-sessions", 55],
] as const;

for (const [server, name, least] of RECORDINGS) {
  test(`statements are answered as ${server} answered them: ${name}`, async () => {
    const parser = await loadPgParser();
    const database = createDatabase({ dialect: server, parser });
    const store = createMemoryStore();
    const session = createSqlSession(database, {
      sequences: createSequences(),
      now: () => Date.UTC(2024, 0, 1) * 1000,
      random: () => 0.5,
      rule: server === "postgres" ? "recheck" : "current",
    });
    const statements = read(name);
    assert.ok(statements.length >= least);
    for (const { sql, error, rows, tag } of statements) {
      const outcome = runNow(session.execute(sql), store.answer);
      const got = shown(outcome, server === "postgres");
      if (error !== undefined) {
        assert.equal(got, error, sql);
        continue;
      }
      assert.ok(outcome.ok, `${sql}: ${outcome.ok ? "" : outcome.error.message}`);
      const [ours, theirs] = [
        comparable(got === undefined || typeof got === "string" ? [] : got, sql),
        comparable(rows, sql),
      ];
      if (OTHER_ZEROS.has(sql)) {
        assert.notDeepEqual(ours, theirs, `${sql} has the zeros of the server now`);
        assert.deepEqual(withoutZeros(ours), withoutZeros(theirs), sql);
      } else assert.deepEqual(ours, theirs, sql);
      const { command = "", rowCount = 0 } = outcome.results.at(-1) ?? {};
      if (tag !== undefined && /^(INSERT|UPDATE|DELETE|MERGE)$/.test(command)) {
        assert.equal(`${command}${command === "INSERT" ? " 0" : ""} ${rowCount}`, tag, sql);
      }
    }
  });
}
