// Clients that hang, vanish, say nothing or too much: what the others are told, and that nothing stays behind.
import assert from "node:assert/strict";
import net from "node:net";
import { describe, test } from "node:test";
import mysql from "mysql2/promise";
import pg from "pg";
import { listen, LONGEST_MESSAGE } from "../../../server/src/mock/listen";
import { openStore, type OpenedStore } from "../../../server/src/mock/openStore";
import { longestSilence, patienceOf } from "../../../server/src/mock/patience";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { scriptedSession } from "./scriptedSession";

type Protocol = "mysql" | "postgres";

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, balance int);
INSERT INTO account VALUES (1, 10), (2, 20);`;

const PROTOCOLS: readonly Protocol[] = ["postgres", "mysql"];
const WAITS = { postgres: "lock_timeout = 50", mysql: "innodb_lock_wait_timeout = 1" } as const;

interface Client {
  readonly run: (sql: string) => Promise<unknown>;
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<unknown>;
  /** Drops the connection without a word. */
  readonly vanish: () => void;
  readonly end: () => Promise<void>;
}

async function connected(protocol: Protocol, store: Pick<OpenedStore, "url">): Promise<Client> {
  if (protocol === "postgres") {
    const client = new pg.Client({ connectionString: store.url });
    client.on("error", () => undefined);
    await client.connect();
    return {
      run: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
      ended: new Promise((resolve) => client.once("end", resolve)),
      vanish: () => {
        client.connection.stream.destroy();
      },
      end: () => client.end(),
    };
  }
  const client = await mysql.createConnection({ uri: store.url });
  client.on("error", () => undefined);
  return {
    run: async (sql) => (await client.query(sql))[0],
    ended: new Promise((resolve) => client.once("end", resolve)),
    vanish: () => {
      client.destroy();
    },
    end: () => client.end(),
  };
}

/** The SQLSTATE or the number of an error, as the protocol's clients look for it. */
async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (each: unknown) => each,
  );
  assert.ok(error instanceof Error, "it did not fail");
  return Reflect.get(error, "errno") ?? Reflect.get(error, "code");
}

async function withStore(
  protocol: Protocol,
  body: (store: OpenedStore, connect: () => Promise<Client>) => Promise<void>,
): Promise<void> {
  const store = await openStore({ protocol, level: `${protocol}:read-committed`, schema: SCHEMA });
  try {
    await body(store, () => connected(protocol, store));
  } finally {
    await store.close();
  }
}

const balances = (store: OpenedStore): readonly (string | null | undefined)[] =>
  store.rows("SELECT balance FROM account ORDER BY id").map(({ balance }) => balance);

for (const protocol of PROTOCOLS) {
  describe(`a client of ${protocol}`, () => {
    test("that hangs with a lock makes others fail when their patience ends, and their transactions go on as the product's do", () =>
      withStore(protocol, async (store, connect) => {
        const [hangs, other] = [await connect(), await connect()];
        await hangs.run("BEGIN");
        await hangs.run("UPDATE account SET balance = 11 WHERE id = 1");
        await other.run(`SET ${WAITS[protocol]}`);
        await other.run("BEGIN");
        await other.run("UPDATE account SET balance = 21 WHERE id = 2");
        const waiting = other.run("UPDATE account SET balance = 12 WHERE id = 1");
        assert.equal(await codeOf(waiting), protocol === "postgres" ? "55P03" : 1205);
        if (protocol === "postgres") assert.equal(await codeOf(other.run("SELECT 1")), "25P02");
        await other.run("COMMIT");
        assert.deepEqual(balances(store), ["10", protocol === "postgres" ? "20" : "21"]);
        await hangs.run("COMMIT");
        await other.run("UPDATE account SET balance = balance + 1 WHERE id = 1");
        assert.equal(balances(store)[0], "12");
        await hangs.end();
        await other.end();
      }));

    test("that vanishes inside a transaction leaves no lock, also where it waits for one itself", () =>
      withStore(protocol, async (store, connect) => {
        const [holder, vanishes, last] = [await connect(), await connect(), await connect()];
        await holder.run("BEGIN");
        await holder.run("UPDATE account SET balance = 11 WHERE id = 1");
        await vanishes.run("BEGIN");
        await vanishes.run("UPDATE account SET balance = 99 WHERE id = 2");
        vanishes.run("UPDATE account SET balance = 99 WHERE id = 1").catch(() => undefined);
        // It has been read once the next one is answered.
        await last.run("SELECT 1");
        vanishes.vanish();
        await last.run("UPDATE account SET balance = balance + 1 WHERE id = 2");
        await holder.run("COMMIT");
        assert.deepEqual(balances(store), ["11", "21"]);
        await holder.end();
        await last.end();
      }));

    test("that sends more than is taken is told so, and the others are served", () =>
      withStore(protocol, async (_, connect) => {
        const [sends, other] = [await connect(), await connect()];
        const sent = sends.run(`SELECT '${"x".repeat(LONGEST_MESSAGE)}'`);
        assert.equal(await codeOf(sent), protocol === "postgres" ? "54000" : 1153);
        await other.run("SELECT 1");
        if (protocol === "postgres") {
          await sends.run("SELECT 1");
          await sends.end();
        } else await sends.ended;
        await other.end();
      }));

    test("that does not say who it is is turned away", async () => {
      const open = () => scriptedSession({});
      const server = await listen({ protocol, port: 0, open, introduction: 20 });
      try {
        const socket = net.connect(server.port, "127.0.0.1");
        socket.resume();
        await new Promise((resolve) => socket.once("close", resolve));
      } finally {
        await server.close();
      }
    });

    test("that is silent for too long is told so, and its transaction is rolled back", () =>
      withStore(protocol, async (store, connect) => {
        const [silent, other] = [await connect(), await connect()];
        const settings = { postgres: "idle_in_transaction_session_timeout", mysql: "wait_timeout" };
        await silent.run(`SET ${settings[protocol]} = ${protocol === "postgres" ? "'30ms'" : "1"}`);
        await silent.run("BEGIN");
        await silent.run("UPDATE account SET balance = 99 WHERE id = 1");
        await silent.ended;
        await other.run("UPDATE account SET balance = balance + 1 WHERE id = 1");
        assert.equal(balances(store)[0], "11");
        await other.end();
      }));

    test("whose statement makes the server fail is told so, and the others are served", async () => {
      const session = scriptedSession({
        fails: {
          run: () => {
            throw new TypeError("something is not a function");
          },
        },
      });
      const server = await listen({ protocol, port: 0, open: () => session });
      const url = `${protocol === "postgres" ? "postgresql" : "mysql"}://app@127.0.0.1:${String(server.port)}/app`;
      const client = await connected(protocol, { url });
      const expected = protocol === "postgres" ? "XX000" : 1815;
      assert.equal(await codeOf(client.run("fails")), expected);
      await client.ended;
      await (await connected(protocol, { url })).end();
      await server.close();
    });
  });
}

describe("how long a session waits", () => {
  const session = (settings: Readonly<Record<string, string>>) => ({
    setting: (name: string) => ownEntry(settings, name),
    status: () => "open" as const,
  });
  for (const [settings, isPostgres, expected] of [
    [{ lock_timeout: "0" }, true, undefined],
    [{ lock_timeout: "250" }, true, 250],
    [{ lock_timeout: "1min" }, true, 60_000],
    [{ lock_timeout: "5s", statement_timeout: "2s" }, true, 2000],
    [{ lock_timeout: "nonsense" }, true, undefined],
    [{ innodb_lock_wait_timeout: "3" }, false, 3000],
    [{ innodb_lock_wait_timeout: "3", max_statement_time: "0.5" }, false, 500],
    [{ innodb_lock_wait_timeout: "1073741824" }, false, 2 ** 31 - 1],
  ] as const) {
    test(`with ${JSON.stringify(settings)}`, () => {
      assert.equal(
        patienceOf(session(settings), isPostgres ? "postgres" : "mariadb")?.milliseconds,
        expected,
      );
    });
  }
  test("for its client", () => {
    const times = { idle_in_transaction_session_timeout: "2s", wait_timeout: "60" };
    assert.equal(longestSilence(session(times), true), 2000);
    assert.equal(longestSilence(session(times), false), 60_000);
  });
});

for (const protocol of PROTOCOLS) {
  test(`NOWAIT fails at once where another session holds the row: ${protocol}`, () =>
    withStore(protocol, async (_store, connect) => {
      const [holder, other] = [await connect(), await connect()];
      await holder.run("BEGIN");
      await holder.run("UPDATE account SET balance = 11 WHERE id = 1");
      await other.run("BEGIN");
      const locking = "SELECT balance FROM account WHERE id = 1 FOR UPDATE NOWAIT";
      assert.equal(await codeOf(other.run(locking)), protocol === "postgres" ? "55P03" : 1205);
      await other.run("ROLLBACK");
      await holder.run("COMMIT");
      assert.deepEqual(await other.run(locking), [{ balance: 11 }]);
      await Promise.all([holder.end(), other.end()]);
    }));
}

test("SET LOCAL ends with its transaction, SET does not", () =>
  withStore("postgres", async (_store, connect) => {
    const client = await connect();
    const shown = async (): Promise<unknown> => client.run("SHOW lock_timeout");
    await client.run("SET lock_timeout = '7s'");
    for (const end of ["COMMIT", "ROLLBACK"]) {
      await client.run("BEGIN");
      await client.run("SET LOCAL lock_timeout = '1s'");
      assert.deepEqual(await shown(), [{ lock_timeout: "1s" }]);
      await client.run("SET application_name = 'own'");
      await client.run(end);
      assert.deepEqual(await shown(), [{ lock_timeout: "7s" }]);
    }
    await client.run("SET LOCAL lock_timeout = '2s'");
    assert.deepEqual(await shown(), [{ lock_timeout: "7s" }]);
    assert.deepEqual(await client.run("SHOW application_name"), [{ application_name: "own" }]);
    await client.end();
  }));

test("rows of COPY that are more than is taken fail their statement alone", () =>
  withStore("postgres", async ({ url }) => {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1");
    let heard = "";
    socket.on("data", (chunk) => {
      heard = (heard + chunk.toString("latin1")).slice(-400);
    });
    const message = (type: string, body: Buffer): void => {
      const size = Buffer.alloc(4);
      size.writeInt32BE(body.length + 4);
      socket.write(Buffer.concat([Buffer.from(type), size, body]));
    };
    const answer = async (end: RegExp): Promise<string> => {
      while (!end.test(heard)) await new Promise((resolve) => socket.once("data", resolve));
      const own = heard;
      heard = "";
      return own;
    };
    const ready = /Z\0\0\0\x05I$/;
    message("", Buffer.from("\0\x03\0\0user\0isolens\0\0"));
    await answer(ready);
    message("Q", Buffer.from("COPY account FROM STDIN\0"));
    await answer(/^G/);
    const piece = Buffer.alloc(LONGEST_MESSAGE / 4, "7\t7\n");
    for (let sent = 0; sent < 5; sent++) message("d", piece);
    message("d", Buffer.alloc(LONGEST_MESSAGE + 1));
    message("c", Buffer.alloc(0));
    assert.match(await answer(ready), /C54000/);
    message("Q", Buffer.from("SELECT count(*) FROM account\0"));
    assert.match(await answer(ready), /\0\x012C/);
    socket.destroy();
  }));
