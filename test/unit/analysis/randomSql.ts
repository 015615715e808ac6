// Random programs in SQL, and the levels at which the search is compared with enumeration on them.
import { PRODUCT_LEVELS, type ProductLevel } from "../../../server/src/isolation/levels";
import type { Choose } from "./productsHarness";

function statement(choose: Choose, number: number, known: string[]): string {
  const key = choose(["1", "2"]);
  const constant = choose(["1", "2", "5"]);
  const [first, ...others] = known;
  const value = first === undefined ? constant : `:${choose([first, ...others])}`;
  const name = `x${String(number)}`;
  const reads: readonly [string, ...string[]] = [
    `SELECT v AS ${name} FROM t WHERE id = ${key}`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR UPDATE`,
    `SELECT v AS ${name} FROM t WHERE id = ${key} FOR SHARE`,
    `SELECT count(*) AS ${name} FROM t WHERE v >= ${constant}`,
    `SELECT coalesce(sum(v), 0) AS ${name} FROM t`,
    `SELECT coalesce(max(v), 0) AS ${name} FROM t WHERE v <= 6`,
  ];
  const writes: readonly [string, ...string[]] = [
    `UPDATE t SET v = v + ${value} WHERE id = ${key}`,
    `UPDATE t SET v = ${value} + 1 WHERE id = ${key}`,
    `UPDATE t SET v = v - ${constant} WHERE id = ${key} AND v >= ${constant}`,
    `UPDATE t SET v = v + 10 WHERE v >= 2`,
    `INSERT INTO t (id, v) VALUES (3, ${value})`,
    `INSERT INTO t (id, v) VALUES (2, ${value}) ON CONFLICT (id) DO UPDATE SET v = t.v + 1`,
    `DELETE FROM t WHERE id = ${key}`,
  ];
  if (choose(["read", "write"]) === "write") return `${choose(writes)};`;
  known.push(name);
  return `${choose(reads)} \\gset`;
}

/** Two transactions of up to three statements on one small table. */
export function randomProgram(choose: Choose): string {
  const scripts = ["a", "b"].map((name) => {
    const known: string[] = [];
    const count = choose([1, 2, 3]);
    const lines = Array.from({ length: count }, (_, number) => statement(choose, number, known));
    return `-- @transaction ${name}\nBEGIN;\n${lines.join("\n")}\nCOMMIT;\n`;
  });
  return `CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);\n${scripts.join("")}`;
}

export const POSTGRES = PRODUCT_LEVELS.filter((each) => each.product === "postgres");
/** Levels of others that are encoded in ways of their own. */
export const OTHERS = [
  "mariadb:repeatable-read",
  "mariadb:read-committed",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "mariadb:serializable",
  "sqlserver:read-committed",
  "sqlserver:repeatable-read",
  "sqlserver:read-committed-snapshot",
  "oracle:read-committed",
  "tidb:repeatable-read",
].map(levelNamed);

export function levelNamed(name: string): ProductLevel {
  const level = PRODUCT_LEVELS.find((each) => each.name === name);
  if (level === undefined) throw new Error(`no level ${name}`);
  return level;
}
