// Every field of PostgreSQL's parse tree is followed, harmless, or weakens its statement.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { before, describe, it } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { DEFINITION_SHAPES } from "../../../../server/src/frontend/sql/pg/definitionTree";
import { SHAPES, unfollowedIn } from "../../../../server/src/frontend/sql/pg/parseTree";
import { statementsOf } from "../../../../server/src/service/statements";
import type { SqlParsers } from "../../../../server/src/frontend/sql/parsers";
import { describeNotes, describeTransactions, programOf } from "./program";

let parsers: SqlParsers;

before(async () => {
  parsers = { pg: await loadPgParser() };
});

/** The fields of each type of the grammar, with their types. */
const GRAMMAR: ReadonlyMap<string, ReadonlyMap<string, string>> = (() => {
  const folder = path.dirname(createRequire(__filename).resolve("@pgsql/types/package.json"));
  const text = readFileSync(path.join(folder, "types.d.ts"), "utf8");
  const types = [...text.matchAll(/^export interface (\w+) \{\n([^}]*)\}/gm)];
  return new Map(
    types.map(([, name = "", body = ""]) => {
      const fields = [...body.matchAll(/^ {4}(\w+)\??: ([^;]+);/gm)];
      return [name, new Map(fields.map(([, field = "", type = ""]) => [field, type]))];
    }),
  );
})();

const words = (text = ""): readonly string[] => text.split(" ").filter((each) => each !== "");

const ALL = [...Object.entries(SHAPES), ...Object.entries(DEFINITION_SHAPES)];

describe("the shapes of nodes", () => {
  it("are of the grammar", () => {
    assert.ok(GRAMMAR.size > 200);
    assert.deepEqual(
      ALL.filter(([each]) => !GRAMMAR.has(each)),
      [],
    );
  });
  for (const [type, { read, harmless, lost = {} }] of ALL)
    it(`${type}: each field is in one list`, () => {
      const fields = GRAMMAR.get(type) ?? new Map<string, string>();
      const followed = words(read).map((each) => each.split(":")[0] ?? "");
      const listed = [...followed, ...words(harmless), ...Object.keys(lost)];
      assert.deepEqual(
        [...fields.keys()].filter((each) => !listed.includes(each)),
        [],
        "in none",
      );
      assert.equal(new Set(listed).size, listed.length, "in several");
      // Location and such stand in many lists, and in few types.
      const unknown = listed.filter((each) => !fields.has(each));
      assert.deepEqual(
        unknown.filter((each) => !["location", "xpr"].includes(each)),
        [],
      );
    });
  for (const [type, { read }] of ALL)
    it(`${type}: parts have the types of the grammar`, () => {
      const fields = GRAMMAR.get(type);
      for (const each of words(read)) {
        const [field = "", of] = each.split(":");
        const declared = fields?.get(field) ?? "";
        const isPart = GRAMMAR.has(declared);
        assert.equal(of, isPart ? declared : undefined, field);
      }
    });
  it("a field and a type that no list names weaken", () => {
    assert.deepEqual(unfollowedIn("LockStmt", { mode: 1, novelty: true }), ["novelty of LockStmt"]);
    assert.deepEqual(unfollowedIn("NovelStmt", {}), ["the construct NovelStmt"]);
    const inside = { fromClause: [{ RangeNovel: {} }], withClause: { ctes: [], novelty: 1 } };
    assert.deepEqual(unfollowedIn("SelectStmt", inside), [
      "the construct RangeNovel",
      "novelty of WithClause",
    ]);
  });
});

describe("settings", () => {
  const notes = (statement: string): readonly string[] =>
    describeNotes(
      programOf(
        { "a.sql": `CREATE TABLE t (id int);\nBEGIN; ${statement}; DELETE FROM t; COMMIT;` },
        parsers,
      ),
    ).filter((each) => each.endsWith(":setting"));
  for (const name of [
    "session_replication_role",
    "transform_null_equals",
    "plpgsql.variable_conflict",
  ])
    it(`${name} is not followed`, () => {
      assert.equal(notes(`SET LOCAL ${name} = x`).length, 1);
    });
  for (const statement of [
    "SET LOCAL lock_timeout = '2s'",
    "SET app.user TO 'x'",
    "SET SESSION AUTHORIZATION joe",
    "SET TIME ZONE 'UTC'",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
    "SET TRANSACTION READ ONLY",
  ])
    it(`${statement} matters to nobody`, () => {
      assert.deepEqual(notes(statement), []);
    });
  it("inside of a routine", () => {
    const text = `CREATE TABLE t (id int);
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
BEGIN SET LOCAL session_replication_role = replica; DELETE FROM t; END $$;`;
    const { transactions } = programOf({ "a.sql": text }, parsers);
    assert.match(JSON.stringify(transactions), /session_replication_role changes is not followed/);
  });
});

describe("casts that cut a text off give another value", () => {
  const text = (statement: string): string =>
    describeTransactions(
      programOf(
        { "a.sql": `CREATE TABLE t (id int, s text);\nBEGIN; ${statement}; COMMIT;` },
        parsers,
      ),
    ).join("\n");
  it("a column", () => {
    assert.match(text("SELECT s::varchar(2) AS x FROM t"), /cast varchar\(2\)/);
    assert.doesNotMatch(text("SELECT s::varchar AS x FROM t"), /cast/);
  });
  it("a literal", () => {
    assert.match(text("SELECT 'abc'::varchar(2) AS x FROM t"), /"ab" as x/);
  });
});

describe("statements", () => {
  const T =
    "CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, v int, s text);\n";
  const losses = (statement: string): readonly string[] =>
    programOf(
      { "s.sql": T, "a.sql": `BEGIN; ${statement}; COMMIT;` },
      parsers,
    ).transactions.flatMap(({ body }) =>
      statementsOf(body).flatMap(({ taint }) => taint.map(({ reason }) => reason)),
    );
  const lost = {
    "INSERT INTO t (id, v) OVERRIDING USER VALUE VALUES (1, 2)": /OVERRIDING USER VALUE/,
    "SELECT v FROM t WHERE s COLLATE ignoring = 'a'": /collation/,
    "SELECT v FROM t WHERE s COLLATE ci_ai = 'a'": /collation/,
    "SELECT v FROM t WHERE s OPERATOR(other.=) 'a'": /operator of another schema/,
    "SELECT concat(VARIADIC ARRAY[s, 'b']) FROM t": /VARIADIC/,
    "SELECT j.id FROM t a JOIN t b USING (id) AS j": /alias of a join/,
    "INSERT INTO t (s) VALUES ('a') ON CONFLICT (id text_ops) DO NOTHING": /operator class/,
    "SELECT string_agg(s, ',' ORDER BY s USING <) FROM t": /ORDER BY ... USING/,
    "INSERT INTO t (s) VALUES ('a') ON CONFLICT (id) WHERE v > 1 DO NOTHING":
      /condition of ON CONFLICT/,
  };
  for (const [statement, expected] of Object.entries(lost))
    it(statement, () => {
      assert.match(losses(statement).join("\n"), expected);
    });

  it("knows the collations that servers are made with", () => {
    for (const name of ["C", "C.UTF-8", "en_US", "en_US.utf8", "de-AT-x-icu", "und-x-icu"])
      assert.deepEqual(losses(`SELECT v FROM t WHERE s COLLATE "${name}" = 'a'`), []);
  });
  for (const statement of [
    "INSERT INTO t (id, v) OVERRIDING SYSTEM VALUE VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = excluded.v + 1 RETURNING v",
    'SELECT a.v, count(*) FILTER (WHERE a.v > 1) FROM ONLY t AS a JOIN t b ON a.id = b.id WHERE a.s COLLATE "C" = $1 GROUP BY a.v HAVING count(*) > 1 ORDER BY a.v DESC LIMIT 3 OFFSET 1',
    "WITH x AS MATERIALIZED (SELECT id FROM t WHERE v IN (1, 2)) UPDATE t SET v = t.v + 1 FROM x WHERE t.id = x.id AND t.v IS NOT NULL",
    "SET LOCAL lock_timeout = '2s'; SET LOCAL app.user = 'x'; SELECT v FROM t WHERE id = 1",
    "SELECT v FROM t WHERE id = 1 FOR NO KEY UPDATE OF t NOWAIT",
    "DELETE FROM t USING t AS o WHERE o.id = t.v AND (SELECT max(v) FROM t) > ANY (ARRAY[1, 2])",
  ])
    it(`exact: ${statement}`, () => {
      assert.deepEqual(losses(statement), []);
    });
});

describe("definitions", () => {
  const doubts = (text: string): readonly string[] =>
    programOf({ "s.sql": text }, parsers).schema.tables.flatMap(({ doubts: all = [] }) =>
      all.map(({ reason }) => reason),
    );
  const PARENT = "CREATE TABLE p (id int PRIMARY KEY, v int);\n";
  const lost = {
    "CREATE TABLE t (a int, b int, FOREIGN KEY (a) REFERENCES p (id) MATCH FULL)": /MATCH FULL/,
    "CREATE TABLE t (a int, FOREIGN KEY (a) REFERENCES p ON DELETE SET NULL (a))":
      /ON DELETE SET names/,
    "CREATE TABLE t (id int, d daterange, PRIMARY KEY (id, d WITHOUT OVERLAPS))":
      /WITHOUT OVERLAPS/,
    "CREATE TABLE t (id int PRIMARY KEY); ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0) NOT VALID":
      /NOT VALID of the constraint c/,
    "CREATE TABLE t (id int PRIMARY KEY); ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES p MATCH FULL":
      /MATCH FULL/,
    "CREATE TABLE t (id int) INHERITS (p)": /rows of p as well/,
    "CREATE TABLE t (id int); ALTER TABLE t INHERIT p": /rows of p as well/,
    "CREATE TABLE q (id int) PARTITION BY LIST (id); CREATE TABLE t (id int); ALTER TABLE q ATTACH PARTITION t DEFAULT":
      /rows of q as well/,
    "CREATE TABLE t OF some_type": /the type that it is OF/,
    "CREATE TEMP TABLE t (id int PRIMARY KEY)": /temporary/,
    "CREATE TABLE t (LIKE nowhere)": /LIKE nowhere/,
    "CREATE TABLE t (id int PRIMARY KEY) USING columnar": /access method/,
    "CREATE TABLE t (a text); CREATE UNIQUE INDEX i ON t (a COLLATE ignoring)": /collation/,
    "CREATE TABLE t (a text); CREATE UNIQUE INDEX i ON t (a other_class)": /operator class/,
    "CREATE TABLE t (a int REFERENCES p); ALTER TABLE t ALTER CONSTRAINT t_a_fkey DEFERRABLE":
      /AT_AlterConstraint/,
    "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED); ALTER TABLE t ALTER b SET EXPRESSION AS (a)":
      /AT_SetExpression/,
  };
  for (const [text, expected] of Object.entries(lost))
    it(text, () => {
      assert.match(doubts(`${PARENT}${text};`).join("\n"), expected);
    });
  for (const text of [
    'CREATE TABLE IF NOT EXISTS t (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int NOT NULL DEFAULT 0 CHECK (a >= 0), b text COLLATE "C" UNIQUE, c int REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE) WITH (fillfactor = 70) TABLESPACE s',
    "CREATE UNLOGGED TABLE t (id int) PARTITION BY RANGE (id)",
    "CREATE TABLE t (id int); ALTER TABLE ONLY t ADD CONSTRAINT k PRIMARY KEY (id), ALTER id SET STATISTICS 10, OWNER TO joe; ALTER TABLE t ADD COLUMN n varchar(3) DEFAULT 'x', ADD FOREIGN KEY (id) REFERENCES p NOT VALID",
    "CREATE TABLE t (a text); CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON t USING btree (a text_pattern_ops DESC NULLS LAST) INCLUDE (a) WHERE a > 'b'",
    "CREATE TABLE t (id int); ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0) NOT VALID; ALTER TABLE t VALIDATE CONSTRAINT c",
    "CREATE TABLE t (LIKE p INCLUDING ALL)",
  ])
    it(`followed: ${text}`, () => {
      assert.deepEqual(doubts(`${PARENT}${text};`), []);
    });
});
