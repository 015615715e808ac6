// Learning from runs: each test gives the statements of some runs and the program that comes of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readLog } from "../../../server/src/record/log/log";
import { learntFiles } from "../../../server/src/record/result";
import { newGlossary, recordedStatement } from "../../../server/src/record/statements";
import { begin, commit, learnt, read, rollback, write, type Call, type Sent } from "./calls";

test("what was read and an amount from outside; an amount that is not seen is told as a doubt", () => {
  const calls = [
    [begin, read(1, 100), write(1, 70), commit],
    [begin, read(2, 90), write(2, 85), commit],
    [begin, read(1, 70), write(1, 1), commit],
    [begin, read(1, 1), rollback],
  ];
  assert.deepEqual(learnt(calls), [
    `-- @isolens transaction work
-- @isolens learnt 4 runs
-- @isolens over "s1_balance >= balance_change" fits the 3 runs that went on; of those that did not, balance_change was not seen
BEGIN;
SELECT id, balance FROM account WHERE id = :id \\gset s1_
\\if :s1_balance >= :balance_change
UPDATE account SET balance = (:s1_balance - :balance_change) WHERE id = :s1_id;
\\endif
COMMIT;`,
  ]);
});

const count = (event: number, count: number): Sent => ({
  sql: `SELECT count(*) FROM booking WHERE event_id = ${String(event)}`,
  columns: ["count"],
  rows: [[String(count)]],
});
const capacity = (id: number, capacity: number): Sent => ({
  sql: `SELECT capacity FROM event WHERE id = ${String(id)}`,
  columns: ["capacity"],
  rows: [[String(capacity)]],
});
const insert = (event: number, who: string): Sent => ({
  sql: `INSERT INTO booking (event_id, who) VALUES (${String(event)}, '${who}')`,
  affected: 1,
});

test("a guard between two results; texts are arguments, and statements without a transaction are a unit", () => {
  const calls = [
    [capacity(1, 2), count(1, 0), insert(1, "Ann")],
    [capacity(2, 4), count(2, 3), insert(2, "Bob")],
    [capacity(1, 2), count(1, 2)],
    [capacity(3, 5), count(3, 5)],
    [capacity(3, 5), count(3, 4), insert(3, "Eve")],
  ];
  assert.deepEqual(learnt(calls), [
    `-- @isolens unit work
-- @isolens learnt 5 runs
SELECT capacity FROM event WHERE id = :id \\gset s1_
SELECT count(*) FROM booking WHERE event_id = :id \\gset s2_
\\if :s2_count < :s1_capacity
INSERT INTO booking (event_id, who) VALUES (:id, :who);
\\endif`,
  ]);
});

test("a change where the version is what was read gives up otherwise, which is a doubt", () => {
  const edit = (id: number, version: number, body: string): Call => [
    begin,
    {
      sql: `SELECT version FROM doc WHERE id = ${String(id)}`,
      columns: ["version"],
      rows: [[String(version)]],
    },
    {
      sql: `UPDATE doc SET body = '${body}', version = ${String(version + 1)} WHERE id = ${String(id)} AND version = ${String(version)}`,
      affected: 1,
    },
    commit,
  ];
  assert.deepEqual(learnt([edit(1, 1, "a"), edit(2, 5, "b"), edit(1, 2, "c")]), [
    `-- @isolens transaction work
-- @isolens learnt 3 runs
-- @isolens over what it does where "version" is not what was read was not seen; it is taken to give up
BEGIN;
SELECT version FROM doc WHERE id = :id \\gset s1_
UPDATE doc SET body = :body, version = (:s1_version + 1) WHERE id = :id AND version = :s1_version;
\\set n2 :ROW_COUNT
\\if :n2 > 0
\\else
\\quit
\\endif
COMMIT;`,
  ]);
});

test("a maximum and one more; what the maximum of no rows gives counts as nothing", () => {
  const issue = (last: number | null): Call => [
    begin,
    {
      sql: "SELECT max(no) FROM ticket",
      columns: ["max"],
      rows: [[last === null ? null : String(last)]],
    },
    { sql: `INSERT INTO ticket (no) VALUES (${String((last ?? 0) + 1)})`, affected: 1 },
    commit,
  ];
  const [text = ""] = learnt([issue(null), issue(1), issue(2)]);
  assert.match(text, /VALUES \(\(COALESCE\(:s1_max, 0\) \+ 1\)\)/);
});

test("without call sites, runs that end earlier on the same way are of the program that goes on", () => {
  const calls = [
    [begin, read(1, 100), write(1, 70), commit],
    [begin, read(1, 70), rollback],
    [begin, read(2, 90), write(2, 60), commit],
    [insert(1, "Ann")],
  ];
  const texts = learnt(calls, { site: false });
  assert.deepEqual(
    texts.map((text) => text.split("\n").slice(0, 2)),
    [
      ["-- @isolens transaction update account", "-- @isolens learnt 3 runs"],
      ["-- @isolens transaction insert booking", "-- @isolens learnt 1 run"],
    ],
  );
});

test("an attempt that the server undid is no part of the program; another error ends it", () => {
  const calls = [
    [
      begin,
      read(1, 100),
      { ...write(1, 70), error: "40001" },
      rollback,
      begin,
      read(1, 80),
      write(1, 50),
      commit,
    ],
    [begin, read(2, 10), write(2, 5), commit],
    [begin, read(2, 5), { ...write(2, 0), error: "23514" }, rollback],
  ];
  const [text = ""] = learnt(calls);
  assert.match(text, /-- 1 of them ended with the server's error 23514\./);
  assert.equal(text.split("\n").filter((line) => line === "BEGIN;").length, 1);
});

test("secrets: nothing of a text is written that looks like no word, nor of a column that names a secret", () => {
  const call = (token: string): Call => [
    {
      sql: `UPDATE login SET state = 'open' WHERE token = '${token}' AND password = 'hunter' AND checked('hunted')`,
      affected: 1,
    },
  ];
  const [text = ""] = learnt([call("4f5a-77"), call("4f5a-77"), call("4f5a-77")]);
  assert.match(text, /state = 'open'/);
  // Words have another key in each recording, and are the same in what is written.
  assert.match(text, /token = 'text:1' AND password = 'text:2' AND checked\('text:3'\)/);
});

test("an error outside of a transaction undoes its statement alone; a run that ends by it tells no path", () => {
  const capacityOf = capacity(1, 9);
  const calls = [
    [capacityOf, { ...insert(1, "Ann"), error: "40001" }, insert(1, "Ann")],
    [capacity(2, 8), insert(2, "Bob")],
    [capacity(3, 7), { ...insert(3, "Eve"), error: "40P01" }],
  ];
  const [text = ""] = learnt(calls);
  assert.match(text, /INSERT INTO booking/);
  assert.doesNotMatch(text, /\\if/);
  assert.match(text, /-- 1 of them ended with the server's error 40P01/);
});

test("two columns that were alike in every run are a doubt; two names of one row's key are none", () => {
  const two = (id: number, amount: number): Call => [
    begin,
    read(id, amount),
    {
      sql: `SELECT max(balance) AS balance FROM account WHERE id = ${String(id)}`,
      columns: ["balance"],
      rows: [[String(amount)]],
    },
    write(id, amount),
    commit,
  ];
  const [text = ""] = learnt([two(1, 5), two(2, 6), two(3, 7)]);
  assert.deepEqual(
    text.split("\n").filter((line) => line.includes("over")),
    ['-- @isolens over "balance" was s2_balance in every run, and s1_balance as well'],
  );
});

test("a number that is too long to be shown comes from outside, and what follows from it is a doubt", () => {
  const call = (before: string, after: string): Call => [
    begin,
    {
      sql: "SELECT balance FROM account WHERE id = 1",
      columns: ["balance"],
      rows: [[before]],
    },
    { sql: `UPDATE account SET balance = ${after} WHERE id = 1`, affected: 1 },
    commit,
  ];
  const long = "1234567890123456";
  const [text = ""] = learnt([call(`${long}0`, `${long}1`), call(`${long}1`, `${long}2`)]);
  assert.match(text, /SET balance = :balance /);
  assert.match(text, /over how "balance" follows from s1_balance was not learnt/);
});

test("the level that a session asks for, in each of its spellings", () => {
  for (const set of [
    "SET default_transaction_isolation TO 'repeatable read'",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL repeatable read",
    'SET default_transaction_isolation = "repeatable read"',
  ]) {
    const [text = ""] = learnt([[{ sql: set }, begin, read(1, 5), write(1, 4), commit]]);
    assert.match(text, /^BEGIN ISOLATION LEVEL REPEATABLE READ;$/m, set);
  }
});

test("a session that asks for the server's own level is like one that asks for none", () => {
  const call = (sql: string): Call => [{ sql }, read(1, 5), write(1, 4), commit];
  const own = ["BEGIN", "BEGIN ISOLATION LEVEL READ COMMITTED", "BEGIN READ WRITE"].map(call);
  const [text = ""] = learnt(own.slice(0, 2));
  assert.match(text, /^BEGIN;\nSELECT/m);
  assert.doesNotMatch(text, /\\if/);
  const [other = ""] = learnt([call("BEGIN ISOLATION LEVEL SERIALIZABLE"), ...own]);
  assert.match(other, /BEGIN ISOLATION LEVEL SERIALIZABLE;/);
});

test("a change that found no row and is rolled back gives up, which COMMIT does not", () => {
  const call = (affected: number): Call => [
    begin,
    read(1, 5),
    { ...write(1, 4), affected },
    affected === 0 ? rollback : commit,
  ];
  const [text = ""] = learnt([call(1), call(1), call(0), call(0)]);
  assert.match(text, /\\if :n2 > 0\nCOMMIT;\n\\else\nROLLBACK;\n\\endif$/);
});

test("a unit that ends by ROLLBACK on another way gives up", () => {
  const call = (affected: number): Call => [
    read(1, 5),
    begin,
    { ...write(1, 4), affected },
    affected === 0 ? rollback : commit,
  ];
  const [text = ""] = learnt([call(1), call(1), call(0), call(0)]);
  assert.match(text, /\\if :n2 > 0\n\\else\n\\quit\n\\endif\nCOMMIT;$/);
});

test("a log without results bounds nothing, and decides nothing that was read", () => {
  const log = `2024-05-01 10:00:00 UTC [11] LOG:  statement: BEGIN
2024-05-01 10:00:00 UTC [11] LOG:  execute <unnamed>: SELECT n FROM stock WHERE item = $1 LIMIT 10
2024-05-01 10:00:00 UTC [11] DETAIL:  parameters: $1 = '4'
2024-05-01 10:00:00 UTC [11] LOG:  execute <unnamed>: UPDATE stock SET n = $1 WHERE item = $2
2024-05-01 10:00:00 UTC [11] DETAIL:  parameters: $1 = '3', $2 = '4'
2024-05-01 10:00:00 UTC [11] LOG:  statement: COMMIT
`;
  const refused = log.replaceAll("[11]", "[12]").replace(/^.*(?:UPDATE|\$2).*\n/gm, "");
  const read = readLog(log + refused);
  assert.ok("events" in read);
  const glossary = newGlossary();
  const statements = read.events.map((event) => recordedStatement(event, "postgres", glossary));
  const { files } = learntFiles(statements, { protocol: "postgres", glossary });
  const text = files[0]?.text ?? "";
  assert.match(text, /over a log has no results/);
  assert.match(text, /LIMIT 10;\n\\if :goes_on > 0\nUPDATE stock SET n = :n WHERE item = :item;/);
});

test("runs that part by a text are told by it", () => {
  const state = (id: number, now: string): Sent => ({
    sql: `SELECT id, state FROM job WHERE id = ${String(id)}`,
    columns: ["id", "state"],
    rows: [[String(id), now]],
  });
  const start = (id: number): Sent => ({
    sql: `UPDATE job SET tries = tries + 1 WHERE id = ${String(id)}`,
    affected: 1,
  });
  const [text = ""] = learnt([
    [begin, state(1, "waiting"), start(1), commit],
    [begin, state(2, "waiting"), start(2), commit],
    [begin, state(3, "done"), rollback],
    [begin, state(4, "failed"), rollback],
  ]);
  assert.match(text, /\\if :s1_state = 'waiting'\n/);
  assert.doesNotMatch(text, /isolens over/);
});

const items = (order: number, ids: readonly number[]): Sent => ({
  sql: `SELECT item_id FROM line WHERE line.order = ${String(order)}`,
  columns: ["item_id"],
  rows: ids.map((id) => [String(id)]),
});
const take = (item: number): Sent => ({
  sql: `UPDATE stock SET n = n - 1 WHERE item_id = ${String(item)}`,
  affected: 1,
});
const ship = (order: number, ids: readonly number[]): Call => [
  begin,
  items(order, ids),
  ...ids.map(take),
  commit,
];

test("runs with other numbers of rounds are one path with one round, and a doubt", () => {
  const calls = [ship(1, [7]), ship(2, [8, 9]), ship(3, [4, 5])];
  const expected = `BEGIN;
SELECT item_id FROM line WHERE line.order = :order \\gset s1_
UPDATE stock SET n = n - 1 WHERE item_id = :s1_item_id;
COMMIT;`;
  for (const site of [true, false]) {
    const [text = "", ...others] = learnt(calls, { site });
    assert.deepEqual(others, []);
    assert.match(
      text,
      /over a loop from "update stock" on had 1 to 2 rounds in the runs; one round/,
    );
    assert.equal(text.slice(text.indexOf("BEGIN")), expected);
  }
});

test("two statements alike are no loop where their number never differs, or nothing says that rounds follow rows", () => {
  const transfer = (from: number, to: number): Call => [
    begin,
    read(from, 9),
    read(to, 5),
    write(from, 8),
    write(to, 6),
    commit,
  ];
  const [text = ""] = learnt([transfer(1, 2), transfer(2, 3), [begin, read(4, 0), rollback]]);
  assert.equal(text.match(/UPDATE account/g)?.length, 2);
});

test("lists of other lengths are one path with one item, and a doubt", () => {
  const call = (ids: readonly number[]): Call => [
    { sql: `SELECT n FROM stock WHERE item IN (${ids.join(", ")})`, columns: ["n"], rows: [["1"]] },
    {
      sql: `INSERT INTO log (item, n) VALUES ${ids.map((id) => `(${String(id)}, 1)`).join(", ")}`,
      affected: ids.length,
    },
  ];
  const [text = ""] = learnt([call([1]), call([2, 3]), call([4, 5, 6])]);
  assert.match(text, /WHERE item IN \(:item\)/);
  assert.match(text, /INSERT INTO log \(item, n\) VALUES \(:item, :?\w+\);/);
  assert.match(text, /over a list of "select stock" differed in length/);
  const [same = ""] = learnt([call([1, 2]), call([3, 4])]);
  assert.match(same, /IN \(:item, :item2\)/);
});

test("of two lists whose lengths add up to the same, one item is followed, and that is a doubt as well", () => {
  const call = (a: string, b: string): Call => [
    { sql: `SELECT n FROM stock WHERE a IN (${a}) AND b IN (${b})`, columns: ["n"], rows: [["1"]] },
  ];
  const [text = ""] = learnt([call("1, 2", "3"), call("4", "5, 6"), call("7, 8", "9")]);
  assert.match(text, /WHERE a IN \(:a\) AND b IN \(:b\)/);
  assert.match(text, /over a list of "select stock" had several items; one item is followed/);
});

test("a loop of transactions is told by its first word", () => {
  const round = [begin, read(1, 9), write(1, 8), commit];
  const [text = ""] = learnt([round, [...round, ...round, ...round], round]);
  assert.match(text, /over a loop from "begin" on had 1 to 3 rounds/);
});

test("a Boolean that never differs is one, as each driver writes it", () => {
  for (const given of ["f", "FALSE"]) {
    const call = {
      sql: "UPDATE doctor SET on_call = $1 WHERE id > 3",
      given: [given],
      affected: 1,
    };
    const [text = ""] = learnt([[call], [call], [call]]);
    assert.match(text, /SET on_call = FALSE WHERE/);
  }
});

test("the same statements give the same bytes", () => {
  const calls = [
    [begin, read(1, 100), write(1, 70), commit],
    [begin, read(1, 70), rollback],
  ];
  assert.deepEqual(learnt(calls), learnt(calls));
});

test("a statement of another verb names its transaction by its first words", () => {
  const copy: Sent = { sql: "COPY account FROM STDIN", affected: 3 };
  const [text = ""] = learnt([[copy], [copy]], { site: false });
  assert.match(text, /-- @isolens transaction copy account\n/);
});

test("a version is checked whatever name the query gives to its column", () => {
  const edit = (version: number): Call => [
    begin,
    {
      sql: 'SELECT "d"."id" AS "d_id", "d"."version" AS "d_version" FROM "document" "d" WHERE (("d"."id" = $1)) LIMIT 1',
      given: [String(version % 3)],
      columns: ["d_id", "d_version"],
      rows: [[String(version % 3), String(version)]],
    },
    {
      sql: 'UPDATE "document" SET "version" = $1 WHERE ("id" = $2 AND "version" = $3)',
      given: [String(version + 1), String(version % 3), String(version)],
      affected: 1,
    },
    commit,
  ];
  const [text = ""] = learnt([edit(4), edit(5), edit(9)]);
  assert.match(text, /where "version" is not what was read was not seen; it is taken to give up/);
});

const pay = (id: number, amount: string): Sent => ({
  sql: `UPDATE account SET balance = balance - ${amount} WHERE id = ${String(id)}`,
  affected: 1,
});

test("what is taken from a column does not follow from what the column was", () => {
  const calls = [
    [begin, read(1, 100), pay(1, "30"), commit],
    [begin, read(2, 90), pay(2, "5"), commit],
    [begin, read(1, 70), pay(1, "69"), commit],
  ];
  assert.match(learnt(calls).join(), /SET balance = balance - :balance WHERE/);
});

test("an amount that is always the same is the limit that it stands for, with a fraction as without", () => {
  const holds = (id: number, balance: string): Sent => ({
    ...read(id, 0),
    rows: [[String(id), balance]],
  });
  const calls = [
    [begin, holds(1, "10.5"), pay(1, "5.0"), commit],
    [begin, holds(2, "9.25"), pay(2, "5.0"), commit],
    [begin, holds(1, "8"), pay(1, "5.0"), commit],
    [begin, holds(2, "4.25"), rollback],
    [begin, holds(1, "3"), rollback],
  ];
  assert.match(learnt(calls).join(), /\\if :s1_balance >= 5\n/);
});

test("columns are the same in capitals, and behind the letters of their tables", () => {
  const call = (district: number, count: number): Call => [
    begin,
    {
      sql: `SELECT C_CNT, C_D_ID FROM customer WHERE C_D_ID = 1 AND C_NAME = 'n${String(district)}'`,
      columns: ["c_cnt", "c_d_id"],
      rows: [[String(count), "1"]],
    },
    {
      sql: `UPDATE customer SET C_CNT = ${String(count + 2 * district)} WHERE C_D_ID = 1`,
      affected: 1,
    },
    { sql: "INSERT INTO history (H_D_ID) VALUES (1)", affected: 1 },
    commit,
  ];
  assert.match(
    learnt([call(1, 5), call(2, 7), call(4, 6)]).join(),
    /UPDATE customer SET C_CNT = \(:s1_c_cnt \+ :c_cnt_change\) WHERE C_D_ID = :s1_c_d_id;\nINSERT INTO history \(H_D_ID\) VALUES \(:c_d_id\)/,
  );
});

test("what a run does many times is a loop, also where the number never differs", () => {
  const call = (first: number): Call => [
    begin,
    ...[1, 2, 3, 4].map((at) => write(at, first * 100 + at)),
    commit,
  ];
  const [text = ""] = learnt([call(1), call(2), call(3)]);
  assert.match(
    text,
    /a loop from "update account" on had 4 rounds in the runs; one round is followed/,
  );
  assert.equal(text.split("UPDATE").length, 2);
});

test("amounts of single precision are computed with as others", () => {
  const call = (balance: string, amount: string, rest: string): Call => [
    begin,
    { sql: `INSERT INTO history (amount) VALUES (${amount})`, affected: 1 },
    { ...read(1, 0), rows: [["1", balance]] },
    { sql: `UPDATE account SET balance = ${rest} WHERE id = 1`, affected: 1 },
    commit,
  ];
  const calls = [
    call("-10", "1308.699951171875", "-1318.699951171875"),
    call("-1318.6999511718750", "4886.43017578125", "-6205.130126953125"),
    call("70.3", "0.1", "70.199999999999999"),
  ];
  assert.match(learnt(calls).join(), /SET balance = \(:s2_balance - :amount\) WHERE/);
});

test("an amount that is taken by adding its negative is that amount, here and where it is put", () => {
  const add = (id: number, amount: number): Sent => ({
    sql: "UPDATE account SET balance = balance + $1 WHERE id = $2",
    given: [String(amount), String(id)],
    affected: 1,
  });
  const calls = [
    [begin, read(1, 100), add(1, -70), add(2, 70), commit],
    [begin, read(2, 90), add(2, -5), add(3, 5), commit],
    [begin, read(3, 70), add(3, -69), add(1, 69), commit],
    [begin, read(1, 1), rollback],
    [begin, read(2, 2), rollback],
  ];
  assert.deepEqual(learnt(calls), [
    `-- @isolens transaction work
-- @isolens learnt 5 runs
-- @isolens over "s1_balance >= balance" fits the 3 runs that went on; of those that did not, balance was not seen
BEGIN;
SELECT id, balance FROM account WHERE id = :id \\gset s1_
\\if :s1_balance >= :balance
UPDATE account SET balance = balance - :balance WHERE id = :s1_id;
UPDATE account SET balance = balance + :balance WHERE id = :id2;
\\endif
COMMIT;`,
  ]);
});

test("two amounts that are taken at once", () => {
  const calls = [
    [100, 7],
    [90, 20],
    [1, 8],
    [33, 2],
  ].map(([one = 0, two = 0], at) => [
    begin,
    read(at + 1, one),
    read(at + 11, two),
    {
      sql: "UPDATE account SET balance = balance + $1 WHERE id = $2",
      given: [String(-one - two), String(at + 1)],
      affected: 1,
    },
    commit,
  ]);
  assert.match(
    learnt(calls)[0] ?? "",
    /balance = balance \+ \(- :s2_balance - :s1_balance\) WHERE/,
  );
});

test("runs that gave up for lack of a row are told apart from those that gave up by a comparison", () => {
  const book = (taken: number, beds: number | undefined, end: readonly Sent[]): readonly Sent[] => [
    begin,
    {
      sql: "SELECT count(*) AS n FROM booking WHERE room = 4",
      columns: ["n"],
      rows: [[String(taken)]],
    },
    {
      sql: "SELECT beds FROM room WHERE id = 4",
      columns: ["beds"],
      rows: beds === undefined ? [] : [[String(beds)]],
    },
    ...end,
  ];
  const insert: Sent = { sql: "INSERT INTO booking (room) VALUES (4)", affected: 1 };
  const [text = ""] = learnt([
    book(0, 2, [insert, commit]),
    book(1, 2, [insert, commit]),
    book(2, 5, [insert, commit]),
    book(1, 1, [commit]),
    book(0, undefined, [commit]),
  ]);
  assert.match(text, /^\\if :n2 > 0 AND :s2_beds > :s1_n$/m);
  assert.doesNotMatch(text, /@isolens over .*fit/);
});

test("two arguments that overlap and are never the same are taken to differ", () => {
  const move = (from: number, to: number): readonly Sent[] => [
    begin,
    { sql: "UPDATE account SET balance = 0 WHERE id = $1", given: [String(from)], affected: 1 },
    { sql: "UPDATE account SET balance = 9 WHERE id = $1", given: [String(to)], affected: 1 },
    commit,
  ];
  const pairs = [1, 2, 3].flatMap((from) => [1, 2, 3].map((to) => [from, to] as const));
  const some = [...pairs, ...pairs].map(([from, to]) => move(from, to));
  assert.doesNotMatch(learnt(some).join(), /differ/);
  const others = [...pairs, ...pairs, ...pairs].filter(([from, to]) => from !== to);
  const [text = ""] = learnt(others.map(([from, to]) => move(from, to)));
  assert.match(text, /over id and id2 differed in all 18 runs; they are taken to differ always/);
  assert.match(text, /WHERE id = :id;\n\\if :id <> :id2\nUPDATE/);
});
