// Locks of foreign keys: who refers to a row waits for its end, and in PostgreSQL not for its changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openStore } from "../../../server/src/mock/openStore";

const SCHEMA = `create table parent (id int primary key, code text unique, n int);
  create table child (id int primary key, parent int references parent (id));
  create table other (id int primary key, code text references parent (code));
  insert into parent values (1, 'a', 0), (2, 'b', 0)`;

async function withClients(
  level: string,
  body: (one: pg.Client, other: pg.Client) => Promise<void>,
): Promise<void> {
  const store = await openStore({ protocol: "postgres", level, schema: SCHEMA });
  const clients = [new pg.Client(store.url), new pg.Client(store.url)] as const;
  try {
    for (const client of clients) await client.connect();
    await body(...clients);
  } finally {
    for (const client of clients) await client.end();
    await store.close();
  }
}

const VIOLATED = { code: "23503" };

for (const level of ["postgres:read-committed", "postgres:repeatable-read"])
  test(`at ${level} a row that another transaction changes may be referred to`, () =>
    withClients(level, async (one, other) => {
      await other.query("begin; select 1 from parent");
      await one.query("begin; update parent set n = n + 1 where id = 1");
      await other.query("insert into child values (1, 1)");
      await one.query("commit");
      await other.query("insert into child values (2, 1); insert into other values (1, 'a')");
      await other.query("commit");
    }));

for (const child of ["insert into child values (1, 1)", "insert into other values (1, 'a')"])
  test(`a row that a transaction refers to by "${child}" is not deleted beside it`, () =>
    withClients("postgres:read-committed", async (one, other) => {
      await one.query(`begin; ${child}`);
      let isOver = false;
      const deletion = assert.rejects(other.query("delete from parent where id = 1"), VIOLATED);
      const ended = deletion.then(() => {
        isOver = true;
      });
      await one.query("select 1");
      assert.equal(isOver, false);
      await one.query("commit");
      await ended;
    }));

test("a row that a transaction deletes is not referred to beside it", () =>
  withClients("postgres:read-committed", async (one, other) => {
    await one.query("begin; delete from parent where id = 1");
    const insertion = assert.rejects(
      other.query("insert into child values (1, 1), (2, 2)"),
      VIOLATED,
    );
    await one.query("commit");
    await insertion;
    await other.query("insert into child values (2, 2)");
  }));

test("a key that a transaction inserts is not there for others, who do not wait for it", () =>
  withClients("postgres:read-committed", async (one, other) => {
    await one.query("begin; insert into parent values (3, 'c', 0)");
    await assert.rejects(other.query("insert into child values (1, 3)"), VIOLATED);
    await one.query("commit");
    await other.query("insert into child values (1, 3)");
  }));
