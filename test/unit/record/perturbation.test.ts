// Tests that run again with changed answers: a client of the product's own servers gets another value in some of its runs,
// and what follows from it is learnt.
import assert from "node:assert/strict";
import { test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";
import type { Protocol, StatementEvent } from "../../../server/src/record/events";
import {
  answerChanges,
  type AnswerChanges,
} from "../../../server/src/record/perturbation/answerChanges";
import type { Experiment } from "../../../server/src/record/perturbation/experiments";
import { namesOtherDatabase } from "../../../server/src/record/perturbation/otherDatabase";
import { otherValue } from "../../../server/src/record/perturbation/otherValue";
import { rerunWithChanges } from "../../../server/src/record/perturbation/reruns";
import { runOrdinals } from "../../../server/src/record/runs";
import { listKey } from "../../../server/src/record/learn/repetition";
import { startProxy } from "../../../server/src/record/proxy/proxy";
import { decodingWatch } from "../../../server/src/record/proxy/watch";
import { learntFiles } from "../../../server/src/record/result";
import {
  recordedStatement,
  newGlossary,
  type Glossary,
  type RecordedStatement,
} from "../../../server/src/record/statements";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, balance int, credit int, version int, state varchar(10));
CREATE TABLE payment (account int, amount int);
INSERT INTO account VALUES (1, 100, 100, 1, 'open'), (2, 200, 200, 1, 'open'), (3, 300, 300, 1, 'open'),
  (4, 400, 400, 1, 'open'), (5, 500, 500, 1, 'open'), (6, 600, 600, 1, 'open');`;

interface Recorded {
  readonly port: number;
  readonly statements: readonly RecordedStatement[];
  readonly glossary: Glossary;
  change(changes: AnswerChanges | undefined): void;
  close(): Promise<void>;
}

async function recorded(protocol: Protocol): Promise<Recorded> {
  const store = await openStore({ protocol, level: "serializable", seed: 1, schema: SCHEMA });
  const statements: RecordedStatement[] = [];
  const glossary = newGlossary();
  let changes: AnswerChanges | undefined;
  const emit = (event: StatementEvent): void => {
    const own = recordedStatement(event, protocol, glossary);
    statements.push(changes?.completed(own) ?? own);
  };
  const remark = (text: string): void => {
    throw new Error(text);
  };
  let order = 0;
  const nextOrder = (): number => order++;
  const proxy = await startProxy({
    upstream: { protocol, host: "127.0.0.1", port: Number(new URL(store.url).port) },
    ...{ port: 0, remark },
    watch: (connection) =>
      decodingWatch(connection, { protocol, emit, remark, nextOrder, changes }),
  });
  return {
    ...{ port: proxy.port, statements, glossary },
    change(next) {
      changes = next;
    },
    async close() {
      await proxy.close();
      await store.close();
    },
  };
}

type Ask = (sql: string, values?: readonly unknown[]) => Promise<Answer>;

interface Answer {
  readonly row: Readonly<Record<string, unknown>> | undefined;
  readonly affected: number;
}

/** A program that takes an amount, and says nothing of it where there is too little. */
async function withdraw(ask: Ask, id: number, amount: number): Promise<void> {
  await ask("BEGIN");
  const { row } = await ask("SELECT balance FROM account WHERE id = $1", [id]);
  const balance = Number(row?.["balance"]);
  if (balance >= amount)
    await ask("UPDATE account SET balance = $1 WHERE id = $2", [balance - amount, id]);
  await ask("COMMIT");
}

/** A program that pays what the balance is; the credit was the same in all of its tests. */
async function pay(ask: Ask, id: number): Promise<void> {
  await ask("BEGIN");
  const { row } = await ask("SELECT balance, credit, version, state FROM account WHERE id = $1", [
    id,
  ]);
  if (row?.["state"] !== "open" || Number(row["balance"]) >= 450) {
    await ask("ROLLBACK");
    return;
  }
  await ask("INSERT INTO payment (account, amount) VALUES ($1, $2)", [id, row["balance"]]);
  const { affected } = await ask("UPDATE account SET version = $1 WHERE id = $2 AND version = $3", [
    Number(row["version"]) + 1,
    id,
    row["version"],
  ]);
  await ask(affected === 1 ? "COMMIT" : "ROLLBACK");
}

type Program = (ask: Ask, call: number) => Promise<void>;

const payment: Program = (ask, call) => pay(ask, 1 + (call % 6));

async function payments(port: number, program = payment): Promise<void> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "isolens", database: "shop" });
  await client.connect();
  for (let call = 0; call < 12; call++) {
    const site = `/*isolens:app.js:1:pay;app.js:1:pay;${String(call)}*/`;
    await program(async (sql, values = []) => {
      const { rows, rowCount } = await client.query<Record<string, unknown>>(sql + site, [
        ...values,
      ]);
      return { row: rows[0], affected: rowCount ?? 0 };
    }, call);
  }
  await client.end();
}

test("other answers settle which value was meant, where a limit lies, and what a lost race leads to", async () => {
  const { port, statements, glossary, change, close } = await recorded("postgres");
  const files = (): ReturnType<typeof learntFiles>["files"] =>
    learntFiles(statements, { protocol: "postgres", glossary }).files;
  await payments(port);
  const before = files()[0]?.program;
  assert.deepEqual(before?.doubts, [
    '"amount" was s1_balance in every run, and s1_credit as well',
    'what it does where "version" is not what was read was not seen; it is taken to give up',
    'the number in "s1_balance < 500" lies between what 12 runs showed; the program may have another one',
  ]);
  const result = await rerunWithChanges({
    protocol: "postgres",
    database: "shop",
    learnt: () => files().map(({ program }) => program),
    rerun: async (changes) => {
      change(changes);
      await payments(port);
      return true;
    },
  });
  await close();
  assert.equal(result.before, 3);
  const [file] = files();
  const text = file?.text ?? "";
  assert.match(text, /INSERT INTO payment \(account, amount\) VALUES \(:\w+, :s1_balance\)/);
  assert.match(text, /\\if :s1_balance < 4\d\d\n/);
  assert.match(text, /\\if :n3 > 0\nCOMMIT;\n\\else\nROLLBACK;/);
  assert.match(
    text,
    /-- @isolens learnt 12 runs\n-- In \d+ more, one answer of the server was changed\.\n/,
  );
  assert.equal(files().length, 1);
});

test("an amount that is not sent where there is too little is known from the same call with another answer", async () => {
  const { port, statements, glossary, change, close } = await recorded("postgres");
  const amounts = [30, 150, 10, 700, 20, 900, 90, 40, 65, 410, 70, 15];
  const calls: Program = (ask, call) => withdraw(ask, 1 + (call % 6), amounts[call] ?? 0);
  const files = (): ReturnType<typeof learntFiles>["files"] =>
    learntFiles(statements, { protocol: "postgres", glossary }).files;
  await payments(port, calls);
  assert.match(files()[0]?.text ?? "", /over "s1_balance >= balance_change" fits/);
  assert.match(files()[0]?.text ?? "", /-- @isolens rows 1\n(?:SELECT|UPDATE)/);
  const result = await rerunWithChanges({
    protocol: "postgres",
    database: "shop",
    learnt: () => files().map(({ program }) => program),
    rerun: async (changes) => {
      change(changes);
      await payments(port, calls);
      return true;
    },
  });
  await close();
  assert.equal(result.after, 0);
  const text = files()[0]?.text ?? "";
  assert.match(text, /\\if :s1_balance >= :balance_change\n/);
  assert.doesNotMatch(text, /isolens over/);
  // The way without a changed row was seen, too.
  assert.match(text, /-- @isolens rows 1\nSELECT/);
  assert.doesNotMatch(text, /rows \d\nUPDATE/);
});

test("answers of another database are left alone, and runs without a change count for nothing", async () => {
  const { port, statements, glossary, change, close } = await recorded("postgres");
  await payments(port);
  const text = (): string | undefined =>
    learntFiles(statements, { protocol: "postgres", glossary }).files[0]?.text;
  const before = text();
  const { changes } = await rerunWithChanges({
    protocol: "postgres",
    database: "production",
    learnt: () =>
      learntFiles(statements, { protocol: "postgres", glossary }).files.map(
        ({ program }) => program,
      ),
    rerun: async (own) => {
      change(own);
      await payments(port);
      return true;
    },
  });
  await close();
  assert.equal(changes, 0);
  assert.equal(text(), before);
});

test("MySQL: a value in text and in binary, and a number of rows", async () => {
  const { port, statements, change, close } = await recorded("mysql");
  const select = "SELECT balance, state FROM account WHERE id = $1";
  const update = "UPDATE account SET credit = $1 WHERE id = $2";
  const ordinals = runOrdinals();
  const experiment = (sql: string, column?: number): readonly [string, Experiment] => {
    const run = ordinals.of(undefined, sql);
    const place = { text: listKey(sql), occurrence: 0, runs: [run] };
    return [
      run,
      { decider: { ...place, ...(column !== undefined && { column }) }, round: column ?? 0 },
    ];
  };
  change(
    answerChanges({
      experiments: new Map([experiment(select, 0), experiment(select, 1), experiment(update)]),
      ...{ protocol: "mysql", database: "isolens", rerun: 1, seen: new Map() },
    }),
  );
  const client = await mysql.createConnection({
    ...{ host: "127.0.0.1", port, user: "isolens", database: "isolens" },
  });
  const row = { balance: 137, state: "open" };
  assert.deepEqual((await client.query("SELECT balance, state FROM account WHERE id = 1"))[0], [
    row,
  ]);
  assert.deepEqual(
    (await client.execute("SELECT balance, state FROM account WHERE id = ?", [2]))[0],
    [{ balance: 200, state: "openx" }],
  );
  const [changed] = await client.query("UPDATE account SET credit = 7 WHERE id = 1");
  assert.equal("affectedRows" in changed && changed.affectedRows, 0);
  const [credit] = await client.query("SELECT credit FROM account WHERE id = 1");
  assert.deepEqual(credit, [{ credit: 7 }]);
  await client.end();
  await close();
  assert.deepEqual(
    statements.map(({ isPerturbed = false }) => isPerturbed),
    [true, true, true, false],
  );
});

test("MySQL: what stands in another database is told by the tables' names", () => {
  const own = [
    "SELECT balance FROM account WHERE id = 1.5",
    "SELECT a.balance FROM account a JOIN `credit` ON credit.id = a.id",
    "SELECT `shop`.account.balance FROM shop.account -- other.account",
    "UPDATE account SET account.balance = 'other.account'",
  ];
  const others = [
    "SELECT balance FROM other.account",
    "SELECT a.balance, c.of FROM credit c, `other` . account a",
    "SELECT x FROM account.account",
    "UPDATE other.account SET balance = 1",
    "DELETE FROM other.account",
    "SELECT balance FROM account WHERE id IN (SELECT id FROM other.account)",
  ];
  assert.deepEqual(
    [...own, ...others].filter((sql) => namesOtherDatabase(sql, "shop")),
    others,
  );
});

test("another value has the form of the one before it", () => {
  const other = (
    value: string | null,
    round = 0,
    seen: readonly string[] = [],
  ): string | undefined => otherValue(value, { round, seen, aims: [], largest: 127 });
  assert.deepEqual(
    [other("10"), other("10", 1), other("10", 2), other("10", 3), other("0", 4), other("126")],
    ["47", "0", "11", "1", "37", "0"],
  );
  assert.deepEqual(
    [other("1.50"), other("-3", 4), other("t"), other("false")],
    ["38.50", "-4", "f", "true"],
  );
  assert.deepEqual([other("open"), other("open", 0, ["open", "shut"])], ["openx", "shut"]);
  const structured = [
    "2024-01-01",
    "{}",
    "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
    null,
    "x".repeat(300),
  ];
  assert.deepEqual(
    structured.map((value) => other(value)),
    structured.map(() => undefined),
  );
});
