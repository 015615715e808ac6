// MySQL's tables of one name in several databases are different tables.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";

function read(texts: readonly string[], dialect: Dialect = "mysql"): Program {
  const files = texts.map((text, at) => ({ file: `${String(at)}.sql` as FileId, text }));
  return readProgram(files, {}, { dialect });
}

/** Each declared table with its columns and the tables that it refers to. */
function shape(...texts: readonly string[]): Readonly<Record<string, string>> {
  const declared = read(texts).schema.tables.filter(({ inferred }) => !inferred);
  return Object.fromEntries(
    declared.map(({ name, columns, foreignKeys }) => {
      const parts = [...columns.map((each) => each.name), ...foreignKeys.map((key) => `-> ${key.table}`)]; // prettier-ignore
      return [name, parts.join(" ")];
    }),
  );
}

/** The tables that the last transaction names, in order, and what is lost. */
function last(texts: readonly string[]): readonly string[] {
  const body = JSON.stringify(read(texts).transactions.at(-1)?.body);
  const found = body.matchAll(/"(?:table":"([\w.]+)|reason":"([^"]*))"/gu);
  return [...found].map(([, table = "", reason]) => (reason === undefined ? table : `! ${reason}`));
}

const A = "CREATE TABLE a.t (id INT PRIMARY KEY, n INT);";
const B = "CREATE TABLE b.t (id INT PRIMARY KEY, m INT);";
const OWN = "CREATE TABLE t (id INT PRIMARY KEY, k INT);";
const BOTH = { "a.t": "id n", "b.t": "id m" };

describe("tables of one name in several databases", () => {
  it("are told apart, by names and by USE, quoted or not", () => {
    assert.deepEqual(shape(A + B), BOTH);
    assert.deepEqual(shape("CREATE TABLE `A`.`t` (id INT PRIMARY KEY, n INT);" + B), BOTH);
    const dump = `CREATE DATABASE /*!32312 IF NOT EXISTS*/ \`a\`; USE \`a\`; ${A.replace("a.t", "t")} USE b; ${B.replace("b.t", "`t`")}`;
    assert.deepEqual(shape(dump), BOTH);
    assert.deepEqual(shape(A + OWN), { "a.t": "id n", t: "id k" });
    assert.deepEqual(shape(OWN + A), { "a.t": "id n", t: "id k" });
  });

  it("go by their name where no other database has it", () => {
    assert.deepEqual(shape(A + B.replace("b.t", "b.u")), { t: "id n", u: "id m" });
    assert.deepEqual(shape("USE a; CREATE TABLE t (id INT); CREATE TABLE a.t (id INT);"), { t: "id" }); // prettier-ignore
  });

  it("are referred to in their own database unless the key names another", () => {
    const keys = "CREATE TABLE b.o (id INT, x INT, y INT, FOREIGN KEY (x) REFERENCES t (id), FOREIGN KEY (y) REFERENCES a.t (id));"; // prettier-ignore
    assert.equal(shape(A + B + keys)["o"], "id x y -> b.t -> a.t");
    assert.equal(shape(keys + A + B)["o"], "id x y -> b.t -> a.t");
    const alter = "ALTER TABLE b.o ADD FOREIGN KEY (x) REFERENCES t (id);";
    const plain = "CREATE TABLE b.o (id INT, x INT);";
    assert.equal(shape(A + B + plain + alter)["o"], "id x -> b.t");
    const tree = "CREATE TABLE b.t (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES t (id));"; // prettier-ignore
    assert.equal(shape(A + tree)["b.t"], "id up -> b.t");
  });

  it("change, go and are renamed apart", () => {
    const change = "ALTER TABLE a.t ADD COLUMN z INT; CREATE UNIQUE INDEX i ON b.t (m);";
    assert.deepEqual(shape(A + B + change), { "a.t": "id n z", "b.t": "id m" });
    const keyed = read([A + B + change]).schema.tables.map(({ uniqueKeys }) => uniqueKeys.length);
    assert.deepEqual(keyed, [0, 1]);
    assert.deepEqual(shape(`${A}${B}DROP TABLE a.t;`), { "b.t": "id m" });
    assert.deepEqual(shape(`${A}${B}DROP DATABASE a;`), { "b.t": "id m" });
    assert.deepEqual(shape(`${A}RENAME TABLE a.t TO b.t; CREATE TABLE a.t (z INT);`), {
      "b.t": "id n",
      "a.t": "z",
    });
    assert.deepEqual(shape(`${A}${B}USE c; ALTER TABLE a.t RENAME TO u;`), {
      "b.t": "id m",
      u: "id n",
    });
    const o = "CREATE TABLE b.o (x INT, FOREIGN KEY (x) REFERENCES a.t (id));";
    assert.equal(shape(`${A}${o}RENAME TABLE a.t TO c.u;`)["o"], "x -> u");
  });

  it("are read and written apart, with columns by table or by database and table", () => {
    const tables = last([
      `${A}${B}START TRANSACTION;
SELECT t.n FROM a.t WHERE a.t.id = 1;
SELECT x.n, y.m FROM a.t x JOIN b.t AS y ON x.id = y.id FOR UPDATE OF x;
UPDATE a.t SET a.t.n = t.n + 1 WHERE id = 1;
INSERT INTO b.t (id, m) VALUES (1, 1) ON DUPLICATE KEY UPDATE m = t.m + VALUES(m);
DELETE t FROM b.t WHERE t.id = 1;
DELETE FROM a.t WHERE id IN (SELECT id FROM b.t);
TRUNCATE TABLE a.t;
REPLACE INTO a.t VALUES (1, 2);
COMMIT;`,
    ]);
    assert.deepEqual(tables, "a.t a.t b.t a.t b.t b.t a.t b.t a.t a.t".split(" "));
  });

  it("are those of the current database of the session", () => {
    const use = (name: string): string => `USE ${name};\nSTART TRANSACTION; SELECT id FROM t; COMMIT;`; // prettier-ignore
    assert.deepEqual(last([A + B, use("a")]), ["a.t"]);
    assert.deepEqual(last([A + B, use("`b`")]), ["b.t"]);
    assert.deepEqual(last([A + B, use("c")]), ["c.t"]);
    assert.deepEqual(last([A + OWN, "BEGIN; WITH t AS (SELECT 1 AS z) SELECT z FROM t; COMMIT;"]), [
      "t",
    ]);
  });

  it("are those of the database of a routine, and of a trigger's table", () => {
    const procedure = "DELIMITER //\nCREATE PROCEDURE b.p() BEGIN UPDATE t SET m = 1; END //\n";
    assert.deepEqual(last([A + B, procedure]), ["b.t"]);
    assert.deepEqual(last([A + B, `USE a;\n${procedure.replace("b.p", "p")}`]), ["a.t"]);
    const trigger = (name: string, on: string): string =>
      `\nDELIMITER //\nCREATE TRIGGER ${name} AFTER INSERT ON ${on} FOR EACH ROW BEGIN UPDATE a.seen SET n = 1; END //\nDELIMITER ;\n`;
    const seen = "CREATE TABLE a.seen (n INT);";
    const writes = (to: string): string =>
      `START TRANSACTION; INSERT INTO ${to} (id) VALUES (1); COMMIT;`;
    for (const [name, on] of [
      ["b.g", "t"],
      ["g", "b.t"],
    ])
      // prettier-ignore
      for (const [to, fired] of [["b.t", true], ["a.t", false]] as const) // prettier-ignore
        assert.equal(
          last([A + B + seen + trigger(name ?? "", on ?? "") + writes(to)]).includes("seen"),
          fired,
        );
  });

  it("have views apart", () => {
    const views = `${A}${B}CREATE VIEW a.v AS SELECT n FROM a.t; USE b; CREATE VIEW v AS SELECT m FROM t;`;
    assert.deepEqual(last([views, "START TRANSACTION; SELECT * FROM a.v; SELECT * FROM b.v; COMMIT;"]).filter((each) => each.includes("t")), ["a.t", "b.t"]); // prettier-ignore
  });

  it("are not told apart in a statement of both without aliases, which is said", () => {
    assert.match(
      last([A + B, "START TRANSACTION; SELECT a.t.id FROM a.t JOIN b.t; COMMIT;"]).join(),
      /without aliases/u,
    );
  });
});

describe("a table without a database", () => {
  const reads = (from: string): string => `START TRANSACTION; SELECT k FROM ${from}; COMMIT;`;

  it("is of the only database that statements name for it", () => {
    assert.deepEqual(last([OWN, reads("shop.t")]), ["t"]);
    assert.deepEqual(last([OWN + A, reads("shop.t")]), ["shop.t"]);
  });

  it("may be that of several databases, which is not decided where both are used", () => {
    const either = last([OWN + A.replace("a.t", "a.u"), reads("shop.t") + reads("t")]);
    assert.deepEqual(either, ["t", "! whether shop.t is t or another table"]);
  });

  it("is one of several where databases have it, which is not decided where they differ", () => {
    const told = "! whether t is a.t or b.t or another table";
    assert.deepEqual(last([A + B, reads("t")]), ["t", told]);
    const same = A + A.replace("a.t", "b.t");
    assert.deepEqual(last([same, reads("t")]), ["t"]);
    assert.deepEqual(last([same, reads("a.t") + reads("t")]), ["t", told]);
  });
});
