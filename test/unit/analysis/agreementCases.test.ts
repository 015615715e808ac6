// Programs on which search and enumeration once differed: the smallest ones, each with the verdict that both give now.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVerdicts, type Worst } from "./agreement";
import { readRandom } from "./productsHarness";
import { levelNamed } from "./randomSql";

/** Routines a, b, ... with these statements, over `t (id, v)`; `x` is a variable that each returns, `key` what v is. */
function check(
  name: string,
  bodies: readonly string[],
  expected: Readonly<Record<string, Worst | `unconfirmed ${Worst}`>>,
  key = "",
): void {
  test(name, async () => {
    const routines = bodies.map(
      (body, at) => `CREATE FUNCTION ${"abc"[at] ?? ""}() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer := 0; BEGIN ${body} RETURN x; END $$;`,
    );
    const program = await readRandom(
      `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL ${key});\n${routines.join("\n")}`,
    );
    for (const [level, worst] of Object.entries(expected)) {
      const members = bodies.length === 1 ? [0, 0] : bodies.map((_, at) => at);
      const { kind, shown, reasons } = await compareVerdicts(program, levelNamed(level), members);
      const found = kind === "same" ? shown : `${kind} ${shown}`;
      assert.equal(found, worst, `${level}: ${reasons.join("; ")}`);
    }
  });
}

check(
  "a row that is deleted and inserted again while a statement waits is another row",
  [
    "UPDATE t SET v = v + 2 WHERE id = 2; GET DIAGNOSTICS x = ROW_COUNT;",
    "DELETE FROM t WHERE id = 2; INSERT INTO t (id, v) VALUES (2, 5) ON CONFLICT DO NOTHING;",
  ],
  {
    "postgres:read-committed": "value",
    "postgres:repeatable-read": "none",
    "mariadb:read-committed": "none",
    "oracle:read-committed": "none",
  },
);

check(
  "a scan that locks misses a row that comes again",
  [
    "PERFORM id FROM t WHERE v >= 1 FOR UPDATE; GET DIAGNOSTICS x = ROW_COUNT;",
    "DELETE FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (1, 2);",
  ],
  { "postgres:read-committed": "value", "postgres:repeatable-read": "none" },
);

check(
  "ON CONFLICT DO UPDATE inserts a row that was deleted since the snapshot",
  [
    "SELECT count(*) INTO x FROM t; INSERT INTO t (id, v) VALUES (2, 1) ON CONFLICT (id) DO UPDATE SET v = t.v + 1;",
    "DELETE FROM t WHERE id = 2;",
  ],
  { "postgres:read-committed": "value", "postgres:repeatable-read": "value" },
);

check(
  "a cycle of two that is harmless by itself is not beside a third one",
  [
    "INSERT INTO t (id, v) VALUES (2, 2) ON CONFLICT (id) DO UPDATE SET v = t.v + 1;",
    "DELETE FROM t WHERE id = 2;",
    "SELECT count(*) INTO x FROM t WHERE v >= 5; DELETE FROM t WHERE v = 2; GET DIAGNOSTICS x = ROW_COUNT;",
  ],
  { "postgres:read-committed": "unused" },
);

check(
  "what keeps an insertion from happening is not noticed at PostgreSQL's SERIALIZABLE",
  [
    "PERFORM id FROM t WHERE v >= 5; GET DIAGNOSTICS x = ROW_COUNT; DELETE FROM t WHERE v = 1;",
    "DELETE FROM t WHERE id = 1; INSERT INTO t (id, v) VALUES (2, 2) ON CONFLICT DO NOTHING;",
  ],
  {
    "postgres:serializable": "unconfirmed value",
    "postgres:repeatable-read": "value",
    "cockroach:serializable": "none",
    "mariadb:serializable": "none",
  },
);

check(
  "a subquery of a statement that waited has the old version of the row that the statement changes",
  [
    "UPDATE t SET v = (SELECT count(*) FROM t u WHERE u.v > t.v) WHERE id = 1;",
    "UPDATE t SET v = v - 5 WHERE id = 1;",
  ],
  { "postgres:read-committed": "state", "postgres:repeatable-read": "none" },
);

const DEFERRED = "UNIQUE DEFERRABLE INITIALLY DEFERRED";

check(
  "of two that take the next number one is refused at its commit",
  [
    "SELECT count(*) + 10 INTO x FROM t; INSERT INTO t (id, v) VALUES (8, x);",
    "SELECT count(*) + 10 INTO x FROM t; INSERT INTO t (id, v) VALUES (9, x);",
  ],
  { "postgres:read-committed": "none", "postgres:repeatable-read": "none" },
  DEFERRED,
);

check(
  "keys may be shared until the commit",
  [
    "UPDATE t SET v = 12 WHERE id = 1; UPDATE t SET v = 11 WHERE id = 2;",
    "SELECT v INTO x FROM t WHERE id = 1; SELECT x + v INTO x FROM t WHERE id = 2;",
  ],
  { "postgres:read-committed": "value", "postgres:repeatable-read": "none" },
  DEFERRED,
);

check(
  "a shift of all keys is read whole",
  [
    "UPDATE t SET v = v + 1 WHERE v >= 1;",
    "SELECT v INTO x FROM t WHERE id = 1; UPDATE t SET v = x + 5 WHERE id = 1;",
  ],
  { "postgres:read-committed": "state", "postgres:repeatable-read": "none" },
  DEFERRED,
);

for (const key of ["UNIQUE", DEFERRED])
  check(
    `a key that was given up since the snapshot (${key})`,
    [
      "UPDATE t SET v = 16 WHERE id = 1;",
      "SELECT v INTO x FROM t WHERE id = 1; IF x = 1 THEN UPDATE t SET v = 1 WHERE id = 2; END IF;",
    ],
    // PostgreSQL looks at what is read, and not at who takes a key (L63 of the litmus programs).
    {
      "postgres:read-committed": "state",
      "postgres:repeatable-read": "state",
      "postgres:serializable": "unconfirmed state",
    },
    key,
  );

check(
  "a key that is given up where it is looked for",
  [
    "UPDATE t SET v = 16 WHERE v = 1;",
    "SELECT v INTO x FROM t WHERE id = 1; IF x = 1 THEN UPDATE t SET v = 1 WHERE id = 2; END IF;",
  ],
  { "postgres:serializable": "none" },
  "UNIQUE",
);
