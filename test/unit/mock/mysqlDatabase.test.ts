// Clients of MySQL against the mock database as a whole: SQL over a store whose reads a level decides.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import mysql from "mysql2/promise";
import { DataSource, EntitySchema } from "typeorm";
import { randomNumbers } from "../../../server/src/exploration/randomNumbers";
import { checkHistory, type HistoryLevel } from "../../../server/src/history/check";
import { mockLevel } from "../../../server/src/mock/level";
import { listen } from "../../../server/src/mock/listen";
import { createMockDatabase, type MockDatabase } from "../../../server/src/mock/mockDatabase";
import { recordedHistory } from "./recorded";

const SCHEMA = `CREATE TABLE account (
  id int PRIMARY KEY AUTO_INCREMENT, owner varchar(20) NOT NULL UNIQUE, balance decimal(10,2) NOT NULL DEFAULT 0,
  CHECK (balance >= 0));
INSERT INTO account (owner, balance) VALUES ('ann', 100), ('bob', 50);`;

interface Served {
  readonly database: MockDatabase;
  readonly port: number;
  connect(): Promise<mysql.Connection>;
}

async function served(
  levelName: string,
  body: (served: Served) => Promise<void>,
  schema = SCHEMA,
  seed = 1,
): Promise<void> {
  const level = mockLevel(levelName);
  assert.ok(level.known && level.level, levelName);
  const made = createMockDatabase({
    dialect: "mysql",
    level: level.level,
    seed,
    strategy: "uniform",
    schema,
  });
  assert.ok(made.ok);
  const { database } = made;
  const server = await listen({ protocol: "mysql", port: 0, open: () => database.open() });
  const clients: mysql.Connection[] = [];
  try {
    await body({
      database,
      port: server.port,
      async connect() {
        const address = { host: "127.0.0.1", port: server.port, user: "u", database: "app" };
        const client = await mysql.createConnection(address);
        clients.push(client);
        return client;
      },
    });
    for (const client of clients) await client.end();
  } finally {
    await server.close();
  }
}

describe("mysql2 on the mock database", () => {
  test("asks and changes as applications do", () =>
    served("mysql:repeatable-read", async ({ connect }) => {
      const client = await connect();
      const [inserted] = await client.execute<mysql.ResultSetHeader>(
        "INSERT INTO account (owner) VALUES (?)",
        ["cid"],
      );
      assert.equal(inserted.insertId, 3);
      const [rows] = await client.execute("SELECT * FROM `account` WHERE id >= ? ORDER BY id", [2]);
      assert.deepEqual(rows, [
        { id: 2, owner: "bob", balance: "50.00" },
        { id: 3, owner: "cid", balance: "0.00" },
      ]);
      const upsert =
        "INSERT INTO account (id, owner, balance) VALUES (1, 'ann', 5) ON DUPLICATE KEY UPDATE balance = balance + VALUES(balance)";
      const [upserted] = await client.query<mysql.ResultSetHeader>(upsert);
      assert.equal(upserted.affectedRows, 2);
      const [sums] = await client.query("SELECT count(*) AS n, sum(balance) AS s FROM account");
      assert.deepEqual(sums, [{ n: 3, s: "155.00" }]);
    }));

  for (const [sql, errno, sqlState] of [
    ["INSERT INTO account (owner) VALUES ('ann')", 1062, "23000"],
    ["INSERT INTO account (owner) VALUES (NULL)", 1048, "23000"],
    ["UPDATE account SET balance = -1 WHERE id = 1", 3819, "HY000"],
    ["SELECT * FROM nothing", 1146, "42S02"],
    ["SELEC 1", 1064, "42000"],
  ] as const) {
    test(`is told error ${String(errno)} for ${sql}`, () =>
      served("mysql:read-committed", async ({ connect }) => {
        const client = await connect();
        await assert.rejects(client.query(sql), { errno, sqlState });
        await client.query("SELECT 1");
      }));
  }

  test("learns of tables, columns and settings", () =>
    served("causal", async ({ connect }) => {
      const client = await connect();
      const [tables] = await client.query("SHOW FULL TABLES LIKE 'acc%'");
      assert.deepEqual(tables, [{ Tables_in_app: "account", Table_type: "BASE TABLE" }]);
      const [columns] = await client.query<mysql.RowDataPacket[]>("DESCRIBE account");
      assert.deepEqual(
        columns.map(({ Field, Type, Key }) => [Field, Type, Key].map(String)),
        [
          ["id", "int", "PRI"],
          ["owner", "varchar(20)", "UNI"],
          ["balance", "decimal(10,2)", ""],
        ],
      );
      const [settings] = await client.query("SHOW VARIABLES LIKE 'autocommit'");
      assert.ok(Array.isArray(settings));
      await assert.rejects(client.query("SHOW COLUMNS FROM nothing"), { errno: 1146 });
    }));

  test("commits by itself unless it says otherwise", () =>
    served("mysql:read-committed", async ({ connect }) => {
      const [one, other] = [await connect(), await connect()];
      const balance = async (): Promise<unknown> => {
        const [rows] = await other.query<mysql.RowDataPacket[]>(
          "SELECT balance FROM account WHERE id = 1 FOR UPDATE",
        );
        return rows;
      };
      await one.query("SET autocommit = 0");
      await one.query("UPDATE account SET balance = 7 WHERE id = 1");
      await one.query("ROLLBACK");
      assert.deepEqual(await balance(), [{ balance: "100.00" }]);
      await one.query("SET autocommit = 1");
      await one.query("UPDATE account SET balance = 7 WHERE id = 1");
      assert.deepEqual(await balance(), [{ balance: "7.00" }]);
    }));

  test("waits for a lock, and is the victim of a deadlock", () =>
    served("mysql:repeatable-read", async ({ connect }) => {
      const [one, other] = [await connect(), await connect()];
      for (const [client, id] of [
        [one, 1],
        [other, 2],
      ] as const) {
        await client.beginTransaction();
        await client.query("UPDATE account SET balance = balance + 1 WHERE id = ?", [id]);
      }
      const waiting = one.query("UPDATE account SET balance = balance + 1 WHERE id = 2");
      const crossing = other.query("UPDATE account SET balance = balance + 1 WHERE id = 1");
      await assert.rejects(crossing, { errno: 1213, sqlState: "40001" });
      await waiting;
      await one.commit();
    }));
});

const LEVELS: readonly (readonly [string, HistoryLevel | undefined])[] = [
  ["read-committed", "read-committed"],
  ["causal", "causal"],
  ["snapshot-isolation", "snapshot-isolation"],
  ["serializable", "serializable"],
  ["mysql:read-committed", "read-committed"],
  ["mariadb:repeatable-read", undefined],
  ["mysql:serializable", "serializable"],
];

describe("a run of several connections", () => {
  for (const [level, holds] of LEVELS) {
    test(`at ${level} satisfies ${holds ?? "what it promises"}`, () =>
      served(level, async ({ connect, database }) => {
        const clients = await Promise.all([connect(), connect(), connect()]);
        await Promise.all(clients.map((client, at) => deposits(client, at)));
        const history = recordedHistory(database.history());
        const { verdicts } = checkHistory(history, { levels: holds ? [holds] : [] });
        if (holds) assert.equal(verdicts.get(holds), "ok");
        assert.ok(history.transactions > 10);
      }));
  }
});

/** Reads before it writes, as applications do; what the database refuses is given up. */
async function deposits(client: mysql.Connection, seed: number): Promise<void> {
  const random = randomNumbers(seed);
  for (let round = 0; round < 10; round++) {
    const id = 1 + random(2);
    try {
      await client.beginTransaction();
      const [rows] = await client.execute<mysql.RowDataPacket[]>(
        "SELECT balance FROM account WHERE id = ?",
        [id],
      );
      await client.execute("SELECT sum(balance) FROM account");
      await client.execute("UPDATE account SET balance = ? WHERE id = ?", [
        Number(rows[0]?.["balance"]) + 1,
        id,
      ]);
      await client.commit();
    } catch (error) {
      // 40001 and 1213 alike: the driver's errors carry the number.
      assert.ok(error instanceof Error && "errno" in error && error.errno === 1213, String(error));
      await client.rollback();
    }
  }
}

test("the command line of MariaDB", async (context) => {
  const program = ["mariadb", "mysql"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (program === undefined) {
    context.diagnostic("not run: MariaDB (command line)");
    return;
  }
  const { spawn } = await import("node:child_process");
  await served("mysql:repeatable-read", async ({ port }) => {
    const sql =
      "SHOW TABLES; SELECT id, balance FROM account ORDER BY id; UPDATE account SET balance = 1";
    const child = spawn(program, [
      ...["--no-defaults", "-h", "127.0.0.1", "-P", String(port), "-u", "u", "--skip-ssl"],
      ...["-D", "app", "-B", "-e", sql],
    ]);
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (out += text));
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(out, "Tables_in_app\naccount\nid\tbalance\n1\t100.00\n2\t50.00\n");
    assert.equal(code, 0);
  });
});

const SPELLED = `CREATE TABLE User (userId int PRIMARY KEY AUTO_INCREMENT, \`Full Name\` varchar(20) NOT NULL, createdAt datetime,
  teamId int, CONSTRAINT UQ_Name UNIQUE (\`Full Name\`));
CREATE VIEW Names AS SELECT userId AS theId, \`Full Name\` FROM User;
CREATE TABLE Post (postId int PRIMARY KEY, authorId int NOT NULL, title text,
  CONSTRAINT FK_Author FOREIGN KEY (authorId) REFERENCES User (userId) ON DELETE CASCADE);
CREATE UNIQUE INDEX IDX_Title ON Post (postId, authorId);
INSERT INTO user (\`full name\`, teamID) VALUES ('ann', 7);`;

describe("names keep their letters", () => {
  const cases: readonly (readonly [string, readonly Record<string, unknown>[]])[] = [
    ["SELECT * FROM User", [{ userId: 1, "Full Name": "ann", createdAt: null, teamId: 7 }]],
    ["SELECT u.userid, USERID AS Id FROM user u", [{ userid: 1, Id: 1 }]],
    ["SELECT `Full name` FROM User WHERE USERID = 1", [{ "Full name": "ann" }]],
    ["SELECT x.* FROM (SELECT userId AS theId, teamId FROM User) AS x", [{ theId: 1, teamId: 7 }]],
    ["WITH Them AS (SELECT * FROM User) SELECT teamID FROM Them", [{ teamID: 7 }]],
    ["SELECT * FROM Names", [{ theId: 1, "Full Name": "ann" }]],
    [
      "SELECT userId 'The Id', COUNT(*) AS `How Many` FROM User GROUP BY userId",
      [{ "The Id": 1, "How Many": 1 }],
    ],
    ["SELECT teamId FROM User UNION SELECT 8", [{ teamId: 7 }, { teamId: 8 }]],
    [
      "SHOW TABLES",
      [{ Tables_in_app: "Names" }, { Tables_in_app: "Post" }, { Tables_in_app: "User" }],
    ],
    [
      "SELECT INDEX_NAME, COLUMN_NAME FROM INFORMATION_SCHEMA.STATISTICS WHERE TABLE_NAME = 'Post' AND INDEX_NAME <> 'PRIMARY'",
      [
        { INDEX_NAME: "IDX_Title", COLUMN_NAME: "postId" },
        { INDEX_NAME: "IDX_Title", COLUMN_NAME: "authorId" },
        { INDEX_NAME: "FK_Author", COLUMN_NAME: "authorId" },
      ],
    ],
    [
      "SELECT k.CONSTRAINT_NAME AS Name, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME, r.DELETE_RULE FROM `INFORMATION_SCHEMA`.`KEY_COLUMN_USAGE` k JOIN INFORMATION_SCHEMA.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_NAME = k.CONSTRAINT_NAME",
      [
        {
          Name: "FK_Author",
          COLUMN_NAME: "authorId",
          REFERENCED_TABLE_NAME: "User",
          REFERENCED_COLUMN_NAME: "userId",
          DELETE_RULE: "CASCADE",
        },
      ],
    ],
    [
      "SELECT COLUMN_NAME, COLUMN_KEY, EXTRA, COLUMN_TYPE FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'User' AND is_nullable = 'NO'",
      [
        { COLUMN_NAME: "userId", COLUMN_KEY: "PRI", EXTRA: "auto_increment", COLUMN_TYPE: "int" },
        { COLUMN_NAME: "Full Name", COLUMN_KEY: "UNI", EXTRA: "", COLUMN_TYPE: "varchar(20)" },
      ],
    ],
  ];
  test("in text and in prepared statements", () =>
    served(
      "read-committed",
      async ({ connect }) => {
        const client = await connect();
        for (const [sql, expected] of cases) {
          const [rows] = await client.query(sql);
          assert.deepEqual(rows, expected, sql);
          const [prepared] = await client.execute(sql);
          assert.deepEqual(prepared, expected, sql);
        }
        await client.query(
          "ALTER TABLE User RENAME COLUMN teamId TO groupId, ADD COLUMN lastSeen datetime",
        );
        const [rows] = await client.query("SELECT * FROM user");
        assert.deepEqual(Object.keys(Array.isArray(rows) ? (rows[0] ?? {}) : {}), [
          ...["userId", "Full Name", "createdAt", "groupId", "lastSeen"],
        ]);
      },
      SPELLED,
    ));
});

interface Author {
  authorId: number;
  fullName: string;
  age: number;
}

const authors = new EntitySchema<Author>({
  name: "Author",
  columns: {
    authorId: { type: Number, primary: true, generated: true },
    fullName: { type: String, unique: true },
    age: { type: "int", default: 7 },
  },
});

interface Post {
  postId: number;
  title: string;
  price: string;
  kind: string;
  isOpen: boolean;
  createdAt: Date;
  author: Author;
}

const posts = new EntitySchema<Post>({
  name: "BlogPost",
  columns: {
    postId: { type: "bigint", primary: true, generated: true },
    title: { type: "varchar", length: 80 },
    price: { type: "decimal", precision: 10, scale: 2, default: 0 },
    kind: { type: "enum", enum: ["long", "short"], default: "long" },
    isOpen: { type: "boolean", default: true },
    createdAt: { type: "datetime", createDate: true },
  },
  relations: {
    author: { type: "many-to-one", target: "Author", joinColumn: true, onDelete: "CASCADE" },
  },
});

test("TypeORM makes its schema, finds nothing more to do, and works with it", () =>
  served(
    "mysql:serializable",
    async ({ port }) => {
      const source = new DataSource({
        type: "mysql",
        ...{ host: "127.0.0.1", port, username: "u", database: "app" },
        synchronize: true,
        entities: [authors, posts],
      });
      await source.initialize();
      const again = await source.driver.createSchemaBuilder().log();
      assert.deepEqual(
        again.upQueries.map(({ query }) => query),
        [],
      );
      const author = await source.getRepository(authors).save({ fullName: "Ann" });
      const saved = await source.getRepository(posts).save({ title: "One", author });
      await source.transaction("SERIALIZABLE", async (manager) => {
        await manager.update(posts, { postId: saved.postId }, { title: "Two" });
      });
      const [found] = await source.getRepository(posts).find({ relations: { author: true } });
      assert.deepEqual(found?.author, { authorId: 1, fullName: "Ann", age: 7 });
      const { title, kind, price, isOpen } = found;
      assert.deepEqual(
        { title, kind, price, isOpen },
        { title: "Two", kind: "long", price: "0.00", isOpen: true },
      );
      assert.ok(found.createdAt instanceof Date);
      await source.destroy();
    },
    "",
  ));
