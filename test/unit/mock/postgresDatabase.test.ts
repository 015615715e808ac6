// Real clients of PostgreSQL against the whole mock database. Those that are not installed are listed by name.
import assert from "node:assert/strict";
import net from "node:net";
import path from "node:path";
import { describe, test } from "node:test";
import pg from "pg";
import postgres from "postgres";
import { DataSource, EntitySchema } from "typeorm";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { openStore, type OpenedStore, type StoreOptions } from "../../../server/src/mock/openStore";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { javaDriver, output, pythonWith } from "../../support/programs";

const SCHEMA = `CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE customer (id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, mood mood);
CREATE TABLE account (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner int NOT NULL REFERENCES customer (id) ON DELETE CASCADE,
  balance numeric(12,2) NOT NULL DEFAULT 0 CHECK (balance >= 0),
  at timestamptz
);
CREATE INDEX account_owner ON account (owner);
CREATE VIEW rich AS SELECT id, balance FROM account WHERE balance > 90;
INSERT INTO customer (name) VALUES ('a'), ('b');
INSERT INTO account (owner, balance) VALUES (1, 100), (2, 50);`;

async function withStore(
  body: (store: OpenedStore) => Promise<void>,
  options: Partial<StoreOptions> = {},
): Promise<void> {
  const store = await openStore({
    level: "serializable",
    strategy: "latest",
    schema: SCHEMA,
    ...options,
  });
  try {
    await body(store);
  } finally {
    await store.close();
  }
}

async function connected(store: OpenedStore): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: store.url });
  await client.connect();
  return client;
}

describe("pg", () => {
  test("at READ COMMITTED a statement that begins with rows of its own savepoint sees what is new", () =>
    withStore(
      async (store) => {
        const [client, other] = [await connected(store), await connected(store)];
        await client.query("BEGIN; SELECT * FROM account; SAVEPOINT one");
        await client.query("UPDATE account SET balance = 1 WHERE id = 1");
        await other.query("UPDATE account SET balance = 2 WHERE id = 2");
        const { rows } = await client.query(
          "SELECT (SELECT balance FROM account WHERE id = 1) AS own, (SELECT balance FROM account WHERE id = 2) AS new",
        );
        assert.deepEqual(rows, [{ own: "1.00", new: "2.00" }]);
        await client.query("COMMIT");
        await Promise.all([client.end(), other.end()]);
      },
      { level: "postgres:read-committed" },
    ));

  test("runs transactions with savepoints, and learns of errors by their codes", () =>
    withStore(async (store) => {
      const client = await connected(store);
      await client.query("BEGIN");
      await client.query("SAVEPOINT one");
      const taken = client.query("INSERT INTO customer (name) VALUES ($1)", ["a"]);
      await assert.rejects(taken, { code: "23505", constraint: "customer_name_key" });
      await assert.rejects(client.query("SELECT 1"), { code: "25P02" });
      await client.query("ROLLBACK TO SAVEPOINT one");
      const { rows } = await client.query(
        "INSERT INTO customer (name) VALUES ($1) RETURNING name",
        ["c"],
      );
      assert.deepEqual(rows, [{ name: "c" }]);
      await client.query("COMMIT");
      await assert.rejects(client.query("COPY customer FROM '/tmp/x'"), { code: "0A000" });
      assert.deepEqual(store.rows("SELECT count(*) FROM customer"), [{ count: "3" }]);
      assert.equal(store.verdicts()["serializable"], "ok");
      store.reset();
      assert.deepEqual(store.rows("SELECT count(*) FROM customer"), [{ count: "2" }]);
      await client.end();
    }));

  test("shares a pool", () =>
    withStore(async (store) => {
      const pool = new pg.Pool({ connectionString: store.url, max: 4 });
      const sums = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          pool.query<{ sum: number }>("SELECT $1::int + 1 AS sum", [at]),
        ),
      );
      assert.deepEqual(
        sums.map(({ rows }) => rows[0]?.sum),
        Array.from({ length: 20 }, (_, at) => at + 1),
      );
      await pool.end();
    }));

  test("asks the catalogue", () =>
    withStore(async (store) => {
      const client = await connected(store);
      const answers: readonly (readonly [string, unknown])[] = [
        ["SELECT 'account'::regclass::text AS x", "account"],
        ["SELECT to_regclass('public.nothing') AS x", null],
        ["SELECT current_schema() AS x", "public"],
        ["SHOW server_version", "15.0"],
        [
          "SELECT count(*)::int AS x FROM information_schema.columns WHERE table_name = 'account'",
          4,
        ],
        [
          "SELECT format_type(atttypid, atttypmod) AS x FROM pg_attribute WHERE attrelid = 'account'::regclass AND attname = 'balance'",
          "numeric(12,2)",
        ],
        [
          "SELECT pg_get_constraintdef(oid) AS x FROM pg_constraint WHERE conname = 'account_owner_fkey'",
          "FOREIGN KEY (owner) REFERENCES customer(id) ON DELETE CASCADE",
        ],
        [
          "SELECT indexdef AS x FROM pg_indexes WHERE indexname = 'account_owner'",
          "CREATE INDEX account_owner ON public.account USING btree (owner)",
        ],
        [
          "SELECT pg_get_viewdef('rich'::regclass) AS x",
          " SELECT id, balance FROM account WHERE (balance > 90);",
        ],
        ["SELECT string_agg(enumlabel, ',' ORDER BY enumsortorder) AS x FROM pg_enum", "sad,ok"],
      ];
      for (const [sql, answer] of answers) {
        const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
        assert.deepEqual(rows, [[answer]], sql);
      }
      await assert.rejects(client.query("SELECT 'nothing'::regclass"), { code: "42P01" });
      await client.end();
    }));

  test("finds no rows of a table that was dropped, and those of one that was renamed", () =>
    withStore(async (store) => {
      const client = await connected(store);
      await client.query("ALTER TABLE account RENAME TO accounts");
      assert.equal((await client.query("SELECT * FROM accounts")).rowCount, 2);
      await client.query("DROP TABLE accounts; CREATE TABLE accounts (id int PRIMARY KEY)");
      assert.equal((await client.query("SELECT * FROM accounts")).rowCount, 0);
      await client.end();
    }));
});

describe("postgres.js", () => {
  test("fetches types, sends arrays, reads in portions and nests transactions", () =>
    withStore(async (store) => {
      const sql = postgres(store.url, { max: 2 });
      const [row] = await sql`SELECT ${[1, 2]}::int[] AS list, ${new Date(0)}::timestamptz AS day`;
      assert.deepEqual(row, { list: [1, 2], day: new Date(0) });
      await sql.begin(async (transaction) => {
        await transaction`INSERT INTO customer ${transaction([{ name: "c" }, { name: "d" }])}`;
        const undone = transaction.savepoint(async (inner) => {
          await inner`INSERT INTO customer (name) VALUES ('e')`;
          throw new Error("not this one");
        });
        await assert.rejects(undone, /not this one/);
      });
      const portions: number[] = [];
      await sql`SELECT id FROM customer ORDER BY id`.cursor(3, (rows) => {
        portions.push(rows.length);
      });
      assert.deepEqual(portions, [3, 1]);
      await sql.end();
    }));
});

interface Author {
  id: number;
  name: string;
  age: number;
}

const authors = new EntitySchema<Author>({
  name: "author",
  columns: {
    id: { type: Number, primary: true, generated: true },
    name: { type: String, unique: true },
    age: { type: "int", default: 7 },
  },
});

interface Post {
  id: string;
  title: string;
  price: string;
  tags: string[];
  kind: string;
  author: Author;
}

const posts = new EntitySchema<Post>({
  name: "post",
  columns: {
    id: { type: "uuid", primary: true, generated: "uuid" },
    title: { type: "varchar", length: 80 },
    price: { type: "numeric", precision: 10, scale: 2, default: 0 },
    tags: { type: "text", array: true },
    kind: { type: "enum", enum: ["long", "short"], default: "long" },
  },
  indices: [{ columns: ["title"] }],
  relations: {
    author: { type: "many-to-one", target: "author", joinColumn: true, onDelete: "CASCADE" },
  },
});

describe("TypeORM", () => {
  test("makes its schema, finds nothing more to do, and works with it", () =>
    withStore(
      async (store) => {
        const source = new DataSource({
          type: "postgres",
          url: store.url,
          synchronize: true,
          entities: [authors, posts],
        });
        await source.initialize();
        const again = await source.driver.createSchemaBuilder().log();
        assert.deepEqual(again.upQueries, []);
        const author = await source.getRepository(authors).save({ name: "Ann" });
        const saved = await source.getRepository(posts).save({ title: "One", tags: ["x"], author });
        await source.transaction("SERIALIZABLE", async (manager) => {
          await manager.update(posts, { id: saved.id }, { title: "Two" });
        });
        const [found] = await source.getRepository(posts).find({ relations: { author: true } });
        const { title, kind, price, tags } = saved;
        assert.deepEqual(
          { title, kind, price, tags },
          { title: "One", kind: "long", price: "0.00", tags: ["x"] },
        );
        assert.deepEqual(found?.author, { id: 1, name: "Ann", age: 7 });
        assert.equal(found.title, "Two");
        await source.destroy();
      },
      { schema: "" },
    ));
});

describe("psql", () => {
  const commands: readonly (readonly [string, RegExp])[] = [
    ["\\dt", /public \| account +\| table/],
    ["\\d", /account_id_seq +\| sequence/],
    [
      "\\d account",
      /"account_owner_fkey" FOREIGN KEY \(owner\) REFERENCES customer\(id\) ON DELETE CASCADE/,
    ],
    ["\\d customer", /TABLE "account" CONSTRAINT "account_owner_fkey"/],
    ["\\d+ rich", /balance > 90/],
    ["\\di", /account_pkey/],
    ["\\l", /app/],
    ["\\dn", /public/],
    ["SELECT balance FROM account WHERE id = 2", /50\.00/],
  ];
  test("describes tables", (context) =>
    withStore(async (store) => {
      const args = commands.flatMap(([command]) => ["-c", command]);
      const shown = await output(context, "psql", "psql", ["-X", "-d", store.url, ...args]);
      if (shown === undefined) return;
      for (const [command, expected] of commands) assert.match(shown, expected, command);
    }));
});

const DRIVER = {
  variable: "ISOLENS_PGJDBC",
  files: ["/usr/share/java/postgresql.jar"],
  artifact: "org/postgresql/postgresql",
};

describe("a JDBC driver", () => {
  test("prepares statements, reads in portions and asks for tables", (context) =>
    withStore(async (store) => {
      const driver = javaDriver(context, "JDBC driver of PostgreSQL", DRIVER);
      if (driver === undefined) return;
      const program = path.join(__dirname, "fixtures", "PostgresClient.java");
      const shown = await output(context, "java", "java", [
        ...["-cp", driver, program],
        `jdbc:${store.url.replace("app@", "")}?user=app&prepareThreshold=2&defaultRowFetchSize=2`,
      ]);
      if (shown === undefined) return;
      assert.deepEqual(shown.trim().split("\n"), [
        "table account",
        "table customer",
        "column id int8",
        "column owner int4",
        "column balance numeric",
        "column at timestamptz",
        "inserted 3 4 5",
        "23505",
        "rows 4",
      ]);
    }));
});

const PSYCOPG = `
import sys, psycopg, decimal
with psycopg.connect(sys.argv[1]) as connection:
    cursor = connection.cursor(binary=True)
    cursor.execute("SELECT balance, %s::int[] FROM account WHERE id = %s", ([1, 2], 1))
    print(cursor.fetchone())
    try:
        with connection.transaction():
            connection.execute("INSERT INTO customer (name) VALUES ('a')")
    except psycopg.errors.UniqueViolation as error:
        print(error.sqlstate)
    with connection.pipeline():
        one, two = connection.execute("SELECT 1"), connection.execute("SELECT 2")
        print(one.fetchone(), two.fetchone())
`;

describe("psycopg", () => {
  test("sends parameters, reads binary values and sends ahead", (context) =>
    withStore(async (store) => {
      const python = await pythonWith(context, "psycopg");
      if (python === undefined) return;
      const shown = await output(context, "psycopg", python, ["-c", PSYCOPG, store.url]);
      assert.deepEqual(shown?.trim().split("\n"), [
        "(Decimal('100.00'), [1, 2])",
        "23505",
        "(1,) (2,)",
      ]);
    }));
});

describe("clients that misbehave", () => {
  test("give up a statement that waits for a lock, by a request of its own", () =>
    withStore(
      async (store) => {
        const [holder, waiter] = [await connected(store), await connected(store)];
        await holder.query("BEGIN; UPDATE account SET balance = 1 WHERE id = 1");
        await waiter.query("BEGIN");
        const { rows } = await waiter.query<{ id: number }>("SELECT pg_backend_pid()::int AS id");
        const id = rows[0]?.id ?? 0;
        const waiting = waiter.query("UPDATE account SET balance = 2 WHERE id = 1");
        const refused = assert.rejects(waiting, { code: "57014" });
        const request = Buffer.alloc(16);
        for (const [at, word] of [16, 80877102, id, id].entries())
          request.writeInt32BE(word, 4 * at);
        const socket = net.connect(store.port, "127.0.0.1");
        socket.resume();
        // The statement must have arrived before it can be given up.
        await holder.query("SELECT 1");
        socket.end(request);
        await refused;
        await waiter.query("ROLLBACK");
        await holder.query("COMMIT");
        assert.deepEqual(store.rows("SELECT balance FROM account WHERE id = 1"), [
          { balance: "1.00" },
        ]);
        await holder.end();
        await waiter.end();
      },
      { level: "postgres:read-committed" },
    ));

  test("bring a schema that is refused, and learn where", async () => {
    const schema = "CREATE TABLE one (id int);\n\nINSERT INTO two VALUES (1);\n";
    await assert.rejects(openStore({ level: "causal", schema }), /line 3: relation "two" does not/);
    const wrong = "CREATE TABLE one (id int);\nCREATE TABEL two (id int);";
    await assert.rejects(openStore({ level: "causal", schema: wrong }), /line 2: syntax error/);
    await assert.rejects(openStore({ level: "casual" }), /no level "casual"/);
  });

  test("disconnect inside a transaction, which is rolled back", () =>
    withStore(
      async (store) => {
        const client = await connected(store);
        client.on("error", () => undefined);
        await client.query("BEGIN; UPDATE account SET balance = 1");
        const ended = new Promise((resolve) => client.once("end", resolve));
        await client.end();
        await ended;
        assert.deepEqual(store.rows("SELECT min(balance) AS least FROM account"), [
          { least: "50.00" },
        ]);
        const next = await connected(store);
        assert.equal((await next.query("SELECT 1 AS x")).rowCount, 1);
        await next.end();
      },
      { level: "postgres:read-committed" },
    ));

  test("send bytes that mean nothing, or announce too many", () =>
    withStore(async (store) => {
      const starts = [
        Buffer.from("GET / HTTP/1.1\r\n\r\n"),
        Buffer.alloc(64, 0xff),
        Buffer.from([0, 0, 0, 8, 0, 3, 0, 0, 0x51, 0x7f, 0xff, 0xff, 0xff]),
      ];
      for (const bytes of starts) {
        const socket = net.connect(store.port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.resume();
        const closed = new Promise((resolve) => socket.once("close", resolve));
        socket.write(bytes);
        await closed;
      }
      const client = await connected(store);
      await client.query("SELECT 1");
      await client.end();
    }));

  test("come two hundred at a time", () =>
    withStore(async (store) => {
      const clients = await Promise.all(Array.from({ length: 200 }, () => connected(store)));
      const results = await Promise.all(
        clients.map((client) =>
          client.query<{ n: number }>("SELECT count(*)::int AS n FROM account"),
        ),
      );
      assert.ok(results.every(({ rows }) => rows[0]?.n === 2));
      await Promise.all(clients.map((client) => client.end()));
    }));
});

test("a client that draws its own numbers is judged as well as one that repeats itself", async () => {
  for (const level of ["read-committed", "causal", "serializable"])
    for (let draw = 1; draw <= 3; draw++)
      await withStore(
        async (store) => {
          const random = randomNumbers(draw);
          const clients = await Promise.all([connected(store), connected(store)]);
          const move = async (client: pg.Client): Promise<void> => {
            await client.query("BEGIN");
            const { rows } = await client.query<{ n: number }>(
              "SELECT sum(n)::int AS n FROM tally",
            );
            const key = random(4);
            await client.query(
              `INSERT INTO tally VALUES (${key}, ${rows[0]?.n ?? 0}) ON CONFLICT (id) DO UPDATE SET n = tally.n + 1`,
            );
            await client.query(random(3) === 0 ? "ROLLBACK" : "COMMIT");
          };
          for (let round = 0; round < 4; round++)
            await Promise.allSettled(
              clients.map((client) => move(client).catch(() => client.query("ROLLBACK"))),
            );
          for (const client of clients) await client.end();
          assert.equal(ownEntry(store.verdicts(), level), "ok", `${level}, client ${draw}`);
        },
        { level, strategy: "uniform", schema: "CREATE TABLE tally (id int PRIMARY KEY, n int)" },
      );
});
