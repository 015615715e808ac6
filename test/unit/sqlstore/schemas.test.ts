// Tables of one name in several schemas of PostgreSQL hold rows of their own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

/** Rows of a text's last statement, or the message of its error. */
async function session(
  dialect: "postgres" | "mysql" = "postgres",
): Promise<(sql: string) => unknown> {
  const database = createDatabase({ dialect, parser: await loadPgParser() });
  const own = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0.5,
    rule: "current",
  });
  const { answer } = createMemoryStore();
  return (sql) => {
    const outcome = runNow(own.execute(sql), answer);
    return outcome.ok ? outcome.results.at(-1)?.rows : outcome.error.message;
  };
}

const AUTH = "CREATE TABLE auth.users (id serial PRIMARY KEY, token int NOT NULL UNIQUE);";
const PUBLIC = "CREATE TABLE users (id serial PRIMARY KEY, n int NOT NULL UNIQUE);";

for (const tables of [AUTH + PUBLIC, PUBLIC + AUTH])
  test(`rows, keys, numbers and references are apart: ${tables.slice(0, 30)}`, async () => {
    const run = await session();
    assert.deepEqual(run(`CREATE SCHEMA auth; ${tables}`), []);
    run("INSERT INTO auth.users (token) VALUES (7), (8)");
    run("INSERT INTO users (n) VALUES (7)");
    assert.deepEqual(run("SELECT * FROM auth.users ORDER BY id"), [[1, 7], [2, 8]]); // prettier-ignore
    assert.deepEqual(run("SELECT users.id, n FROM public.users"), [[1, 7]]);
    assert.match(String(run("INSERT INTO auth.users (token) VALUES (7)")), /duplicate key/u);
    run("UPDATE auth.users SET token = users.token + 1 WHERE auth.users.id = 2");
    run("DELETE FROM users WHERE id = 2");
    run(
      "INSERT INTO auth.users (id, token) VALUES (2, 1) ON CONFLICT (id) DO UPDATE SET token = users.token + 1",
    );
    assert.deepEqual(
      run("SELECT l.token, u.n FROM auth.users l LEFT JOIN users u ON u.id = l.id ORDER BY l.id"),
      [[7, 7], [10, null]], // prettier-ignore
    );
    run("CREATE TABLE profile (id int PRIMARY KEY REFERENCES auth.users (id))");
    assert.deepEqual(run("INSERT INTO profile VALUES (2)"), []);
    assert.match(String(run("DELETE FROM auth.users WHERE id = 2")), /foreign key/u);
    run("ALTER TABLE auth.users ADD COLUMN seen int");
    run("CREATE INDEX ON auth.users (seen)");
    assert.match(String(run("SELECT seen FROM users")), /does not exist/u);
    run("TRUNCATE users");
    assert.deepEqual(run("SELECT count(*)::int FROM auth.users"), [[2]]);
    run("DROP TABLE profile; DROP TABLE auth.users");
    assert.deepEqual(run("SELECT count(*)::int FROM users"), [[0]]);
  });

test("views of one schema read tables of another one", async () => {
  const run = await session();
  run(
    "CREATE TABLE private.todos (id int PRIMARY KEY, done int); INSERT INTO private.todos VALUES (1, 5)",
  );
  run("CREATE VIEW api.todos AS SELECT id AS shown FROM private.todos");
  assert.deepEqual(run("SELECT * FROM api.todos"), [[1]]);
  assert.deepEqual(run("SELECT * FROM private.todos"), [[1, 5]]);
});

test("a table that is made without a schema is found with any, a quoted dot is a part of a name", async () => {
  const run = await session();
  run(`SET search_path TO app; ${PUBLIC} INSERT INTO app.users (n) VALUES (3)`);
  assert.deepEqual(run("SELECT n FROM users"), [[3]]);
  assert.equal(run("SELECT n FROM app.others"), 'relation "app.others" does not exist');
  run('CREATE TABLE "a.b" (id int); INSERT INTO "a.b" VALUES (1)');
  assert.deepEqual(run('SELECT * FROM "a.b"'), [[1]]);
});

test("triggers are those of their table", async () => {
  const run = await session();
  run(`${AUTH}${PUBLIC} CREATE TABLE log (what int)`);
  run(
    "CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (1); RETURN NEW; END $$",
  );
  run("CREATE TRIGGER noted AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION noted()");
  run("INSERT INTO users (n) VALUES (1)");
  assert.deepEqual(run("SELECT count(*)::int FROM log"), [[0]]);
  run("INSERT INTO auth.users (token) VALUES (1)");
  assert.deepEqual(run("SELECT count(*)::int FROM log"), [[1]]);
  run("DROP TRIGGER noted ON auth.users");
  run("INSERT INTO auth.users (token) VALUES (2)");
  assert.deepEqual(run("SELECT count(*)::int FROM log"), [[1]]);
});

test("a connection of MySQL refuses tables of one name in two databases", async () => {
  const run = await session("mysql");
  run("CREATE TABLE a.t (id int PRIMARY KEY)");
  assert.match(
    String(run("CREATE TABLE b.t (id int PRIMARY KEY)")),
    /a table t in the databases a and b of one connection/u,
  );
  assert.match(String(run("CREATE TABLE IF NOT EXISTS b.t (id int)")), /connect to each of them/u);
  assert.match(String(run("CREATE TABLE a.t (id int PRIMARY KEY)")), /already exists/u);
});
