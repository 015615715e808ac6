// Statements on tables with triggers: what stands in their place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { firesWhen } from "../../../../server/src/frontend/sql/pg/columnNames";
import type { Program } from "../../../../server/src/program/program";
import { statementsOf } from "../../../../server/src/service/statements";
import { renderCommand } from "../sql/render";
import { sql } from "../../truth/analyse";
import { parser } from "./programs";

const TABLES = `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, at timestamptz, n int);
CREATE TABLE log (id int, was int, became int, what text);
`;

async function read(text: string): Promise<Program> {
  return readProgram([sql(TABLES + text)], { pg: await parser() });
}

function trigger(when: string, body: string): string {
  const name = `f${String(when.length)}_${String(body.length)}`;
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$;
CREATE TRIGGER ${name} ${when} EXECUTE FUNCTION ${name}();
`;
}

/** The transaction as text, its losses behind. */
async function fired(definitions: string, statement: string): Promise<readonly string[]> {
  const { transactions } = await read(`${definitions}BEGIN;\n${statement};\nCOMMIT;\n`);
  return transactions.flatMap(({ body, taint }) => [
    ...renderCommand(body),
    ...[...taint, ...statementsOf(body).flatMap((each) => each.taint)].map(
      ({ effect, reason }) => `! ${effect}: ${reason}`,
    ),
  ]);
}

const TOUCH = trigger("BEFORE UPDATE ON t FOR EACH ROW", "BEGIN NEW.at = now(); RETURN NEW; END");

test("a BEFORE trigger that computes becomes a part of the UPDATE", async () => {
  assert.deepEqual(await fired(TOUCH, "UPDATE t SET v = v + 1 WHERE v > 3"), [
    "@trigger.new.at := fresh now",
    "update t set v = (t.v + 1), at = @trigger.new.at where (t.v > 3)",
  ]);
});

test("columns that UPDATE OF does not name fire nothing, and WHEN is a condition", async () => {
  const counts = trigger(
    "BEFORE UPDATE OF v ON t FOR EACH ROW WHEN (OLD.v IS DISTINCT FROM NEW.v)",
    "BEGIN NEW.n := OLD.n + 1; RETURN NEW; END",
  );
  assert.deepEqual(await fired(counts, "UPDATE t SET at = null WHERE id = 1"), [
    "update t set at = null where (t.id = 1)",
  ]);
  const [text = ""] = await fired(counts, "UPDATE t SET v = $1 WHERE id = 1");
  assert.match(text, /^update t set v = :\$1, n = .* where \(t.id = 1\)$/);
});

test("a column that a client leaves out fires UPDATE OF where it is given, and one that keeps its value always", async () => {
  const { transactions } = await read(
    "BEGIN;\nUPDATE t SET v = CASE WHEN $1 THEN $2 ELSE v END WHERE id = 1;\nCOMMIT;\n",
  );
  const [update] = transactions.flatMap(({ body }) => statementsOf(body));
  assert.ok(update?.kind === "update");
  const trigger = { columns: ["v"] };
  assert.equal(firesWhen(trigger, update), undefined);
  const set = update.set.map((each) => ({ ...each, mayBeLeftOut: true as const }));
  const condition = firesWhen(trigger, { ...update, set });
  assert.deepEqual(
    condition,
    set.map(({ value }) => (value.kind === "conditional" ? value.condition : value))[0],
  );
});

test("RETURN NULL leaves rows out, and a condition that fails undoes all", async () => {
  const keeps = trigger(
    "BEFORE DELETE ON t FOR EACH ROW",
    "BEGIN IF OLD.v > 0 THEN RETURN NULL; END IF; IF OLD.n = 1 THEN RAISE EXCEPTION 'no'; END IF; RETURN OLD; END",
  );
  const [deletion = "", loop = "", check = "", rollback = ""] = await fired(keeps, "DELETE FROM t");
  assert.match(deletion, /^delete t where .*t\.v > 0.* returning r1: /);
  assert.match(loop, /^loop /);
  assert.match(check, /if r1.*\.fails 1/);
  assert.match(rollback, /rollback/);
});

const LOG = trigger(
  "AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH ROW",
  `BEGIN
    IF TG_OP = 'INSERT' THEN INSERT INTO log (id, became, what) VALUES (NEW.id, NEW.v, TG_OP);
    ELSIF TG_OP = 'DELETE' THEN INSERT INTO log (id, was, what) VALUES (OLD.id, OLD.v, TG_OP);
    ELSE INSERT INTO log VALUES (OLD.id, OLD.v, NEW.v, TG_OP); END IF;
    RETURN NULL;
  END`,
);

test("an AFTER trigger runs for the inserted row", async () => {
  const lines = await fired(LOG, "INSERT INTO t (id, v) VALUES ($1, 5)");
  assert.match(lines[0] ?? "", /^insert t .* returning r1: t.id as row.id, t.v as row.v$/);
  assert.equal(
    lines.at(-1),
    'insert log {id = @trigger.new.id, was = null, became = @trigger.new.v, what = "INSERT"}',
  );
});

test("what an AFTER trigger needs of the row as it was is read under the lock that the server takes", async () => {
  const lines = await fired(LOG, "UPDATE t SET v = v + $1 WHERE id = $2");
  assert.match(lines[0] ?? "", /^r1 = select .* from t where \(t.id = :\$2\) for no-key-update$/);
  assert.equal(lines[1], "if (size(r1) > 0)");
  assert.ok(lines.some((line) => /became = @trigger\.new\.v/.test(line)));
  assert.ok(!lines.some((line) => line.startsWith("!")));
});

test("rows that no key chooses are not read before", async () => {
  const lines = await fired(LOG, "UPDATE t SET v = 0 WHERE v > 3");
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? "", /^! approx: the trigger .* needs the rows as they were/);
  const others = await fired(LOG, "UPDATE t SET n = 0 WHERE v > 3");
  assert.ok(!others.some((line) => line.startsWith("!")), others.join("\n"));
});

test("a row that a BEFORE trigger leaves out is not inserted", async () => {
  const once = trigger(
    "BEFORE INSERT ON t FOR EACH ROW",
    "BEGIN IF EXISTS (SELECT 1 FROM log WHERE id = NEW.id) THEN RETURN NULL; END IF; NEW.n = 7; RETURN NEW; END",
  );
  const lines = await fired(once, "INSERT INTO t (id, v) VALUES ($1, 5)");
  const at = lines.findIndex((line) => /^ +insert t/.test(line));
  assert.match(lines[at] ?? "", /n = @trigger\.new\.n/);
  assert.ok(lines.some((line) => line.includes("from log")));
});

test("statement triggers run once, and triggers fire others", async () => {
  const chained =
    trigger("AFTER INSERT ON t", "BEGIN INSERT INTO log (id) VALUES (1); RETURN NULL; END") +
    trigger("AFTER INSERT ON log", "BEGIN DELETE FROM t WHERE id = 9; RETURN NULL; END");
  const lines = await fired(chained, "INSERT INTO t (id, v) SELECT id, 1 FROM log");
  assert.deepEqual(
    lines.map((line) => line.split(" ").slice(0, 2).join(" ")),
    ["insert t", "insert log", "delete t"],
  );
});

test("triggers that fire themselves, or whose function is not known, are losses", async () => {
  const circle = trigger(
    "AFTER INSERT ON t",
    "BEGIN INSERT INTO t (id, v) VALUES (1, 1); RETURN NULL; END",
  );
  const lines = await fired(circle, "INSERT INTO t (id, v) VALUES ($1, 1)");
  assert.ok(lines.includes("! approx: triggers that fire one another"));
  const unknown =
    "CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION elsewhere();\n";
  const [, loss] = await fired(unknown, "INSERT INTO t (id, v) VALUES ($1, 1)");
  assert.equal(loss, "! approx: the trigger x: its function elsewhere is not known");
  const { notes } = await read(unknown);
  assert.deepEqual(
    notes.map(({ message }) => message),
    ["The trigger x on t is not analysed as a whole: its function elsewhere is not known."],
  );
});

test("triggers that are dropped or switched off do nothing", async () => {
  const [name = ""] = /f\d+_\d+/.exec(TOUCH) ?? [];
  for (const end of [`DROP TRIGGER ${name} ON t`, `ALTER TABLE t DISABLE TRIGGER ALL`]) {
    const lines = await fired(`${TOUCH}${end};\n`, "UPDATE t SET v = 1 WHERE id = 2");
    assert.deepEqual(lines, ["update t set v = 1 where (t.id = 2)"]);
  }
  const on = `ALTER TABLE t DISABLE TRIGGER ${name};\nALTER TABLE t ENABLE TRIGGER ${name};\n`;
  assert.equal((await fired(TOUCH + on, "UPDATE t SET v = 1 WHERE id = 2")).length, 2);
});

test("what a unit's statement fires commits with it", async () => {
  const { transactions } = await read(
    `${LOG}-- @isolens unit two\nINSERT INTO t (id, v) VALUES (:a, 1);\nUPDATE t SET n = 1 WHERE id = :a;\n`,
  );
  const [unit] = transactions;
  assert.ok(unit?.body.kind === "sequence");
  assert.ok(JSON.stringify(unit.body).split('"kind":"atomic"').length === 3);
});

test("each of several inserted rows keeps what the trigger made of it", async () => {
  const more = trigger(
    "BEFORE INSERT ON t FOR EACH ROW",
    "BEGIN IF NEW.v IS NULL THEN NEW.v := 3; END IF; RETURN NEW; END",
  );
  const lines = await fired(more, "INSERT INTO t (id, v) VALUES (4, $1), (5, $2)");
  assert.match(
    lines.at(-1) ?? "",
    /^insert t \{.*v = @trigger\.new\.v of row 1.*\{.*v = @trigger\.new\.v of row 2/,
  );
});

test("a key that another table's rows choose changes many rows", async () => {
  const logs = trigger(
    "AFTER UPDATE ON t FOR EACH ROW",
    "BEGIN INSERT INTO log (id) VALUES (NEW.id); RETURN NULL; END",
  );
  const lines = await fired(logs, "UPDATE t SET v = log.was FROM log WHERE log.id = t.id");
  assert.match(lines[1] ?? "", /^loop /);
});

test("statements say by way of which triggers they run", async () => {
  const tidy = trigger(
    "AFTER INSERT ON log FOR EACH STATEMENT",
    "BEGIN DELETE FROM t WHERE n < 0; RETURN NULL; END",
  );
  const { transactions } = await read(
    `${LOG}${tidy}BEGIN;\nINSERT INTO t (id, v) VALUES (1, 2);\nCOMMIT;\n`,
  );
  const own = transactions.filter(({ boundary }) => boundary === "explicit");
  const ways = own.flatMap(({ body }) =>
    statementsOf(body).map(({ kind, through = [] }) => [
      kind,
      ...through.map((each) => `${each.kind ?? "call"} of ${String(each.source.range.start.line)}`),
    ]),
  );
  assert.deepEqual(ways, [
    ["insert"],
    ["insert", "trigger of 12"],
    ["delete", "trigger of 12", "trigger of 3"],
    ["insert", "trigger of 12", "trigger of 3", "trigger of 9"],
  ]);
});

test("the statement triggers of an upsert fire event by event", async () => {
  const upsert = "INSERT INTO t (id, v) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET v = 2";
  const told = "BEGIN INSERT INTO log (what) VALUES (TG_OP); RETURN NULL; END";
  const order = async (when: string): Promise<readonly string[]> => {
    const all = trigger(`${when} INSERT OR UPDATE ON t FOR EACH STATEMENT`, told);
    const text = (await fired(all, upsert)).join("\n");
    return [...text.matchAll(/"(?:UPDATE|INSERT)"/g)].map(([event]) => event);
  };
  assert.deepEqual(await order("BEFORE"), ['"INSERT"', '"UPDATE"']);
  assert.deepEqual(await order("AFTER"), ['"UPDATE"', '"INSERT"']);
});
