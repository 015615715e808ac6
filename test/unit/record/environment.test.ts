// Which server an environment names, and what of it is rewritten.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { encryptedTo } from "../../../server/src/record/proxy/proxy";
import {
  redirectConnections,
  serverOf,
  serverOfEnvironment,
} from "../../../server/src/record/environment";

function check(env: Record<string, string>, server: string, changed: Record<string, string>): void {
  const found = serverOfEnvironment(env);
  assert.ok(found);
  const { protocol, host, port, socket, database } = found;
  assert.equal(`${protocol} ${socket ?? `${host}:${String(port)}`} ${database ?? ""}`, server);
  const result = redirectConnections(env, found, 7000);
  assert.deepEqual(
    Object.fromEntries(result.changed.map((name) => [name, ownEntry(result.env, name)])),
    changed,
  );
}

const LIBPQ = { PGHOST: "127.0.0.1", PGPORT: "7000" };

test("URLs of frameworks", () => {
  check({ DATABASE_URL: "postgres://a:b@db:5433/shop?sslmode=disable" }, "postgres db:5433 shop", {
    DATABASE_URL: "postgres://a:b@127.0.0.1:7000/shop?sslmode=disable",
    ...LIBPQ,
  });
  check({ DATABASE_URL: "postgresql+psycopg://a@localhost/shop" }, "postgres localhost:5432 shop", {
    DATABASE_URL: "postgresql+psycopg://a@127.0.0.1:7000/shop",
    ...LIBPQ,
  });
  check(
    { SPRING_DATASOURCE_URL: "jdbc:mysql://localhost:3307/shop" },
    "mysql localhost:3307 shop",
    {
      SPRING_DATASOURCE_URL: "jdbc:mysql://127.0.0.1:7000/shop",
    },
  );
  check(
    { DATABASE_URL: "postgres://a@/shop?host=/run/pg" },
    "postgres /run/pg/.s.PGSQL.5432 shop",
    {
      DATABASE_URL: "postgres://a@127.0.0.1:7000/shop",
      ...LIBPQ,
    },
  );
});

test("what of a URL leads past the proxy or demands encryption is taken out", () => {
  check(
    {
      DATABASE_URL:
        "postgres://a:p@ss%@db/shop?sslmode=verify-full&application_name=x&hostaddr=::1#y",
    },
    "postgres db:5432 shop",
    {
      DATABASE_URL: "postgres://a:p@ss%@127.0.0.1:7000/shop?application_name=x#y",
      ...LIBPQ,
    },
  );
  check(
    { MYSQL_URL: "mysql://a@localhost/shop?socket=/run/my.sock&ssl=true" },
    "mysql /run/my.sock shop",
    { MYSQL_URL: "mysql://a@127.0.0.1:7000/shop" },
  );
  check({ PGHOST: "db", PGSSLMODE: "require", PGHOSTADDR: "10.0.0.1" }, "postgres db:5432 ", {
    ...LIBPQ,
    PGHOSTADDR: "127.0.0.1",
    PGSSLMODE: "prefer",
  });
});

test("what a URL demands of the server's certificate", () => {
  const demanded = (mode: string): unknown => {
    const server = serverOf(`postgres://10.0.0.1/a?sslmode=${mode}`, "--server");
    assert.ok(typeof server !== "string");
    const { encryption, host } = server;
    if (encryption === undefined) return undefined;
    const {
      rejectUnauthorized,
      checkServerIdentity,
      host: name,
    } = encryptedTo({ host, encryption });
    return [name, rejectUnauthorized, checkServerIdentity === undefined];
  };
  assert.deepEqual(["prefer", "require", "verify-ca", "verify-full"].map(demanded), [
    undefined,
    ["10.0.0.1", false, true],
    ["10.0.0.1", true, false],
    ["10.0.0.1", true, true],
  ]);
});

test("host and port", () => {
  check({ DB_HOST: "localhost", DB_PORT: "3306", DB_NAME: "shop" }, "mysql localhost:3306 shop", {
    DB_HOST: "127.0.0.1",
    DB_PORT: "7000",
  });
  check({ PGHOST: "/run/pg", PGPORT: "5433" }, "postgres /run/pg/.s.PGSQL.5433 ", LIBPQ);
});

test("another server's variables stay", () => {
  check(
    {
      DATABASE_URL: "postgres://a@db/shop",
      REPORTS_URL: "postgres://a@reports/shop",
      MYSQL_HOST: "db",
      DB_HOST: "db",
      DB_PORT: "5433",
    },
    "postgres db:5432 shop",
    { DATABASE_URL: "postgres://a@127.0.0.1:7000/shop", ...LIBPQ },
  );
});

test("what is no server says so", () => {
  const refused = serverOf("http://localhost", "--server");
  assert.ok(typeof refused === "string");
  assert.match(refused, /^--server is no URL of a server/);
  assert.equal(serverOfEnvironment({ PATH: "/bin" }), undefined);
});
