// Deadlocks and serialization failures on real servers: the server ends one transaction with the error that the witness has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { breaksData } from "../../../server/src/protocol/report";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import { checkNothingLeft, replayAll, verdictsOf } from "./replayCases";

const ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";
const update = (who: string, how: string): string =>
  `UPDATE account SET balance = balance ${how} WHERE id = ${who};\n`;
const script = (name: string, ...statements: readonly string[]): string =>
  `-- @transaction ${name}\nBEGIN;\n${statements.join("\n")}\nCOMMIT;\n`;

const TRANSFER = ACCOUNT + script("transfer", update(":a", "- 1"), update(":b", "+ 1"));
const SHARED =
  ACCOUNT +
  script("add", "SELECT balance FROM account WHERE id = :a FOR SHARE;", update(":a", "+ 1"));
const RING =
  ["a", "b", "c"].map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY, n int);\n`).join("") +
  script("one", "UPDATE a SET n = 1 WHERE id = :x;", "UPDATE b SET n = 1 WHERE id = :y;") +
  script("two", "UPDATE b SET n = 2 WHERE id = :x;", "UPDATE c SET n = 2 WHERE id = :y;") +
  script("three", "UPDATE c SET n = 3 WHERE id = :x;", "UPDATE a SET n = 3 WHERE id = :y;");
const INSERTED =
  ACCOUNT +
  script("open", "INSERT INTO account VALUES (:a, 0);", "INSERT INTO account VALUES (:b, 0);");
const GAP =
  ACCOUNT +
  script(
    "open",
    "SELECT id FROM account WHERE id = :a FOR UPDATE;",
    "INSERT INTO account VALUES (:a, 0);",
  );
const CHILD =
  `CREATE TABLE customer (id int PRIMARY KEY, orders int NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, FOREIGN KEY (customer) REFERENCES customer (id));
` +
  script(
    "buy",
    "INSERT INTO orders VALUES (:o, :c);",
    "UPDATE customer SET orders = orders + 1 WHERE id = :c;",
  );
const READ = ACCOUNT + script("add", "SELECT balance FROM account WHERE id = :a;", update(":a", "+ 1")); // prettier-ignore
const ROUTINE = `${ACCOUNT}CREATE FUNCTION transfer(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - 1 WHERE id = a;
  UPDATE account SET balance = balance + 1 WHERE id = b;
END $$;`;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly level: string;
}

const POSTGRES: readonly Case[] = [
  { name: "opposite orders", text: TRANSFER, level: "postgres:read-committed" },
  { name: "opposite orders in a routine", text: ROUTINE, level: "postgres:read-committed" },
  { name: "three in a ring", text: RING, level: "postgres:read-committed" },
  { name: "a share lock that becomes a change", text: SHARED, level: "postgres:read-committed" },
  { name: "insertions in opposite orders", text: INSERTED, level: "postgres:read-committed" },
  { name: "opposite orders with one snapshot", text: TRANSFER, level: "postgres:repeatable-read" },
];

const MARIADB: readonly Case[] = [
  { name: "opposite orders", text: TRANSFER, level: "mariadb:read-committed" },
  { name: "three in a ring", text: RING, level: "mariadb:repeatable-read" },
  { name: "insertions in opposite orders", text: INSERTED, level: "mariadb:repeatable-read" },
  { name: "a gap that both lock", text: GAP, level: "mariadb:repeatable-read" },
  { name: "a child and then its parent", text: CHILD, level: "mariadb:repeatable-read" },
  { name: "reads that lock", text: READ, level: "mariadb:serializable" },
];

test("a serialization failure, at postgres:repeatable-read", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (!temporary) return;
  try {
    const files = [sql(READ)];
    const read = readProgram(files, { pg: await loadPgParser() });
    // As code is read whose errors leave it.
    const transactions = read.transactions.map((each) => ({ ...each, errors: "thrown" as const }));
    const all = await replayAll(temporary.server, files, "postgres:repeatable-read", {
      program: { ...read, transactions },
      wanted: (each) => !breaksData(each),
    });
    assert.deepEqual(verdictsOf(all), ["serialization-failure: reproduced"]);
  } finally {
    await temporary.stop();
  }
});

function replayed(product: "postgres" | "mariadb", cases: readonly Case[]): void {
  test(`refusals on ${product}`, async (context) => {
    const temporary = await serverFor(product, context);
    if (!temporary) return;
    try {
      for (const { name, text, level } of cases) {
        const all = await replayAll(temporary.server, [sql(text)], level, {
          ...(product === "mariadb" && { dialect: "mariadb" }),
          wanted: (each) => !breaksData(each),
        });
        assert.deepEqual(verdictsOf(all), ["deadlock: reproduced"], `${name}, at ${level}`);
      }
      await checkNothingLeft(temporary.server);
    } finally {
      await temporary.stop();
    }
  });
}

replayed("postgres", POSTGRES);
replayed("mariadb", MARIADB);
