// PL/pgSQL as the store carries it out, and the statements about the session; what is expected is PostgreSQL's answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";
import { wireText } from "../../../server/src/sqlstore/values/format";

/** Runs texts one after the other: the rows of each as texts, or the SQLSTATE that it failed with. */
async function answers(texts: readonly string[]): Promise<readonly unknown[]> {
  const database = createDatabase({ dialect: "postgres", parser: await loadPgParser() });
  const store = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0,
    rule: "recheck",
  });
  return texts.map((text) => {
    const outcome = runNow(session.execute(text), store.answer);
    if (!outcome.ok) return outcome.error.code;
    const last = outcome.results.at(-1);
    const rows = (last?.rows ?? []).map((row) =>
      row.map((value, at) => wireText(value, last?.columns[at]?.type ?? "text")),
    );
    const notices = last?.notices?.map(({ message }) => message) ?? [];
    return notices.length > 0 ? notices : rows;
  });
}

const ACCOUNTS =
  "create table account (id int primary key, balance int not null check (balance >= 0)); insert into account values (1, 100), (2, 0)";

const TRANSFER = `create function transfer(source int, target int, amount int) returns int language plpgsql as $$
declare rest int;
begin
  update account set balance = balance - amount where id = source returning balance into rest;
  if not found then raise exception 'no account %', source using errcode = 'P0002'; end if;
  update account set balance = balance + amount where id = target;
  return rest;
exception when check_violation then
  raise notice 'only % there', (select balance from account where id = source);
  return -1;
end $$`;

const LOG = `create table log (at serial, what text, id int, balance int);
create function note() returns trigger language plpgsql as $$
begin
  insert into log (what, id, balance) values (tg_op, coalesce(new.id, old.id), new.balance);
  return null;
end $$;
create trigger noted after insert or update or delete on account for each row execute function note()`;

const CASES: readonly (readonly [
  name: string,
  texts: readonly string[],
  expected: readonly unknown[],
])[] = [
  [
    "a function in FROM that changes rows and gives one in a parameter, as Sequelize's findOrCreate makes it",
    [
      ACCOUNTS,
      `create function pg_temp.made(out response account, out caught text) returns record as $$
       begin insert into account values (3, 7) returning * into response;
       exception when unique_violation then get stacked diagnostics caught = pg_exception_detail; end $$ language plpgsql`,
      "select (made.response).id, (made.response).balance, made.caught from pg_temp.made()",
      "select (made.response).id, made.caught from pg_temp.made()",
      "select count(a.*) from account a",
    ],
    [[], [], [["3", "7", null]], [[null, "Key (id)=(3) already exists."]], [["3"]]],
  ],
  [
    "a block with variables, loops and an error that is handled",
    [
      ACCOUNTS,
      `do $$ declare n int := 0; r record; begin
        for i in 1..3 loop n := n + i; end loop;
        for r in select id, balance from account order by id loop n := n + r.balance; end loop;
        begin insert into account values (1, 1); exception when unique_violation then n := n + 1000; end;
        raise notice 'n is %', n; end $$`,
    ],
    [[], ["n is 1106"]],
  ],
  [
    "a function that changes rows, and takes back what an error undoes",
    [
      ACCOUNTS,
      TRANSFER,
      "select transfer(1, 2, 30)",
      "select transfer(1, 2, 500)",
      "select transfer(9, 2, 1)",
      "select id, balance from account order by id",
    ],
    [
      [],
      [],
      [["70"]],
      ["only 70 there"],
      "P0002",
      [
        ["1", "70"],
        ["2", "30"],
      ],
    ],
  ],
  [
    "a function inside of a query",
    [
      ACCOUNTS,
      "create function twice(x int) returns int language sql immutable as $$ select x * 2 $$",
      "select id, twice(balance) + 1 from account order by id",
      "create function above(lowest int) returns table (number int) language plpgsql as $$ begin return query select id from account where balance > lowest; end $$",
      "select number from above(10)",
      "drop function twice(int)",
      "select twice(1)",
    ],
    [
      [],
      [],
      [
        ["1", "201"],
        ["2", "1"],
      ],
      [],
      [["1"]],
      [],
      "42883",
    ],
  ],
  [
    "triggers before and after the change of a row",
    [
      ACCOUNTS,
      LOG,
      "create function even() returns trigger language plpgsql as $$ begin new.balance := new.balance / 2 * 2; if new.id < 0 then return null; end if; return new; end $$",
      "create trigger even before insert or update on account for each row execute function even()",
      "insert into account values (3, 7), (-1, 1)",
      "update account set balance = 9 where id = 3",
      "delete from account where id = 3",
      "select what, id, balance from log order by at",
      "drop trigger noted on account",
      "drop trigger noted on account",
    ],
    [
      ...[[], [], [], [], [], [], []],
      [
        ["INSERT", "3", "6"],
        ["UPDATE", "3", "8"],
        ["DELETE", "3", null],
      ],
      [],
      "42704",
    ],
  ],
  [
    "a procedure with a parameter that goes out",
    [
      ACCOUNTS,
      "create procedure fill(n int, out total int) language plpgsql as $$ begin for i in 1..n loop insert into account values (100 + i, i); end loop; select count(*) into total from account; end $$",
      "call fill(3, null)",
    ],
    [[], [], [["5"]]],
  ],
  [
    "what an inner block assigns to outer names stays, and its own names end with it",
    [
      ACCOUNTS,
      `create function f() returns text language plpgsql as $$ declare r record; x int := 1;
begin
  declare x int := x + 1; begin
    select id, balance into r from account where id = 1;
    x := x + 5;
    perform 1 from account where id = 99;
  end;
  return concat_ws(',', x, r.balance, found);
end $$`,
      "select f()",
    ],
    [[], [], [["1,100,f"]]],
  ],
  [
    "the variable of a loop over numbers ends with it; FOUND says whether there was a round",
    [
      ACCOUNTS,
      `create function f() returns text language plpgsql as $$ declare i int := 7; told text := '';
begin
  for i in 1..2 loop told := told || i; end loop;
  told := told || found || i;
  for i in 2..1 loop null; end loop;
  told := told || found;
  perform 1 from account;
  execute 'select 1 from account where id = 99';
  return told || found;
end $$`,
      "select f()",
    ],
    [[], [], [["12true7falsetrue"]]],
  ],
  [
    "a loop up to NULL",
    [
      ACCOUNTS,
      `create function f() returns text language plpgsql as $$ begin for i in 1..null loop null; end loop; return ''; end $$`,
      "select f()",
    ],
    [[], [], "22004"],
  ],
  [
    "the options of RAISE are told by their places",
    [
      ACCOUNTS,
      `create function f() returns text language plpgsql as $$ begin
  raise exception 'using % = x', 1 using detail = 'hint = a, message = b', errcode = concat('P0', '009');
exception when sqlstate 'P0009' then return sqlerrm; end $$`,
      "select f()",
    ],
    [[], [], [["using 1 = x"]]],
  ],
  [
    "prepared statements",
    ["prepare one (int) as select $1 + 1", "execute one(41)", "deallocate one", "execute one(1)"],
    [[], [["42"]], [], "26000"],
  ],
  [
    "cursors, which end with their transaction unless they are held",
    [
      "begin; declare c cursor for select g from generate_series(1, 5) g",
      "fetch 2 from c",
      "move 1 in c",
      "fetch all from c",
      "fetch backward 2 from c",
      "commit",
      "fetch c",
      "declare h cursor with hold for select 1",
      "fetch h",
    ],
    [[], [["1"], ["2"]], [], [["4"], ["5"]], [["5"], ["4"]], [], "34000", [], [["1"]]],
  ],
  [
    "tables made of queries",
    [ACCOUNTS, "create table copied as select * from account where id = 1", "table copied"],
    [[], [], [["1", "100"]]],
  ],
  [
    "a table to which others refer",
    [ACCOUNTS, "create table entry (account int references account)", "drop table account"],
    [[], [], "2BP01"],
  ],
];

for (const [name, texts, expected] of CASES)
  test(name, async () => {
    assert.deepEqual(await answers(texts), expected);
  });
