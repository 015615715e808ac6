// Texts of MySQL's clients that differ in their literals: they share a statement, and mean what they would mean alone.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDatabase, type Database } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

const SCHEMA =
  "create table t (id int primary key, n decimal(8,2), s varchar(40), at datetime); insert into t values (1, 1.5, 'a', '2024-01-01'), (2, 2, 'it''s', null), (3, -3, '10', null)";

/** Runs texts one behind the other; `isShared`: through what texts share. */
function opened(isShared: boolean): { database: Database; run: (sql: string) => unknown } {
  const made = createDatabase({ dialect: "mariadb" });
  const database = isShared ? made : { ...made, read: made.parse };
  const { answer } = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0.5,
    rule: "snapshot",
  });
  const run = (sql: string): unknown => {
    const outcome = runNow(session.execute(sql), answer);
    if (!outcome.ok) return [outcome.error.number, outcome.error.message];
    return outcome.results.map(({ rows, columns }) => [
      columns.map(({ name, type }) => [name, type]),
      rows.map((row) => row.map(String)),
    ]);
  };
  run(SCHEMA);
  return { database: made, run };
}

test("a text that comes with other literals has the statement of those before it", () => {
  const { database } = opened(true);
  const insert = (id: number): string =>
    `insert into t values (${id}, -${id}.50, 'it''s ${id}', null)`;
  const [, second, third] = [4, 5, 6].map((id) => database.read(insert(id))[0]);
  assert.equal(second?.statement, third?.statement);
  assert.deepEqual(
    third?.literals?.map(({ written }) => written),
    ["6", "6.50", "it's 6"],
  );
  assert.equal(third?.text, insert(6));
});

test("a literal that means more than its value stays in the statement", () => {
  const { database } = opened(true);
  const query = (id: number, limit: number): string =>
    `select id from t where id > ${id} order by 1 limit ${limit}`;
  const read = (id: number, limit: number) => database.read(query(id, limit))[0];
  const [, one, same, other, again] = [read(0, 1), read(1, 1), read(2, 1), read(3, 2), read(4, 2)];
  assert.equal(one?.statement, same?.statement);
  assert.equal(other?.statement, again?.statement);
  assert.notEqual(one?.statement, other?.statement);
});

/** Texts that come one behind the other, each of the same shape. */
const TEXTS: readonly (readonly string[])[] = [
  ["1", "2", "3"].map((n) => `select id, s from t where id = ${n} or n > ${n}.25 order by 2, 1`),
  ["a", "it''s", "10", "nobody"].map((s) => `select * from t where s = '${s}' and id in (1, 2, 3)`),
  ["10", "010", "9"].map((n) => `select count(*) from t where s = ${n}`),
  ["2024-01-01", "2023-05-05", "soon"].map((at) => `select id from t where at >= '${at}'`),
  ["1.10", "1.5", "2"].map((n) => `update t set s = ${n}, n = n + ${n} where id = 1`),
  ["1.456", "99999999", "-1"].map((n) => `update t set n = ${n} where id = 2`),
  ["7", "8", "8"].map((id) => `insert into t (id, n, s) values (${id}, ${id}.125, '${id}')`),
  ["x", "y", "z"].map(
    (s) => `insert into t values (7, 1, '${s}', null) on duplicate key update s = '${s}${s}'`,
  ),
  ["1", "2", "3"].map((n) => `select ${n}, id + ${n} from t limit ${n}`),
  ["1", "2", "3"].map(
    (n) => `select substring(s, ${n}), round(n, ${n}) from t where not id = -${n}`,
  ),
  ["1", "2", "3"].map(
    (n) => `select id from t where id between ${n} and 3 group by id having count(*) = 1`,
  ),
  ["1", "2", "3"].map(
    (n) => `select id from t where id - ${n} = 0 and exists (select 1 from t u where u.id = ${n})`,
  ),
  ["a%", "%s", "_"].map((s) => `select id from t where s like '${s}'`),
  ["1", "2"].map((n) => `delete from t where id = ${n} limit 1`),
  ["1", "2"].map((n) => `select date '2024-01-0${n}' as d, interval ${n} day + at from t`),
  ["1", "2", "3"].map((n) => `select cast(id as char(${n})) from t where id <> ${n} -- ${n}`),
  ["1", "2", "3"].map((n) => `select id from t where id = ${n}; select '${n}'`),
  ["3", "4", "5"].map((n) => `select id from t where id = 0x${n} or s = 'a\\'${n}'`),
];

describe("each of several texts means what it would mean alone:", () => {
  for (const texts of TEXTS)
    test(texts[0] ?? "", () => {
      const [shared, alone] = [opened(true), opened(false)];
      for (const each of [...texts, ...texts, "select * from t"])
        assert.deepEqual(shared.run(each), alone.run(each), each);
    });
});

test("a long text is read again once, and kept from then on, as a driver's batch is", () => {
  const database = createDatabase({ dialect: "mariadb" });
  const rows = Array.from({ length: 3000 }, (_, at) => `(${String(at)}, ?)`).join();
  const [first, second, third] = [1, 2, 3].map(
    () => database.parse(`insert into t values ${rows}`)[0]?.statement,
  );
  assert.notEqual(first, second);
  assert.equal(second, third);
});
