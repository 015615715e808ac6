// Behaviour of PostgreSQL that a reader may take for protection: programs in which nothing is protected are never safe.
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse, sql, verdicts } from "./analyse";

const [RC, RR, SER] = [
  "postgres:read-committed",
  "postgres:repeatable-read",
  "postgres:serializable",
] as const;

async function finds(text: string, level: string, expected: readonly string[]): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  assert.deepEqual(verdicts(report), expected, `${level}: ${text}`);
  assert.deepEqual(report.unknown, [], text);
}

async function leavesOpen(text: string, level: string, reason: RegExp): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  assert.equal(report.verdict, "unknown", `${level}: ${text}`);
  const told = report.unknown.map((each) => each.reason);
  assert.ok(
    told.some((each) => reason.test(each)),
    told.join("\n"),
  );
}

/** Nothing is found under an assumption. */
async function assumes(text: string, level: string, assumption: RegExp): Promise<void> {
  const report = await analyse([sql(text)], level, 2);
  assert.deepEqual([verdicts(report), report.unknown], [[], []], `${level}: ${text}`);
  assert.match(report.assumptions.map((each) => each.text).join(), assumption);
}

const STOCK = "CREATE TABLE stock (id integer PRIMARY KEY, n integer NOT NULL);";
const LINES = "CREATE TABLE line (id integer PRIMARY KEY, stock integer NOT NULL);";

function routine(tables: string, parameters: string, body: string, name = "f"): string {
  return `${tables} CREATE FUNCTION ${name}(${parameters}) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x integer; BEGIN ${body} END $$;`;
}

const LOSES = "UPDATE stock SET n = x + d WHERE id = k;";

test("FOR KEY SHARE keeps nobody from changing the row, the stronger locks do", async () => {
  const locked = (strength: string): string =>
    routine(
      STOCK,
      "k integer, d integer",
      `SELECT n INTO x FROM stock WHERE id = k FOR ${strength}; ${LOSES}`,
    );
  await finds(locked("KEY SHARE"), RC, ["f+f state"]);
  await finds(locked("NO KEY UPDATE"), RC, []);
  await finds(locked("UPDATE"), RC, []);
  // Of two with FOR SHARE one deadlocks.
  await finds(locked("SHARE"), RC, []);
  await finds(locked("KEY SHARE"), RR, []);
});

test("a foreign key waits for FOR UPDATE of its parent and for no weaker lock", async () => {
  const children =
    "CREATE TABLE line (id integer PRIMARY KEY, stock integer NOT NULL REFERENCES stock);";
  const adds = `CREATE FUNCTION g(i integer, k integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE x integer; BEGIN INSERT INTO line VALUES (i, k); SELECT n INTO x FROM stock WHERE id = k; RETURN x; END $$;`;
  const counts = (strength: string): string =>
    `${routine(
      `${STOCK} ${children}`,
      "k integer",
      `PERFORM 1 FROM stock WHERE id = k FOR ${strength};
       SELECT count(*) INTO x FROM line WHERE stock = k; UPDATE stock SET n = x WHERE id = k;`,
    )} ${adds}`;
  await finds(counts("NO KEY UPDATE"), RC, ["f+g value"]);
  await finds(counts("SHARE"), RC, ["f+g value"]);
  await finds(counts("UPDATE"), RC, []);
});

test("what is not there is locked by nobody", async () => {
  const guarded = (lock: string): string =>
    routine(
      `${STOCK} ${LINES}`,
      "i integer, k integer",
      `${lock} IF EXISTS (SELECT 1 FROM line WHERE stock = k) THEN RETURN; END IF;
       INSERT INTO line VALUES (i, k);`,
    );
  for (const lock of [
    "PERFORM 1 FROM stock WHERE id = k FOR UPDATE;",
    "SELECT n INTO x FROM stock WHERE id = k FOR UPDATE;",
    "UPDATE stock SET n = n + 1 WHERE id = k;",
  ])
    await finds(guarded(lock), RC, ["f+f state"]);
  await finds(
    guarded("UPDATE stock SET n = n + 1 WHERE id = k; IF NOT FOUND THEN RETURN; END IF;"),
    RC,
    [],
  );
  await finds(guarded("SELECT n INTO STRICT x FROM stock WHERE id = k FOR UPDATE;"), RC, []);
});

test("what fetches one row locks one row", async () => {
  const duty = "CREATE TABLE duty (id integer PRIMARY KEY, here boolean NOT NULL);";
  const leaves = (name: string, locks: string): string =>
    routine(
      "",
      "me integer",
      `${locks} SELECT count(*) INTO x FROM duty WHERE here;
       IF x > 1 THEN UPDATE duty SET here = false WHERE id = me; END IF;`,
      name,
    );
  const both = (lock: (direction: string) => string): string =>
    `${duty} ${leaves("f", lock("ASC"))} ${leaves("g", lock("DESC"))}`;
  const query = (direction: string): string => `FROM duty WHERE here ORDER BY id ${direction}`;
  await finds(
    both((direction) => `SELECT id INTO x ${query(direction)} FOR UPDATE;`),
    RC,
    ["f+g state"],
  );
  await finds(
    both((direction) => `PERFORM id ${query(direction)} LIMIT 1 FOR UPDATE;`),
    RC,
    ["f+g state"],
  );
  await finds(
    both((direction) => `PERFORM id ${query(direction)} FOR UPDATE;`),
    RC,
    [],
  );
});

test("arguments may be NULL where nothing says that they are not", async () => {
  const tables = "CREATE TABLE b (id integer PRIMARY KEY, k integer);";
  const text = (options: string): string => `${tables}
    CREATE FUNCTION f(p integer, q integer) RETURNS integer LANGUAGE plpgsql ${options} AS $$
    DECLARE n integer; BEGIN SELECT count(*) INTO n FROM b WHERE k IS NULL; INSERT INTO b VALUES (q, p); RETURN n; END $$;`;
  await finds(text(""), RC, ["f+f value"]);
  await finds(text("STRICT"), RC, []);
  const unlocked = routine(
    STOCK,
    "k integer, d integer",
    `IF d > 0 THEN PERFORM 1 FROM stock WHERE id = k FOR UPDATE; END IF;
     IF d <= 0 THEN PERFORM 1 FROM stock WHERE id = k FOR UPDATE; END IF;
     SELECT n INTO x FROM stock WHERE id = k; UPDATE stock SET n = x + coalesce(d, 1) WHERE id = k;`,
  );
  await finds(unlocked, RC, ["f+f state"]);
});

test("a row whose only key is NULL is a row", async () => {
  const text = (type: string): string => `CREATE TABLE b (k integer ${type}, v integer NOT NULL);
    CREATE FUNCTION f(p integer, q integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE n integer; BEGIN SELECT count(*) INTO n FROM b WHERE k IS NULL; INSERT INTO b VALUES (p, q); RETURN n; END $$;`;
  await leavesOpen(text("UNIQUE"), RC, /whose key is NULL/);
  await finds(text("NOT NULL UNIQUE"), RC, []);
});

test("the handler of a duplicate sees what its snapshot sees, at SERIALIZABLE as well", async () => {
  const upsert = routine(
    STOCK,
    "k integer",
    `BEGIN INSERT INTO stock VALUES (k, 1);
     EXCEPTION WHEN unique_violation THEN UPDATE stock SET n = n + 1 WHERE id = k; END;`,
  );
  await finds(upsert, RC, []);
  await finds(upsert, RR, ["f+f state"]);
  await finds(upsert, SER, ["f+f state"]);
});

test("SERIALIZABLE answers for rows, not for what lies outside of them", async () => {
  const guarded = (condition: string): string =>
    routine(
      STOCK,
      "k integer, d integer",
      `IF ${condition} THEN UPDATE stock SET n = n + d WHERE id = k; END IF;`,
    );
  await assumes(guarded("pg_try_advisory_xact_lock(1)"), SER, /when it is refused a lock/);
  await leavesOpen(guarded("dblink_exec('c', 'q') = 'OK'"), SER, /dblink_exec/);
  await leavesOpen(guarded("somebodys_function(k)"), SER, /somebodys_function/);
  await leavesOpen(guarded("(SELECT xmin FROM stock WHERE id = k) IS NOT NULL"), SER, /xmin/);
  const skips = routine(
    STOCK,
    "k integer, d integer",
    `SELECT n INTO x FROM stock WHERE id = k FOR UPDATE SKIP LOCKED; ${LOSES}`,
  );
  await assumes(skips, SER, /SKIP LOCKED/);
  const inside = routine(
    STOCK,
    "k integer, d integer",
    "UPDATE stock SET n = 0 WHERE id = (SELECT id FROM stock WHERE n > 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED);",
  );
  await assumes(inside, SER, /SKIP LOCKED/);
  // Of rows it answers for what is weakened, too.
  const grouped = routine(
    STOCK,
    "k integer, d integer",
    "SELECT sum(n) INTO x FROM stock GROUP BY GROUPING SETS ((id)); UPDATE stock SET n = x WHERE id = k;",
  );
  await finds(grouped, SER, []);
});

test("a change through a view is not safe, whatever stands for it", async () => {
  const view = `${STOCK} CREATE VIEW shown AS SELECT id, n FROM stock;`;
  const trigger = `CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN UPDATE stock SET n = old.n - 1 WHERE id = old.id; RETURN new; END $$;
    CREATE TRIGGER t INSTEAD OF UPDATE ON shown FOR EACH ROW EXECUTE FUNCTION t();`;
  for (const change of [
    "UPDATE shown SET n = 0 WHERE id = :k",
    "DELETE FROM shown WHERE id = :k",
    "INSERT INTO shown VALUES (:k, 1)",
  ])
    for (const defined of [view, view + trigger])
      await leavesOpen(`${defined} BEGIN; ${change}; COMMIT;`, RC, /the view shown/);
});

test("what a unique index on expressions, or of NULLs, refuses is never confirmed and never safe", async () => {
  const table = "CREATE TABLE member (id integer PRIMARY KEY, name text, team integer);";
  const joins = `CREATE FUNCTION f(i integer, t text, n integer) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN IF EXISTS (SELECT 1 FROM member WHERE name = t) THEN RETURN; END IF;
    INSERT INTO member VALUES (i, t, n); END $$;`;
  await finds(`${table} ${joins}`, RC, ["f+f state"]);
  for (const index of [
    "CREATE UNIQUE INDEX u ON member (lower(name));",
    "CREATE UNIQUE INDEX u ON member (team, (name || 'x')) WHERE team > 0;",
    "ALTER TABLE member ADD UNIQUE NULLS NOT DISTINCT (name, team);",
    "CREATE UNIQUE INDEX u ON member (name) NULLS NOT DISTINCT;",
  ]) {
    const report = await analyse([sql(`${table} ${index} ${joins}`)], RC, 2);
    assert.equal(report.verdict, "unknown", index);
    assert.ok(
      report.unknown.some(({ reason }) => reason.includes("may refuse the row")),
      index,
    );
  }
});

test("a lock of a parent protects its children where the foreign key holds for the rows that are there", async () => {
  const leave = routine(
    "",
    "k integer, p integer",
    `PERFORM 1 FROM team WHERE id = p FOR UPDATE; SELECT count(*) INTO x FROM member WHERE team = p;
IF x > 1 THEN DELETE FROM member WHERE id = k AND team = p; END IF;`,
    "leave",
  );
  const team = "CREATE TABLE team (id integer PRIMARY KEY);";
  const member = "CREATE TABLE member (id integer PRIMARY KEY, team integer NOT NULL";
  const add = (rest: string): string =>
    `${team} ${member}); ALTER TABLE member ADD ${rest} FOREIGN KEY (team) REFERENCES team`;
  const races = ["leave+leave state"];
  await finds(`${team} ${member} REFERENCES team);${leave}`, RC, []);
  await finds(`${team} ${member});${leave}`, RC, races);
  await finds(`${add("CONSTRAINT fk")} NOT VALID;${leave}`, RC, races);
  await finds(`${add("")} NOT VALID;${leave}`, RC, races);
  await finds(`${team} ${member} REFERENCES team NOT ENFORCED);${leave}`, RC, races);
  const validated = "ALTER TABLE member VALIDATE CONSTRAINT";
  await finds(`${add("CONSTRAINT fk")} NOT VALID; ${validated} fk;${leave}`, RC, []);
  await finds(`${add("")} NOT VALID; ${validated} member_team_fkey;${leave}`, RC, []);
});

test("LOCK TABLE excludes who uses the table as its mode says", async () => {
  const other = "CREATE TABLE seen (id integer PRIMARY KEY, n integer NOT NULL);";
  const takes = (lock: string): string =>
    routine(
      STOCK,
      "k integer, d integer",
      `${lock} SELECT n INTO x FROM stock WHERE id = k; ${LOSES}`,
    );
  for (const mode of ["SHARE", "SHARE UPDATE EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"])
    await finds(takes(`LOCK TABLE stock IN ${mode} MODE;`), RC, []);
  for (const mode of ["ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE"])
    await finds(takes(`LOCK TABLE stock IN ${mode} MODE;`), RC, ["f+f state"]);
  // Who does not ask for a lock of the table takes one all the same.
  const loses = `CREATE FUNCTION g(k integer, d integer) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE x integer; BEGIN SELECT n INTO x FROM stock WHERE id = k; ${LOSES} END $$;`;
  await finds(`${takes("LOCK TABLE stock;")} ${loses}`, RC, ["g+g state"]);
  await finds(`${takes("LOCK TABLE stock IN SHARE MODE;")} ${loses}`, RC, [
    "f+g state",
    "g+g state",
  ]);
  const copies = `CREATE FUNCTION h(k integer) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    UPDATE seen SET n = (SELECT n FROM stock WHERE id = k) WHERE id = k; END $$;`;
  const reads = (lock: string): string =>
    routine(
      `${STOCK} ${other}`,
      "k integer",
      `${lock} UPDATE stock SET n = 0 WHERE id = k; SELECT n INTO x FROM seen WHERE id = k; UPDATE stock SET n = x WHERE id = k;`,
    );
  await finds(`${reads("LOCK TABLE stock;")} ${copies}`, RC, []);
});

test("a row's deletion locks the tables that may refer to it, where there is such a row", async () => {
  const tables = (foreign: string): string => `
    CREATE TABLE team (id integer PRIMARY KEY);
    CREATE TABLE member (id integer PRIMARY KEY, team integer REFERENCES team (id) ${foreign});
    CREATE TABLE seen (id integer PRIMARY KEY, n integer NOT NULL);`;
  const counts = "SELECT count(*) FROM team;";
  const twice = (mode: string): string => `-- @transaction f
BEGIN; LOCK TABLE member IN ${mode} MODE; ${counts} ${counts} COMMIT;`;
  const deletes = (more: string): string => `-- @transaction g
BEGIN; DELETE FROM team WHERE id = :k; ${more} COMMIT;`;
  await finds(`${tables("")} ${twice("EXCLUSIVE")} ${deletes("")}`, RC, []);
  await finds(`${tables("")} ${twice("SHARE")} ${deletes("")}`, RC, ["f+g value"]);
  const cascading = `${tables("ON DELETE CASCADE")} ${twice("SHARE")} ${deletes("")}`;
  await finds(cascading, RC, []);
  const [own, other] = ["stock", "seen"].map((table, at, both) => {
    const from = both[1 - at] ?? table;
    return `SELECT n AS x FROM ${from} WHERE id = 1 \\gset
      UPDATE ${table} SET n = :x + 1 WHERE id = 1;`;
  });
  const skews = `-- @transaction f
BEGIN; LOCK TABLE member IN EXCLUSIVE MODE; ${own ?? ""} COMMIT;`;
  await finds(`${STOCK} ${tables("")} ${skews} ${deletes(other ?? "")}`, RC, ["f+g state"]);
});

test("FOR UPDATE OF locks the tables that it names alone", async () => {
  const tables = `${STOCK} CREATE TABLE seen (id integer PRIMARY KEY, n integer NOT NULL);`;
  const locks = `-- @transaction f
BEGIN; LOCK TABLE stock IN EXCLUSIVE MODE; SELECT n AS x FROM seen WHERE id = :k \\gset
UPDATE stock SET n = :x + 1 WHERE id = :k; COMMIT;`;
  const reads = (of: string): string => `-- @transaction g
BEGIN; SELECT stock.n AS y FROM seen JOIN stock ON stock.id = seen.id WHERE seen.id = :k FOR UPDATE ${of} \\gset
UPDATE seen SET n = :y + 1 WHERE id = :k; COMMIT;`;
  await finds(`${tables} ${locks} ${reads("OF seen")}`, RC, ["f+g state"]);
  await finds(`${tables} ${locks} ${reads("")}`, RC, []);
});

test("LOCK TABLE of a client comes before the snapshot, that of a routine behind it", async () => {
  const body = (k: string): string => `LOCK TABLE line IN EXCLUSIVE MODE;
INSERT INTO line SELECT ${k}, count(*) FROM line;`;
  await finds(`${LINES}\n-- @transaction f\nBEGIN;\n${body(":k")}\nCOMMIT;`, RR, []);
  await finds(routine(LINES, "k integer", body("k")), RR, ["f+f state"]);
  await finds(routine(LINES, "k integer", body("k")), RC, []);
});

test("ON CONFLICT DO NOTHING fails where its row has changed since the snapshot", async () => {
  const tables = `${STOCK} ${LINES}`;
  const adds = (end: string): string =>
    routine(
      tables,
      "i integer, k integer, q integer",
      `INSERT INTO line SELECT i, n FROM stock WHERE id = k; UPDATE stock SET n = n + 1 WHERE id = q; ${end}`,
    );
  await finds(adds(""), RR, ["f+f state"]);
  // The row is there before all of them: nobody inserts it.
  const there = "IF NOT EXISTS (SELECT 1 FROM stock WHERE id = k) THEN RETURN; END IF;";
  const nothing = "INSERT INTO stock VALUES (k, 1) ON CONFLICT DO NOTHING;";
  await finds(adds(`${there} ${nothing}`), RR, []);
});

test("ON CONFLICT DO NOTHING fails where a key beside the primary one is in a row that its snapshot does not have", async () => {
  const adds = (values: string): string =>
    routine(
      "CREATE TABLE usr (id integer PRIMARY KEY, n integer NOT NULL, code integer NOT NULL UNIQUE);",
      "i integer, c integer",
      `INSERT INTO usr VALUES (${values}) ON CONFLICT DO NOTHING; UPDATE usr SET n = n + 1 WHERE code = c;`,
    );
  await finds(adds("i, 1, c"), RR, []);
  // Where the key is another one than what is changed behind it, each misses the row of the other.
  await finds(adds("i, 1, i"), RR, ["f+f state"]);
});
