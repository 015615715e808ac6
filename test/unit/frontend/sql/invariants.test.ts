// Invariants: the tables that they range over, where they apply, and what they ask; or what is wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Invariant, Program } from "../../../../server/src/program/program";
import type { FileId } from "../../../../server/src/protocol/source";
import { render } from "./render";

const parsers = loadPgParser().then((pg) => ({ pg }));

const TABLES = `
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE TABLE district (d_id int PRIMARY KEY, next_id int NOT NULL);
CREATE TABLE orders (o_id int PRIMARY KEY, d_id int, c_id int, total int);`;

async function read(invariant: string): Promise<Program> {
  const text = `-- @isolens invariant ${invariant}
CREATE FUNCTION f(p int, q int) RETURNS void LANGUAGE sql AS 'UPDATE orders SET total = p WHERE o_id = q';
${TABLES}`;
  return readProgram([{ file: "a.sql" as FileId, text }], await parsers);
}

function renderInvariant({ relations, where, condition }: Invariant): string {
  const names = relations.map(({ alias, table }) =>
    alias === table ? table : `${table} ${alias}`,
  );
  return `${names.join(", ")}: ${render(where)} -> ${render(condition)}`;
}

async function check(invariant: string, ...expected: readonly string[]): Promise<void> {
  const { invariants = [], totals = [], notes, transactions } = await read(invariant);
  const preconditions = transactions.flatMap((each) => each.preconditions.map(render));
  const problems = notes.map(({ message }) =>
    message.replace("This invariant cannot be used: ", "! "),
  );
  assert.deepEqual(
    [...[...invariants, ...totals].map(renderInvariant), ...preconditions, ...problems],
    expected,
    invariant,
  );
}

test("conditions on rows", async () => {
  await check("orders.total >= 0", "orders: true -> (orders.total >= 0)");
  await check("orders.total >= 0 -- never owed", "orders: true -> (orders.total >= 0)");
  await check(
    "orders.o_id < district.next_id where orders.d_id = district.d_id",
    "orders, district: (orders.d_id = district.d_id) -> (orders.o_id < district.next_id)",
  );
  await check(
    "orders.total is not null and orders.c_id > 0",
    "orders: true -> (not (orders.total is null) and (orders.c_id > 0))",
  );
});

test("rows that exist, and rows that do not", async () => {
  await check(
    "exists (select 1 from customer c where c.id = orders.c_id)",
    "orders: true -> exists (select 1 as ?column? from customer c where ((c.id = orders.c_id)))",
  );
  await check(
    "orders.c_id in (select id from customer)",
    "orders: (true and not (orders.c_id is null)) -> exists (select customer.id as id from customer where ((true and (customer.id = orders.c_id))))",
  );
  await check(
    "orders.total = 0 or exists (select 1 from customer where id = orders.c_id)",
    "orders: (true and not (orders.total = 0)) -> exists (select 1 as ?column? from customer where ((customer.id = orders.c_id)))",
  );
  await check(
    "not exists (select 1 from orders a, orders b where a.o_id < b.o_id and a.c_id = b.c_id)",
    "orders a, orders b: (true and (((a.o_id < b.o_id) and (a.c_id = b.c_id)))) -> false",
  );
  await check(
    "not exists (select 1 from orders o join district d on o.d_id = d.d_id where o.o_id > d.next_id)",
    "orders o, district d: (true and ((o.o_id > d.next_id) and (o.d_id = d.d_id))) -> false",
  );
});

test("a condition on arguments alone is a precondition of its transaction", async () => {
  await check("p <> q", "(:p <> :q)");
  await check("p > 0 and p < q", "((:p > 0) and (:p < :q))");
});

test("what cannot be used says what to write instead", async () => {
  await check("total >= 0", '! total is not known here. Did you mean "orders.total"?');
  await check("orders.totl >= 0", '! orders.totl is not known here. Did you mean "orders.total"?');
  await check(
    "order.total >= 0",
    '! PostgreSQL cannot read this statement: syntax error at or near "order".',
  );
  await check(
    "orders.total >=",
    '! PostgreSQL cannot read this statement: syntax error at or near ")".',
  );
  await check("orders.total + 1", "! it is no condition, as account.balance >= 0 is.");
  await check(
    "orders.total > p",
    "! a condition on rows holds for every transaction and cannot mention arguments.",
  );
  await check("r > 0", '! r is not known here. Did you mean "p"?');
  await check("1 = 1", "! it names no table; write table.column, as account.balance.");
  await check(
    "exists (select 1 from orders where total < orders.c_id) or exists (select 1 from customer)",
    "! only one alternative of an OR can have a subquery.",
  );
  await check(
    "exists (select 1 from orders o, customer c where o.c_id = c.id)",
    "! EXISTS may ask for a row of one table only.",
  );
  await check(
    "orders.c_id > 0 and exists (select 1 from orders where c_id = 1)",
    "! orders.c_id is not known here. A subquery has this table as well; give that one another name.",
  );
  await check(
    "exists (select c_id from orders group by c_id)",
    "! its subquery may only have tables, inner joins and conditions.",
  );
  await check("", "@isolens invariant needs a condition, as account.balance >= 0.");
});

test("an invariant may stand anywhere, and belongs to no transaction", async () => {
  const text = `${TABLES}\n-- @isolens invariant orders.total >= 0\n/* @isolens invariant p > 0 */`;
  const program = readProgram([{ file: "a.sql" as FileId, text }], await parsers);
  assert.deepEqual(program.invariants?.map(renderInvariant), [
    "orders: true -> (orders.total >= 0)",
  ]);
  const places = program.notes.map(({ severity, source: { range } }) => [severity, range.start]);
  assert.deepEqual(places, [["error", { line: 5, character: 22 }]]);
});

test("sums and counts, of all rows or for each value of a column", async () => {
  await check(
    "sum(orders.total) <= 100",
    ": true -> ((select sum(orders.total) as sum from orders) <= 100)",
  );
  await check(
    "(select count(*) from orders) < 3",
    ": true -> ((select count(*) as count from orders) < 3)",
  );
  await check(
    "sum(orders.total) where c_id = :c and d_id = 1 >= 0",
    "orders each orders: true -> ((select sum(orders.total) as sum from orders where ((orders.c_id = each orders.c_id) and (orders.d_id = 1))) >= 0)",
  );
  await check(
    "count(orders) where d_id = :d <= district.next_id",
    "district: true -> ((select count(*) as count from orders where (orders.d_id = district.d_id)) <= district.next_id)",
  );
  await check(
    "district.next_id - 1 = max(orders.o_id) where orders.d_id = district.d_id",
    "district: true -> ((district.next_id - 1) = (select max(orders.o_id) as max from orders where (orders.d_id = district.d_id)))",
  );
  await check(
    "max(orders.o_id) - min(orders.o_id) < count(distinct orders.total) where :d = orders.d_id",
    "orders each orders: true -> (((select max(orders.o_id) as max from orders where (each orders.d_id = orders.d_id)) - (select min(orders.o_id) as min from orders where (each orders.d_id = orders.d_id))) < (select count(distinct orders.total) as count from orders where (each orders.d_id = orders.d_id)))",
  );
});

test("a sum or count that cannot be used says what is wrong, at its place", async () => {
  const at = async (invariant: string, part: string, message: string): Promise<void> => {
    const { notes } = await read(invariant);
    const [note] = notes;
    const start = "-- @isolens invariant ".length + invariant.indexOf(part);
    assert.equal(note?.message, `This invariant cannot be used: ${message}`, invariant);
    const { range } = note.source;
    assert.deepEqual([range.start.character, range.end.character], [start, start + part.length]);
  };
  await at("sum(orders.totl) >= 0", "totl", 'orders.totl is not known here. Did you mean "orders.total"?'); // prettier-ignore
  await at("sum(orders.total) where cid = :c >= 0", "cid", 'cid is not known here. Did you mean "orders.c_id"?'); // prettier-ignore
  await at("sum(total) >= 0", "sum(total)", "a sum or count needs its table, as sum(account.balance) and count(booking)."); // prettier-ignore
  await at(
    "count(orders)",
    "count(orders)",
    "it compares its sum or count with nothing; write >= 0 behind it, say.",
  );
  await at("count(orders) >= :n", ":n", ":n is compared with no column; write where o_id = :n.");
  await at(
    "count(orders) where c_id = 1 <= sum(district.next_id)",
    " c_id = 1 ",
    "its WHERE may be about orders or district; write each sum as (select sum(...) from ... where ...).",
  );
});
