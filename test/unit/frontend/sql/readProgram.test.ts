import assert from "node:assert/strict";
import { test } from "node:test";
import { createReader } from "../../../../server/src/frontend/sql/readProgram";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import type { Program, Transaction } from "../../../../server/src/program/program";
import type { Statement } from "../../../../server/src/program/statement";
import type { FileId } from "../../../../server/src/protocol/source";
import { describeNotes, describeTransactions, programOf } from "./program";

function ids(program: Program): readonly string[] {
  return program.transactions.map((transaction) => transaction.id);
}

function statementsOf(transaction: Transaction | undefined): readonly Statement[] {
  const found: Statement[] = [];
  if (transaction !== undefined) {
    walkCommand(transaction.body, { statement: (statement) => found.push(statement) });
  }
  return found;
}

const T = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL DEFAULT 0, name text UNIQUE);\n";
const ADD = "BEGIN; UPDATE t SET v = v + 1 WHERE id = :id; COMMIT;";

test("transactions in the order of files and text, with unique ids", () => {
  assert.deepEqual(ids(programOf({ "a.sql": `${ADD}\n${ADD}`, "b/c.sql": ADD })), [
    "a-1",
    "a-2",
    "c",
  ]);
  const named = `-- @transaction add\n${ADD}\n`;
  assert.deepEqual(ids(programOf({ "a.sql": named, "b.sql": named })), [
    "add (a.sql)",
    "add (b.sql)",
  ]);
  assert.deepEqual(ids(programOf({ "a.sql": named + named, "b.sql": named })), [
    "add (a.sql) #1",
    "add (a.sql) #2",
    "add (b.sql)",
  ]);
});

test("a duplicate is noted, and its statements carry the new id", () => {
  const program = programOf({
    "a.sql": `-- @transaction x\n${ADD}`,
    "b.sql": `\n-- @transaction x\n${ADD}`,
  });
  assert.ok(describeNotes(program).includes("3:duplicate-name"));
  const statements = program.transactions.flatMap(statementsOf);
  assert.deepEqual(
    statements.map((statement) => statement.id),
    ["x (a.sql)/1", "x (b.sql)/1"],
  );
});

test("ranges are exact and text is the user's own", () => {
  const text =
    "-- é\nBEGIN;\n  SELECT v /* ü */ FROM t\r\n  WHERE id = :long_name AND v > :x;\nCOMMIT;\n";
  const [transaction] = programOf({ "a.sql": text }).transactions;
  const [statement] = statementsOf(transaction);
  assert.deepEqual(statement?.source.range, {
    start: { line: 2, character: 2 },
    end: { line: 3, character: 34 },
  });
  assert.equal(statement?.text, "SELECT v /* ü */ FROM t\r\n  WHERE id = :long_name AND v > :x");
  assert.deepEqual(transaction?.header.range, {
    start: { line: 1, character: 0 },
    end: { line: 1, character: 5 },
  });
  assert.deepEqual(transaction?.source.range.end, { line: 4, character: 6 });
});

test("DDL of any file serves all", () => {
  const program = programOf({ "z/schema.sql": T, "a.sql": ADD });
  assert.deepEqual(describeNotes(program), []);
  const [table] = program.schema.tables;
  assert.equal(table?.inferred, false);
  assert.deepEqual(table?.primaryKey, ["id"]);
  assert.deepEqual(table?.uniqueKeys, [{ columns: ["name"] }]);
  assert.deepEqual(
    table?.columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? "?" : ""}`),
    ["id int", "v int", "name text?"],
  );
});

test("unknown columns are noted at their place", () => {
  const program = programOf({
    "a.sql": `${T}BEGIN;\nUPDATE t SET w = 1\nWHERE nam = 'x';\nCOMMIT;`,
  });
  const notes = program.notes.map((note) => {
    const { start, end } = note.source.range;
    return `${start.line}:${start.character}-${end.character} ${note.message}`;
  });
  assert.deepEqual(notes, [
    '2:13-14 The table t has no column "w". Did you mean "v"?',
    '3:6-9 The table t has no column "nam". Did you mean "name"?',
  ]);
});

test("tables without DDL are guessed", () => {
  const keyOf = (text: string): string => {
    const [table] = programOf({ "a.sql": `BEGIN; ${text}; COMMIT;` }).schema.tables;
    return `${table?.primaryKey.join(", ")} of ${table?.columns.map((column) => column.name).join(", ")}`;
  };
  assert.equal(keyOf("UPDATE t SET v = 1 WHERE id = :a"), "id of v, id");
  assert.equal(
    keyOf("SELECT v FROM orders WHERE order_id = 1 AND v > 2"),
    "order_id of v, order_id",
  );
  assert.equal(keyOf("SELECT v FROM t WHERE a = 1 AND b = :b"), "a, b of v, a, b");
  assert.equal(keyOf("SELECT v FROM t"), " of v");
  assert.equal(keyOf("DELETE FROM stock WHERE sku = 'a'"), "sku of sku");
  // Who looks before it inserts knows of no key that refuses the second row.
  const taken = "SELECT v FROM t WHERE a = :a; INSERT INTO t (a, v) VALUES (:a, 1)";
  assert.equal(keyOf(taken), " of v, a");
  assert.equal(keyOf(taken.replaceAll("a", "id")), "id of v, id");
  assert.equal(keyOf("SELECT v FROM t WHERE a = :a; INSERT INTO t (v) VALUES (1)"), "a of v, a");
  const inOne = "INSERT INTO t (a) SELECT :a WHERE NOT EXISTS (SELECT 1 FROM t WHERE a = :a)";
  assert.equal(keyOf(`${inOne}; UPDATE t SET v = 1 WHERE a = :a`), " of a, v");
  // An insertion that goes on where a key refuses its row knows of one.
  for (const known of ["ON CONFLICT (a) DO UPDATE SET v = 2", "ON CONFLICT DO NOTHING"])
    assert.equal(keyOf(`${taken} ${known}`), "a of v, a");
  assert.equal(keyOf("INSERT INTO t (b) VALUES (1) ON CONFLICT (b) DO NOTHING"), "b of b");
  const program = programOf({
    "a.sql": "BEGIN;\nSELECT * FROM t WHERE id = 1;\nUPDATE t SET name = 'a' WHERE id = 1;COMMIT;",
  });
  assert.deepEqual(
    describeTransactions(program)[1],
    "  r1 = select t.id as id, t.name as name from t where (t.id = 1)",
  );
  assert.deepEqual(describeNotes(program), ["2:unknown-table"]);
  assert.deepEqual(
    program.schema.tables[0]?.columns.map(({ name, type }) => `${name} ${type}`),
    ["id int", "name text"],
  );
});

test("reading again gives the same, and an edit changes its file alone", () => {
  const reader = createReader({});
  // Any text will do for an opaque file name.
  const file = (name: string, text: string) => ({ file: name as FileId, text });
  const first = reader.read([file("s.sql", T), file("a.sql", ADD), file("b.sql", ADD)]);
  const again = reader.read([file("s.sql", T), file("a.sql", ADD), file("b.sql", ADD)]);
  assert.deepEqual(again, first);
  const edited = reader.read([
    file("s.sql", T),
    file("a.sql", ADD.replace("+ 1", "+ 2")),
    file("b.sql", ADD),
  ]);
  assert.deepEqual(edited.transactions[1], first.transactions[1]);
  assert.notDeepEqual(edited.transactions[0], first.transactions[0]);
  assert.deepEqual(ids(reader.read([file("b.sql", ADD)])), ["b"]);
});

test("broken files leave the others alone", () => {
  const good = describeTransactions(programOf({ "s.sql": T, "good.sql": ADD }));
  for (const bad of [
    "",
    "\0\u0001PK",
    "BEGIN; UPDATE t SET v = 'abc; COMMIT;",
    "SELECT (((((",
    "CREATE FUNCTION f() RETURNS int AS $$ BEGIN",
    "/* never closed",
    "\\if\n\\else\n\\endif\n\\endif",
    "COMMIT; ROLLBACK; END;",
    "BEGIN; SELECT ; COMMIT",
    ")".repeat(1000),
    "\ud800 \udfff",
  ]) {
    const program = programOf({ "s.sql": T, "good.sql": ADD, "bad.sql": bad });
    const found = describeTransactions(program).filter((_, at) => at < good.length);
    assert.deepEqual(found, good, bad);
  }
});

test("nesting, length and number have no limit that breaks", () => {
  const deep = (open: string, close: string): string =>
    `BEGIN; SELECT ${open.repeat(500)}1${close.repeat(500)}; COMMIT;`;
  const texts = [
    deep("(", ")"),
    deep("(SELECT ", ")"),
    deep("CASE WHEN true THEN ", " END"),
    deep("NOT ", ""),
    `BEGIN; SELECT 1${"+1".repeat(5000)}; COMMIT;`,
    `BEGIN;\n${"\\if :a\n".repeat(5000)}DELETE FROM t;\n${"\\endif\n".repeat(5000)}COMMIT;`,
    `BEGIN;\n\\if :a\n${"\\elif :a\nDELETE FROM t;\n".repeat(5000)}\\endif\nCOMMIT;`,
    `\\set x ${"(".repeat(5000)}\nBEGIN; UPDATE t SET v = :x; COMMIT;`,
    `\\set x 1\n${"\\set x :x + 1\n".repeat(5000)}BEGIN; UPDATE t SET v = :x; COMMIT;`,
  ];
  for (const text of texts) {
    const program = programOf({ "a.sql": text });
    assert.ok(program.transactions.length <= 1);
  }
  const many = programOf({ "a.sql": `${ADD}\n`.repeat(2_000) });
  assert.equal(many.transactions.length, 2_000);
});

test("what a query counts or orders by is no key of a table that nobody declares", () => {
  const keyIn = (text: string): readonly string[] | undefined =>
    programOf({ "a.sql": text }).schema.tables[0]?.primaryKey;
  const add = "INSERT INTO members (team, person) VALUES (:t, :p)";
  const read = "BEGIN; SELECT person FROM members WHERE team = :t; COMMIT;";
  assert.deepEqual(keyIn(`${read} BEGIN; ${add}; COMMIT;`), ["team"]);
  for (const query of [
    "SELECT count(*) FROM members WHERE team = :t",
    "SELECT person FROM members WHERE team = :t ORDER BY person",
    "SELECT sum(weight) FROM members WHERE team = :t AND person = :p",
  ]) {
    assert.deepEqual(keyIn(`BEGIN; ${query}; ${add}; COMMIT;`), [], query);
  }
});
