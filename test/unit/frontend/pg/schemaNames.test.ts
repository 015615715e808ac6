// Tables of one name in several schemas are different tables.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";

async function read(...texts: readonly string[]): Promise<Program> {
  const pg = await loadPgParser();
  const files = texts.map((text, at) => ({ file: `${String(at)}.sql` as FileId, text }));
  return readProgram(files, { pg }, { dialect: "postgres" });
}

/** Each table with its columns and the tables that it refers to. */
function shape({ schema }: Program): Readonly<Record<string, string>> {
  return Object.fromEntries(
    schema.tables
      .filter(({ inferred }) => !inferred)
      .map(({ name, columns, foreignKeys }) => [
        name,
        [...columns.map((each) => each.name), ...foreignKeys.map((key) => `-> ${key.table}`)].join(
          " ",
        ),
      ]),
  );
}

/** The tables of the statements of the first transaction, in order. */
function named([first]: Program["transactions"]): readonly (string | undefined)[] {
  const body = JSON.stringify(first?.body);
  return [...body.matchAll(/"table":"([\w.]+)"/gu)].map(([, name]) => name);
}

/** The losses of its statements. */
function reasons({ transactions }: Program): readonly string[] {
  const bodies = transactions.map(({ body }) => JSON.stringify(body)).join("");
  return [...bodies.matchAll(/"reason":"([^"]*)"/gu)].map(([, reason = ""]) => reason);
}

const AUTH = "CREATE TABLE auth.users (id int PRIMARY KEY, token int NOT NULL);";
const PUBLIC = "CREATE TABLE users (id int PRIMARY KEY, n int NOT NULL);";
const BOTH = { "auth.users": "id token", users: "id n" };

describe("tables of one name", () => {
  it("are told apart by their schemas, whichever comes first", async () => {
    assert.deepEqual(shape(await read(AUTH + PUBLIC)), BOTH);
    assert.deepEqual(shape(await read(PUBLIC + AUTH)), BOTH);
    const dumped = `SET search_path = auth, pg_catalog; ${AUTH.replace("auth.", "")}`;
    assert.deepEqual(shape(await read(dumped, PUBLIC)), BOTH);
    assert.deepEqual(shape(await read(AUTH + PUBLIC.replace("users", "app.users"))), {
      "auth.users": "id token",
      "app.users": "id n",
    });
  });

  it("go by their name where no other schema has it", async () => {
    const app = `CREATE TABLE app.users (id int PRIMARY KEY); CREATE TABLE app.orders (id int PRIMARY KEY, u int REFERENCES app.users);`;
    assert.deepEqual(shape(await read(app)), { users: "id", orders: "id u -> users" });
    assert.deepEqual(shape(await read("CREATE TABLE users (id int); CREATE TABLE public.users (id int);")), { users: "id" }); // prettier-ignore
  });

  it("are referred to by their schema, before and after both are known", async () => {
    const orders = "CREATE TABLE orders (id int, a int REFERENCES auth.users, b int REFERENCES users);"; // prettier-ignore
    assert.equal(shape(await read(AUTH + PUBLIC + orders))["orders"], "id a b -> auth.users -> users"); // prettier-ignore
    const early = "CREATE TABLE early (id int, a int REFERENCES auth.users);";
    assert.equal(shape(await read(AUTH + early + PUBLIC))["early"], "id a -> auth.users");
    const profile = "CREATE TABLE public.users (id int PRIMARY KEY REFERENCES auth.users (id));";
    assert.equal(shape(await read(profile))["users"], "id -> auth.users");
    const tree = "CREATE TABLE auth.users (id int PRIMARY KEY, up int REFERENCES auth.users);";
    assert.equal(shape(await read(PUBLIC + tree))["auth.users"], "id up -> auth.users");
  });

  it("change, go and are renamed apart", async () => {
    const change = "ALTER TABLE auth.users ADD COLUMN at int;";
    assert.deepEqual(shape(await read(AUTH + PUBLIC + change)), { ...BOTH, "auth.users": "id token at" }); // prettier-ignore
    assert.deepEqual(shape(await read(`${AUTH}${PUBLIC}DROP TABLE auth.users;`)), {
      users: "id n",
    });
    const moved = shape(await read(`${AUTH}${PUBLIC}ALTER TABLE auth.users RENAME TO people;`));
    assert.deepEqual(moved, { people: "id token", users: "id n" });
  });

  it("move with their schemas", async () => {
    const reads =
      "-- @transaction f\nBEGIN; SELECT n FROM app.users; SELECT n FROM old.users; COMMIT;";
    for (const move of [
      "ALTER TABLE old.users SET SCHEMA app;",
      "ALTER SCHEMA old RENAME TO app;",
    ]) {
      const moved = PUBLIC.replace("users", "old.users") + move;
      assert.deepEqual(named((await read(moved + reads)).transactions), ["users", "old.users"]);
      assert.deepEqual(Object.keys(shape(await read(PUBLIC + moved))), ["users", "app.users"]);
    }
  });

  it("are others than one of a schema whose definition is elsewhere", async () => {
    for (const own of [PUBLIC, PUBLIC.replace("users", "public.users"), ""]) {
      const { transactions } = await read(`${own}
-- @transaction f
BEGIN; SELECT n FROM users; SELECT n FROM public.users; SELECT x FROM auth.users; COMMIT;`);
      assert.deepEqual(named(transactions), ["users", "users", "auth.users"]);
    }
    const keys = shape(await read(`${PUBLIC} CREATE TABLE p (id int REFERENCES auth.users);`));
    assert.equal(keys["p"], "id -> auth.users");
    const later = `CREATE TABLE o (id int REFERENCES app.later); CREATE TABLE app.later (id int PRIMARY KEY);`;
    assert.equal(shape(await read(later))["o"], "id -> later");
  });

  it("are found by the search path of the session and of a function", async () => {
    const reads = "BEGIN; SELECT 1 FROM users; COMMIT;";
    const paths = [
      ["SET search_path TO auth, public;", "auth.users"],
      ["SET search_path = other, public;", "users"],
      ["SET search_path = other;", "other.users"],
      ["SET LOCAL search_path TO 'auth';", "auth.users"],
      ["SET SCHEMA 'auth';", "auth.users"],
      ["SELECT pg_catalog.set_config('search_path', 'auth', false);", "auth.users"],
      [`SET search_path TO "$user", public;`, "users"],
      ["SET search_path = auth; RESET search_path;", "users"],
    ];
    for (const [path = "", table] of paths) {
      const { transactions } = await read(`${AUTH}${PUBLIC}`, `${path}\n${reads}`);
      assert.deepEqual(named(transactions.slice(-1)), [table], path);
    }
    const { transactions } = await read(`${AUTH}${PUBLIC}
CREATE FUNCTION f() RETURNS int LANGUAGE sql SET search_path = auth, pg_temp AS 'SELECT id FROM users';`);
    assert.deepEqual(named(transactions), ["auth.users"]);
  });

  it("are not views of other schemas", async () => {
    const views = `CREATE TABLE private.users (id int PRIMARY KEY, n int);
CREATE VIEW api.users AS SELECT id AS shown FROM private.users;
CREATE VIEW public.users AS SELECT id AS listed FROM api.users;
CREATE VIEW rep.totals AS SELECT count(*) AS c FROM private.users;
-- @transaction f
BEGIN; SELECT n FROM private.users; SELECT * FROM api.users; SELECT * FROM users; SELECT * FROM totals; COMMIT;`;
    const { transactions } = await read(views);
    const base = /"table":"([\w.]+)","kind":"base"/gu;
    const tables = [...JSON.stringify(transactions[0]?.body).matchAll(base)];
    assert.deepEqual(tables.map(([, name]) => name), Array(4).fill("private.users")); // prettier-ignore
    assert.match(JSON.stringify(transactions[0]?.body), /"shown".*"listed"/u);
  });

  it("leave what may be any of them undecided", async () => {
    const app = PUBLIC.replace("users", "app.users");
    const reads = "-- @transaction f\nBEGIN; SELECT id FROM users; COMMIT;";
    const either = await read(`${AUTH}${app}${reads}`);
    assert.deepEqual(reasons(either), [
      "whether users is auth.users or app.users or another table",
    ]);
    const same = AUTH + AUTH.replace("auth", "app");
    assert.deepEqual(reasons(await read(same + reads)), []);
    assert.deepEqual(
      reasons(await read(`${same}${reads.replace("COMMIT", "SELECT id FROM app.users; COMMIT")}`)),
      Array(2).fill("whether users is auth.users or app.users or another table"),
    );
  });

  it("go with their schema", async () => {
    assert.deepEqual(shape(await read(`${AUTH}${PUBLIC}DROP SCHEMA auth CASCADE;`)), {
      users: "id n",
    });
  });

  it("are read and written apart", async () => {
    const { transactions } = await read(`${AUTH}${PUBLIC}
-- @transaction f
BEGIN;
SELECT users.token FROM auth.users WHERE users.id = :id;
UPDATE users SET n = 1 WHERE id = :id;
INSERT INTO auth.users VALUES (:id, 1);
DELETE FROM public.users USING auth.users AS other WHERE users.id = other.token;
LOCK TABLE auth.users;
COMMIT;`);
    assert.deepEqual(named(transactions), ["auth.users", "users", "auth.users", "users", "auth.users", "auth.users"]); // prettier-ignore
    assert.deepEqual(transactions[0]?.taint, []);
  });
});

it("a renamed table is what others refer to", async () => {
  const lines = "CREATE TABLE orders (id int PRIMARY KEY); CREATE TABLE lines (id int, o int REFERENCES orders); ALTER TABLE orders RENAME TO sales;"; // prettier-ignore
  assert.deepEqual(shape(await read(lines)), { lines: "id o -> sales", sales: "id" });
});
