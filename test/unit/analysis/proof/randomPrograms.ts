// Random programs in SQL for comparisons of proofs with the bounded search: small tables with counters, unique keys and
// rows that come and go, and transactions that are often, not always, safe.
import type { Random } from "./random";

/**
 * Two to four transactions of up to three statements; or transactions over accounts, such that lock what they read, such
 * with loops and conditions, or such over rows with a parent.
 */
export function randomProofProgram(random: Random): string {
  const shape = random(5);
  if (shape === 0) return accounts(random);
  if (shape === 1) return locked(random);
  if (shape === 2) return looped(random);
  if (shape === 3) return parented(random);
  const count = 2 + random(3);
  const unique = random(3) === 0 ? "UNIQUE" : "";
  const scripts = Array.from({ length: count }, (_, number) => {
    const known: string[] = [];
    const lines = Array.from({ length: 1 + random(3) }, (__, at) => statement(random, at, known));
    return `-- @transaction t${String(number)}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL, w integer NOT NULL ${unique});
CREATE TABLE b (id integer, n integer, u integer NOT NULL, PRIMARY KEY (id, n));
${scripts.join("")}`;
}

/** Transactions that look at rows of two tables and change one of them: the shape of write skews with a reader. */
function accounts(random: Random): string {
  const scripts = Array.from({ length: 2 + random(2) }, (_, number) => {
    const [first, second] = random(2) === 0 ? ["savings", "checking"] : ["checking", "savings"];
    const lock = random(6) === 0 ? " FOR UPDATE" : "";
    const look = (table: string, at: number): string =>
      `SELECT bal AS x${String(at)} FROM ${table} WHERE id = :k${lock} \\gset`;
    const change = [
      `UPDATE ${first} SET bal = bal + :amount WHERE id = :k;`,
      `UPDATE ${first} SET bal = :amount WHERE id = :k;`,
      `UPDATE ${first} SET bal = bal - 1 WHERE id = :k AND bal > 0;`,
      `DELETE FROM ${first} WHERE id = :k;`,
      `INSERT INTO ${first} (id, bal) VALUES (:k, 1);`,
    ][random(5)];
    const lines = [
      ...(random(2) === 0 ? [look(second, 0)] : []),
      ...(random(3) === 0 ? [look(first, 1)] : []),
      ...(random(3) > 0 ? [change ?? ""] : []),
    ];
    const body = lines.length > 0 ? lines.join("\n") : look(second, 0);
    return `-- @transaction t${String(number)}\nBEGIN;\n${body}\nCOMMIT;\n`;
  });
  return `CREATE TABLE savings (id integer PRIMARY KEY, bal integer NOT NULL);
CREATE TABLE checking (id integer PRIMARY KEY, bal integer NOT NULL);
${scripts.join("")}`;
}

/** Transactions that mostly lock what they read, or change rows in place; rows come and go: the shape of what is safe. */
function locked(random: Random): string {
  const pick = (...options: readonly string[]): string => options[random(options.length)] ?? "";
  const scripts = Array.from({ length: 1 + random(3) }, (_, number) => {
    const lock = random(4) === 0 ? "" : " FOR UPDATE";
    const key = pick(":k", ":k", ":k", "1");
    const lines = Array.from({ length: 1 + random(2) }, (__, at) =>
      pick(
        `SELECT v AS x${String(at)} FROM a WHERE id = ${key}${lock} \\gset`,
        `SELECT v AS x${String(at)} FROM a WHERE id = ${key}${lock} \\gset\nUPDATE a SET v = :x${String(at)} + 1 WHERE id = ${key};`,
        `UPDATE a SET v = v + 1 WHERE id = ${key};`,
        `UPDATE a SET v = v - 1 WHERE id = ${key} AND v > 0;`,
        `UPDATE a SET v = 0 WHERE v > 3;`,
        `INSERT INTO a (id, v) VALUES (${key}, 1);`,
        `INSERT INTO a (id, v) VALUES (${key}, 1) ON CONFLICT (id) DO NOTHING;`,
        `INSERT INTO a (id, v) VALUES (${key}, 1) ON CONFLICT (id) DO UPDATE SET v = a.v + 1;`,
        `DELETE FROM a WHERE id = ${key};`,
        `DELETE FROM a WHERE id = ${key} AND v = 0;`,
        `SELECT count(*) AS x${String(at)} FROM a WHERE v > 1 \\gset`,
      ),
    );
    return `-- @transaction t${String(number)}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
${scripts.join("")}`;
}

/** Routines with loops, conditions and refusals: what rounds of loops do together. */
function looped(random: Random): string {
  const pick = (...options: readonly string[]): string => options[random(options.length)] ?? "";
  const change = (key: string): string =>
    pick(
      `UPDATE a SET v = v + 1 WHERE id = ${key};`,
      `UPDATE a SET v = x WHERE id = ${key};`,
      `UPDATE a SET v = v - 1 WHERE id = ${key} AND v > 0;`,
      `DELETE FROM a WHERE id = ${key};`,
      `INSERT INTO a (id, v) VALUES (${key}, 1) ON CONFLICT (id) DO NOTHING;`,
      `SELECT v INTO x FROM a WHERE id = ${key};`,
      `SELECT v INTO x FROM a WHERE id = ${key} FOR UPDATE;`,
    );
  const part = (): string =>
    pick(
      `FOR i IN 1..k LOOP ${change(pick("i", "i", "k"))} END LOOP;`,
      `FOR r IN SELECT id, v FROM a${pick("", " WHERE v > 1")} ORDER BY id${pick("", " FOR UPDATE")} LOOP ${change("r.id")} END LOOP;`,
      `FOR i IN 1..2 LOOP SELECT v INTO x FROM a WHERE id = i; ${change("i")} END LOOP;`,
      `IF x > 1 THEN ${change("k")} END IF;`,
      `IF x > 2 THEN RAISE EXCEPTION 'refused'; END IF;`,
      change("k"),
    );
  const routines = Array.from({ length: 1 + random(2) }, (_, number) => {
    const lines = Array.from({ length: 1 + random(2) }, () => `  ${part()}\n`);
    return `CREATE FUNCTION t${String(number)}(k integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE x integer := 0; r record;
BEGIN
${lines.join("")}  RETURN ${pick("x", "0")};
END $$;
`;
  });
  return `CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);
${routines.join("")}`;
}

/** Rows that name a parent, which stays or goes, and a CHECK. */
function parented(random: Random): string {
  const pick = (...options: readonly string[]): string => options[random(options.length)] ?? "";
  const check = pick("", " CHECK (v >= 0)");
  const last = pick(
    "DELETE FROM p WHERE id = :k;",
    "UPDATE p SET v = v + 1 WHERE id = :k;",
    "SELECT v AS y FROM p WHERE id = :k \\gset",
  );
  const lockedFirst = (statement: string): string => {
    const lock = `SELECT v AS x FROM p WHERE id = :k FOR UPDATE \\gset\n`;
    return random(6) === 0
      ? `SAVEPOINT s;\n${lock}ROLLBACK TO s;\n${statement}`
      : `${lock}${statement}`;
  };
  const scripts = Array.from({ length: 1 + random(3) }, (_, number) => {
    const lines = Array.from({ length: 1 + random(2) }, (__, at) =>
      pick(
        `SELECT v AS x${String(at)} FROM p WHERE id = :k \\gset`,
        `SELECT v AS x${String(at)} FROM p WHERE id = :k FOR UPDATE \\gset`,
        "UPDATE p SET v = v + 1 WHERE id = :k;",
        "UPDATE p SET v = v - 1 WHERE id = :k;",
        "INSERT INTO p (id, v) VALUES (:k, 0);",
        `SELECT v AS x${String(at)} FROM p WHERE id = :k FOR SHARE \\gset`,
        `SELECT count(*) AS x${String(at)} FROM c WHERE id = :k \\gset`,
        lockedFirst(`SELECT count(*) AS n${String(at)} FROM c WHERE id = :k \\gset`),
        lockedFirst(`UPDATE c SET u = u + 1 WHERE id = :k AND n = :n;`),
        "INSERT INTO c (id, n, u) VALUES (:k, :n, 1);",
        `SELECT v AS x${String(at)} FROM p WHERE id = :k \\gset\nINSERT INTO c (id, n, u) VALUES (:k, :x${String(at)}, 1);\nUPDATE p SET v = :x${String(at)} + 1 WHERE id = :k;`,
        "UPDATE c SET u = u + 1 WHERE id = :k AND n = :n;",
        `SELECT u AS x${String(at)} FROM c WHERE id = :k AND n = :n \\gset`,
        "DELETE FROM c WHERE id = :k AND n = :n;",
      ),
    );
    return `-- @transaction t${String(number)}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE p (id integer PRIMARY KEY, v integer NOT NULL${check});
CREATE TABLE c (id integer REFERENCES p (id), n integer, u integer NOT NULL, PRIMARY KEY (id, n));
${scripts.join("")}-- @transaction last
BEGIN;
${last}
COMMIT;
`;
}

function statement(random: Random, number: number, known: string[]): string {
  const pick = (...options: readonly string[]): string => options[random(options.length)] ?? "";
  const key = pick(":k", ":k", "1", "2");
  const value = known.length > 0 && random(2) === 0 ? `:${pick(...known)}` : pick(":p", "1", "5");
  const name = `x${String(number)}`;
  if (random(5) < 2) {
    known.push(name);
    return pick(
      `SELECT v AS ${name} FROM a WHERE id = ${key} \\gset`,
      `SELECT w AS ${name} FROM a WHERE id = ${key} \\gset`,
      `SELECT v AS ${name} FROM a WHERE id = ${key} FOR UPDATE \\gset`,
      `SELECT u AS ${name} FROM b WHERE id = ${key} AND n = ${value} \\gset`,
      `SELECT n AS ${name} FROM b WHERE id = ${key} ORDER BY n LIMIT 1 \\gset`,
      `SELECT n AS ${name} FROM b WHERE id = ${key} ORDER BY n DESC LIMIT 1 \\gset`,
      `SELECT count(*) AS ${name} FROM b WHERE id = ${key} AND u > 1 \\gset`,
      `SELECT coalesce(sum(v), 0) AS ${name} FROM a \\gset`,
    );
  }
  return pick(
    `UPDATE a SET v = v + 1 WHERE id = ${key};`,
    `UPDATE a SET v = ${value} WHERE id = ${key};`,
    `UPDATE a SET w = ${value} WHERE id = ${key};`,
    `UPDATE a SET v = v - 1 WHERE id = ${key} AND v > 0;`,
    `UPDATE a SET v = v + 1 WHERE w > 1;`,
    `INSERT INTO a (id, v, w) VALUES (${key}, ${value}, 3);`,
    `INSERT INTO a (id, v, w) VALUES (${key}, 1, ${value}) ON CONFLICT (id) DO NOTHING;`,
    `INSERT INTO b (id, n, u) VALUES (${key}, ${value}, 1);`,
    `INSERT INTO b (id, n, u) VALUES (${key}, ${value}, 1) ON CONFLICT (id, n) DO UPDATE SET u = b.u + 1;`,
    `UPDATE b SET u = u + 1 WHERE id = ${key};`,
    `UPDATE b SET u = ${value} WHERE id = ${key} AND n = ${value};`,
    `DELETE FROM b WHERE id = ${key} AND n = ${value};`,
    `DELETE FROM b WHERE id = ${key};`,
    `DELETE FROM a WHERE id = ${key};`,
  );
}
