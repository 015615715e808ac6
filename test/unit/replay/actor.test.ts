// The user that a replay runs as, attacked on real servers: nothing that it executes reaches what is not of the run.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { NoActor, type Actor } from "../../../server/src/replay/servers/actor";
import { connectMariadb } from "../../../server/src/replay/servers/mariadb";
import { connectPostgres } from "../../../server/src/replay/servers/postgres";
import type { LiveServer } from "../../../server/src/replay/servers/liveServer";
import type { TemporaryServer } from "../../../server/src/replay/servers/temporary";
import { serverFor } from "../../support/liveServers";
import { sql } from "../truth/analyse";
import type { LiveSession } from "../../../server/src/replay/servers/liveSession";
import { replayAll, verdictsOf } from "./replayCases";

const OWN = "isolens_replay_own";

async function all(session: LiveSession, statements: readonly string[]): Promise<void> {
  for (const each of statements) {
    const result = await session.execute(each);
    assert.ok(result.ok, `${each}: ${JSON.stringify(result)}`);
  }
}

async function only(session: LiveSession, query: string): Promise<unknown> {
  const result = await session.execute(query);
  assert.ok(result.ok, `${query}: ${JSON.stringify(result)}`);
  return Object.values(result.rows[0] ?? {})[0];
}

/** Runs with a user of the run, and removes it with its schema. */
async function withActor(
  server: LiveServer,
  run: (session: LiveSession, actor: Actor) => Promise<void>,
): Promise<void> {
  const admin = await server.open();
  try {
    await all(admin, [`CREATE SCHEMA ${OWN}`]);
    try {
      const actor = await server.actor(admin, OWN, [OWN]);
      const session = await actor.open();
      try {
        await run(session, actor);
      } finally {
        await session.close();
        await all(admin, [
          server.product === "postgres" ? `DROP SCHEMA ${OWN} CASCADE` : `DROP SCHEMA ${OWN}`,
        ]);
        await actor.drop();
      }
    } finally {
      await admin.execute(`DROP SCHEMA IF EXISTS ${OWN}`);
    }
  } finally {
    await admin.close();
  }
}

/** Secrets that no text may reach, however it is said. */
const POSTGRES_ATTACKS = [
  "SELECT * FROM victim.t",
  "UPDATE victim.t SET v = 0",
  "DROP TABLE victim.t",
  "DROP SCHEMA victim CASCADE",
  "DO $$ BEGIN EXECUTE 'update vic' || 'tim.t set v = 0'; END $$",
  "SET ROLE isolens",
  "SET SESSION AUTHORIZATION isolens",
  "ALTER ROLE CURRENT_USER SUPERUSER",
  "ALTER ROLE CURRENT_USER CREATEDB",
  `GRANT pg_execute_server_program TO ${OWN}`,
  `GRANT isolens TO ${OWN}`,
  "CREATE ROLE other LOGIN SUPERUSER",
  "CREATE DATABASE other",
  "CREATE SCHEMA other",
  "CREATE TABLE public.other (id int)",
  "CREATE EXTENSION dblink",
  "CREATE EXTENSION adminpack",
  "COPY victim.t TO STDOUT",
  "COPY (SELECT 1) TO PROGRAM 'touch /tmp/isolens-broken-out'",
  "COPY (SELECT 1) TO '/tmp/isolens-broken-out'",
  `COPY ${OWN}.own FROM '/etc/passwd'`,
  `COPY ${OWN}.own FROM PROGRAM 'id'`,
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT pg_ls_dir('/')",
  "SELECT lo_import('/etc/passwd')",
  "ALTER SYSTEM SET log_connections = on",
  "SELECT pg_reload_conf()",
  "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION pg_catalog.pg_sleep()",
  `CREATE FUNCTION ${OWN}.c() RETURNS int LANGUAGE c AS 'libc', 'getpid'`,
  "CREATE LANGUAGE plpython3u",
  "SELECT * FROM pg_authid",
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'isolens'",
  "CREATE SUBSCRIPTION s CONNECTION 'dbname=postgres' PUBLICATION p",
  "CREATE PUBLICATION p FOR ALL TABLES",
  "GRANT USAGE ON SCHEMA victim TO PUBLIC",
];

describe("the user of a replay on PostgreSQL", () => {
  let temporary: TemporaryServer | undefined;
  let admin: LiveSession;

  before(async () => {
    temporary = await serverFor("postgres", { diagnostic: console.log });
    if (!temporary) return;
    admin = await temporary.server.open();
    await all(admin, [
      "CREATE SCHEMA victim",
      "CREATE TABLE victim.t (v int)",
      "INSERT INTO victim.t VALUES (42)",
    ]);
  });

  after(async () => {
    await admin.close();
    await temporary?.stop();
  });

  const unhurt = async (): Promise<void> => {
    assert.equal(await only(admin, "SELECT string_agg(v::text, ',') FROM victim.t"), 42);
    const left = "SELECT count(*) FROM pg_roles WHERE rolname = 'other'";
    assert.equal(await only(admin, left), 0);
  };
  const nothingLeft = async (): Promise<void> => {
    const roles = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'isolens\\_%'";
    assert.equal(await only(admin, roles), 0);
    const schemas = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'isolens\\_%'";
    assert.equal(await only(admin, schemas), 0);
  };

  test("reaches nothing but its schema, whatever it executes", async () => {
    if (!temporary) return;
    await withActor(temporary.server, async (session) => {
      await all(session, [`CREATE TABLE ${OWN}.own (v text)`]);
      for (const attack of POSTGRES_ATTACKS) {
        const result = await session.execute(attack);
        assert.ok(!result.ok, `${attack}: ${JSON.stringify(result)}`);
        await unhurt();
      }
    });
    await nothingLeft();
  });

  test("stays who it is", async () => {
    if (!temporary) return;
    await withActor(temporary.server, async (session) => {
      for (const taken of [
        "RESET SESSION AUTHORIZATION",
        "RESET ROLE",
        "SET ROLE NONE",
        "DISCARD ALL",
        "RESET ALL",
      ]) {
        await session.execute(taken);
        assert.equal(
          await only(session, "SELECT session_user || ' ' || current_user"),
          `${OWN} ${OWN}`,
        );
      }
      // Its own functions have its own rights, and no more.
      await all(session, [
        `CREATE FUNCTION ${OWN}.g() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN EXECUTE 'DELETE FROM victim.t'; RETURN ''; END $$`,
      ]);
      assert.equal((await session.execute(`SELECT ${OWN}.g()`)).ok, false);
      await unhurt();
    });
  });

  test("leaves nothing, wherever it left it", async () => {
    if (!temporary) return;
    await withActor(temporary.server, async (session) => {
      await all(session, [
        "SELECT lo_create(0)",
        "CREATE TEMP TABLE passing (v int)",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC",
        "ALTER ROLE CURRENT_USER SET work_mem = '1MB'",
        "ALTER ROLE CURRENT_USER PASSWORD 'another'",
        `CREATE FUNCTION ${OWN}.t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
      ]);
    });
    await nothingLeft();
    assert.equal(await only(admin, "SELECT count(*) FROM pg_largeobject_metadata"), 0);
  });

  for (const [grant, take, says] of [
    [
      "GRANT CREATE ON SCHEMA public TO PUBLIC",
      "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
      /may create in the schema public, .*REVOKE CREATE ON SCHEMA public/,
    ],
    [
      "CREATE TABLE public.open (v int); GRANT SELECT ON public.open TO PUBLIC",
      "DROP TABLE public.open",
      /may use public\.open, .*REVOKE ALL ON public\.open/,
    ],
    [
      "CREATE TABLE public.open (v int); GRANT UPDATE (v) ON public.open TO PUBLIC",
      "DROP TABLE public.open",
      /may use public\.open/,
    ],
    [
      "CREATE FUNCTION public.mighty() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
      "DROP FUNCTION public.mighty",
      /may call public\.mighty, which has the rights of its owner/,
    ],
    [
      "GRANT CREATE ON DATABASE postgres TO PUBLIC",
      "REVOKE CREATE ON DATABASE postgres FROM PUBLIC",
      /may create in the database/,
    ],
  ] as const) {
    test(`is not made where everyone may do more: ${grant}`, async () => {
      if (!temporary) return;
      await all(admin, grant.split("; "));
      try {
        await assert.rejects(
          withActor(temporary.server, () => Promise.resolve()),
          (error) => error instanceof NoActor && says.test(error.message),
        );
      } finally {
        await all(admin, [take]);
      }
      await nothingLeft();
    });
  }

  const TRAP = `CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    EXECUTE 'UPDATE vic' || 'tim.t SET v = 0';
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END;
  RETURN NULL;
END $$;
CREATE TRIGGER trap AFTER INSERT OR UPDATE ON account FOR EACH STATEMENT EXECUTE FUNCTION trap();
CREATE FUNCTION take(who int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = who;
  UPDATE account SET balance = b - 1 WHERE id = who;
END $$;`;

  test("keeps a trigger from other schemas also while rows are put in", async () => {
    if (!temporary) return;
    const options = { isOwnServer: false };
    const done = await replayAll(temporary.server, [sql(TRAP)], "postgres:read-committed", options);
    assert.ok(done.length > 0);
    await unhurt();
    await nothingLeft();
  });

  test("says which right is missing, and is made by whoever has it", async () => {
    if (!temporary) return;
    const { address } = temporary;
    await all(admin, [
      "CREATE ROLE plain LOGIN",
      "CREATE ROLE maker LOGIN CREATEROLE",
      "GRANT CREATE ON DATABASE postgres TO plain, maker",
    ]);
    try {
      const plain = await connectPostgres({ ...address, user: "plain" });
      const options = { isOwnServer: false };
      const refused = await replayAll(plain, [sql(TRAP)], "postgres:read-committed", options);
      await plain.close();
      assert.match(
        verdictsOf(refused)[0] ?? "",
        /not replayed: .*permission denied to create role.*CREATEROLE/,
      );
      await nothingLeft();
      const maker = await connectPostgres({ ...address, user: "maker" });
      const replayed = await replayAll(maker, [sql(TRAP)], "postgres:read-committed", options);
      await maker.close();
      assert.match(verdictsOf(replayed)[0] ?? "", /^lost-update: reproduced/);
      await nothingLeft();
    } finally {
      await all(admin, [
        "REVOKE CREATE ON DATABASE postgres FROM plain, maker",
        "DROP ROLE plain",
        "DROP ROLE maker",
      ]);
    }
  });
});

const MARIADB_ATTACKS = [
  "SELECT * FROM victim.t",
  "UPDATE victim.t SET v = 0",
  "DROP DATABASE victim",
  "CREATE DATABASE other",
  "USE victim",
  "CREATE USER other",
  "GRANT ALL ON *.* TO CURRENT_USER",
  "SELECT * FROM mysql.global_priv",
  "SELECT 1 INTO OUTFILE '/tmp/isolens-broken-out'",
  "SELECT 1 INTO DUMPFILE '/tmp/isolens-broken-out'",
  `LOAD DATA INFILE '/etc/passwd' INTO TABLE ${OWN}.own`,
  "SET GLOBAL general_log = 1",
  "SHUTDOWN",
  "INSTALL SONAME 'x'",
  `CREATE DEFINER = 'root'@'localhost' FUNCTION ${OWN}.f() RETURNS INT NO SQL RETURN 1`,
  `CREATE DEFINER = 'root'@'localhost' VIEW ${OWN}.w AS SELECT * FROM victim.t`,
  "SET ROLE PUBLIC_OTHER",
  "KILL 1",
];

describe("the user of a replay on MariaDB", () => {
  let temporary: TemporaryServer | undefined;
  let admin: LiveSession;

  before(async () => {
    temporary = await serverFor("mariadb", { diagnostic: console.log });
    if (!temporary) return;
    admin = await temporary.server.open();
    await all(admin, [
      "CREATE DATABASE victim",
      "CREATE TABLE victim.t (v int)",
      "INSERT INTO victim.t VALUES (42)",
    ]);
  });

  after(async () => {
    await admin.close();
    await temporary?.stop();
  });

  const nothingLeft = async (): Promise<void> => {
    const users = "SELECT count(*) FROM mysql.user WHERE user LIKE 'isolens%'";
    assert.equal(await only(admin, users), 0);
  };

  test("reaches nothing but its schema, whatever it executes", async () => {
    if (!temporary) return;
    await withActor(temporary.server, async (session) => {
      await all(session, [`CREATE TABLE ${OWN}.own (v text)`]);
      for (const attack of MARIADB_ATTACKS) {
        const result = await session.execute(attack);
        assert.ok(!result.ok, `${attack}: ${JSON.stringify(result)}`);
        assert.equal(await only(admin, "SELECT sum(v) FROM victim.t"), 42);
      }
      assert.equal(await only(session, "SELECT LOAD_FILE('/etc/passwd')"), null);
    });
    await nothingLeft();
  });

  test("is not the user of a schema whose name is alike", async () => {
    if (!temporary) return;
    await all(admin, ["CREATE DATABASE isolensXreplayXown"]);
    try {
      await withActor(temporary.server, async (session) => {
        assert.equal((await session.execute("USE isolensXreplayXown")).ok, false);
      });
    } finally {
      await all(admin, ["DROP DATABASE isolensXreplayXown"]);
    }
  });

  test("says which right is missing", async () => {
    if (!temporary) return;
    const { address } = temporary;
    await all(admin, [
      "CREATE USER plain@localhost",
      "GRANT CREATE, DROP ON `isolens\\_replay\\_own`.* TO plain@localhost",
    ]);
    const plain = await connectMariadb({
      ...address,
      user: "plain",
      database: "information_schema",
    });
    try {
      await assert.rejects(
        withActor(plain, () => Promise.resolve()),
        (error) => error instanceof NoActor && /CREATE USER/.test(error.message),
      );
    } finally {
      await plain.close();
      await all(admin, ["DROP USER plain@localhost"]);
    }
    await nothingLeft();
  });
});
