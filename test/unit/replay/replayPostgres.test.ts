// Anomalies on a real PostgreSQL: each program is checked, and what is found is made to happen there.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import { connectPostgres } from "../../../server/src/replay/servers/postgres";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import { checkNothingLeft, replayAll, verdictsOf } from "./replayCases";

const ACCOUNT = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";
const READ_COMMITTED = "postgres:read-committed";

interface Case {
  readonly name: string;
  readonly text: string;
  readonly level?: string;
  /** The outcome of every anomaly. */
  readonly expected: RegExp;
}

/** A counter that a trigger reads and writes. */
const COUNTED = `${ACCOUNT}CREATE TABLE stats (id int PRIMARY KEY, moves int NOT NULL);
CREATE TRIGGER counted AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION count_moves();
CREATE FUNCTION count_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE k int;
BEGIN
  SELECT moves INTO k FROM stats WHERE id = 1;
  UPDATE stats SET moves = k + 1 WHERE id = 1;
  RETURN NULL;
END $$;
`;

const CASES: readonly Case[] = [
  {
    name: "a routine whose statement fires a trigger, which the server runs",
    text: `${COUNTED}CREATE FUNCTION deposit(who int, amount int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = who;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a script whose statement fires a trigger is not sent together with what the trigger does",
    text: `${COUNTED}-- @transaction deposit
BEGIN;
UPDATE account SET balance = balance + :amount WHERE id = :who;
COMMIT;`,
    expected:
      /^lost-update: not replayed: deposit: the server itself runs the triggers of account,/,
  },
  {
    name: "settings of a script are sent",
    text: `${ACCOUNT}-- @transaction take
BEGIN;
SET LOCAL lock_timeout = '5s';
SELECT balance FROM account WHERE id = :who \\gset
UPDATE account SET balance = :balance - 1 WHERE id = :who;
COMMIT;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a statement of a script that nothing follows is left out, and said",
    text: `${ACCOUNT}-- @transaction take
BEGIN;
NOTIFY taken;
UPDATE account SET balance = (SELECT balance FROM account WHERE id = :who) - 1 WHERE id = :who;
COMMIT;`,
    expected: /^lost-update: reproduced in part$/,
  },
  {
    name: "a routine that asks for FOUND behind its statements",
    text: `${ACCOUNT}CREATE FUNCTION take(who int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = who;
  IF NOT FOUND THEN RETURN -1; END IF;
  UPDATE account SET balance = b - 1 WHERE id = who;
  IF NOT FOUND THEN RETURN -2; END IF;
  RETURN b;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a script whose statements carry values by placeholders",
    text: `${ACCOUNT}-- @transaction Pay
BEGIN;
SELECT balance AS b FROM account WHERE id = :id \\gset
UPDATE account SET balance = :b - 1 WHERE id = :id;
COMMIT;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "write skew at REPEATABLE READ, with a loop over rows",
    level: "postgres:repeatable-read",
    text: `CREATE TABLE duty (id int PRIMARY KEY, active boolean NOT NULL);
CREATE FUNCTION leave(who int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT count(*) INTO n FROM duty WHERE active;
  IF n < 2 THEN RETURN false; END IF;
  UPDATE duty SET active = false WHERE id = who;
  RETURN true;
END $$;`,
    expected: /^write-skew: reproduced$/,
  },
  {
    name: "numbers of a sequence and the time of day differ from run to run, and are no anomaly",
    text: `CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE sold (id serial PRIMARY KEY, item int REFERENCES stock (id), at timestamptz DEFAULT now());
CREATE FUNCTION sell(what int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE have int;
BEGIN
  SELECT n INTO have FROM stock WHERE id = what;
  IF have > 0 THEN
    UPDATE stock SET n = have - 1 WHERE id = what;
    INSERT INTO sold (item) VALUES (what);
  END IF;
END $$;`,
    expected: /^[a-z-]+: reproduced$/,
  },
  {
    name: "tables in schemas of their own",
    text: `CREATE SCHEMA app;
CREATE TABLE app.account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION app.take(who int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM app.account WHERE id = who;
  UPDATE app.account SET balance = b - 1 WHERE id = who;
  RETURN b;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a procedure that commits by itself",
    text: `${ACCOUNT}CREATE PROCEDURE take(who int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = who;
  UPDATE account SET balance = b - 1 WHERE id = who;
  COMMIT;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a loop over an array of arguments",
    text: `${ACCOUNT}CREATE FUNCTION raise(ids int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE i int; b int; t int := 0;
BEGIN
  FOREACH i IN ARRAY ids LOOP
    SELECT balance INTO b FROM account WHERE id = i;
    UPDATE account SET balance = b + 1 WHERE id = i;
    t := t + b;
  END LOOP;
  RETURN t;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "exception handlers, which roll back to their beginning",
    text: `${ACCOUNT}CREATE FUNCTION raise(k int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO STRICT b FROM account WHERE id = k;
  BEGIN
    UPDATE account SET balance = b + 10 WHERE id = k;
  EXCEPTION WHEN unique_violation THEN NULL;
  END;
  RETURN b;
EXCEPTION WHEN no_data_found THEN
  INSERT INTO account VALUES (k, 1);
  RETURN 0;
END $$;`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a routine that another one calls",
    text: `${ACCOUNT}CREATE FUNCTION bal(k int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int; BEGIN SELECT balance INTO b FROM account WHERE id = k; RETURN b; END $$;
CREATE FUNCTION spend(k int, n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF bal(k) >= n THEN UPDATE account SET balance = balance - n WHERE id = k; END IF;
END $$;`,
    expected: /^non-repeatable-read: reproduced$/,
  },
  {
    name: "a body in single quotes, and names with capitals",
    text: `CREATE TABLE "Order" ("Id" int PRIMARY KEY, "State" text NOT NULL);
CREATE FUNCTION pay(o int) RETURNS text LANGUAGE plpgsql AS 'DECLARE s text; BEGIN
  SELECT "State" INTO s FROM "Order" WHERE "Id" = o;
  IF s = ''new'' THEN UPDATE "Order" SET "State" = ''paid'' WHERE "Id" = o; RETURN ''ok''; END IF;
  RETURN s; END';`,
    expected: /^lost-update: reproduced$/,
  },
  {
    name: "a script that only reads",
    text: `${ACCOUNT}-- @transaction Report
BEGIN READ ONLY;
SELECT balance FROM account WHERE id = 1;
SELECT balance FROM account WHERE id = 2;
COMMIT;
-- @transaction Move
BEGIN;
UPDATE account SET balance = balance - :n WHERE id = 1;
UPDATE account SET balance = balance + :n WHERE id = 2;
COMMIT;`,
    expected: /^read-skew: reproduced$/,
  },
  {
    name: "a routine that the server cannot run is no anomaly of the level",
    text: `${ACCOUNT}CREATE FUNCTION take(who int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT DISTINCT balance INTO b FROM account WHERE id = who ORDER BY id;
  UPDATE account SET balance = b - 1 WHERE id = who;
  RETURN b;
END $$;`,
    expected: /^[a-z-]+: not replayed: T\d fails by itself: 42P10: /,
  },
];

describe("replay on PostgreSQL", () => {
  let temporary: TemporaryServer | undefined;
  let isListed = false;
  before(async () => {
    temporary = await serverFor("postgres", {
      diagnostic: () => {
        isListed = true;
      },
    });
  });
  after(async () => {
    await temporary?.stop();
  });

  for (const { name, text, level = READ_COMMITTED, expected } of CASES)
    test(name, async (context) => {
      if (isListed) context.diagnostic("not run: PostgreSQL (replay)");
      if (!temporary) return;
      const replayed = await replayAll(temporary.server, [sql(text)], level);
      assert.notEqual(replayed.length, 0, "nothing was found");
      for (const verdict of verdictsOf(replayed)) assert.match(verdict, expected);
      await checkNothingLeft(temporary.server);
    });

  test("a server that is not one's own is left alone where texts name its schemas", async () => {
    if (!temporary) return;
    const text = `${ACCOUNT}-- @transaction Pay
BEGIN;
SELECT balance AS b FROM public.account WHERE id = :id \\gset
UPDATE account SET balance = :b - 1 WHERE id = :id;
COMMIT;`;
    const replayed = await replayAll(temporary.server, [sql(text)], READ_COMMITTED, {
      isOwnServer: false,
    });
    assert.notEqual(replayed.length, 0, "nothing was found");
    for (const verdict of verdictsOf(replayed))
      assert.match(verdict, /not replayed: program\.sql names the schema public of this server/);
  });

  test("a user without rights is told what the server refuses, and no password is repeated", async () => {
    if (!temporary) return;
    const [{ text = "" } = {}] = CASES;
    const session = await temporary.server.open();
    const password = "not-for-anybodys-eyes";
    await session.execute(`CREATE ROLE weak LOGIN PASSWORD '${password}'`);
    const server = await connectPostgres({ ...temporary.address, user: "weak", password });
    const refused = await replayAll(server, [sql(text)], READ_COMMITTED);
    assert.match(
      verdictsOf(refused).join(),
      /not replayed: .* refuses "CREATE SCHEMA .*permission denied/,
    );
    assert.ok(!JSON.stringify(refused.map(({ report }) => report)).includes(password));
    await server.close();
    await session.execute("ALTER ROLE weak NOLOGIN");
    await assert.rejects(
      connectPostgres({ ...temporary.address, user: "weak", password }),
      (error: unknown) => error instanceof Error && !String(error.stack).includes(password),
    );
    await session.execute("DROP ROLE weak");
    await session.close();
    await checkNothingLeft(temporary.server);
  });

  test("a schema of that name is not touched, and a stop leaves nothing", async () => {
    if (!temporary) return;
    const { server } = temporary;
    const [{ text = "" } = {}] = CASES;
    const session = await server.open();
    await session.execute("CREATE SCHEMA isolens_taken");
    const taken = await replayAll(server, [sql(text)], READ_COMMITTED, { schema: "isolens_taken" });
    assert.match(
      verdictsOf(taken).join(),
      /not replayed: .* refuses "CREATE SCHEMA isolens_taken"/,
    );
    await session.execute("DROP SCHEMA isolens_taken");
    const stopped = await replayAll(server, [sql(text)], READ_COMMITTED, { stopped: () => true });
    assert.match(verdictsOf(stopped).join(), /not replayed: it was stopped$/);
    await session.close();
    await checkNothingLeft(server);
  });
});
