// Routines and triggers of MySQL and MariaDB as the store carries them out; what is expected is MariaDB's answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAUSE } from "../../../server/src/sqlstore/compile/slices";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow, type SqlResult } from "../../../server/src/sqlstore/session";
import { failure } from "../../../server/src/sqlstore/sqlError";
import { wireText } from "../../../server/src/sqlstore/values/format";

/** Runs texts one after the other: the rows of all results of each, or its error. */
function answers(texts: readonly string[]): readonly unknown[] {
  const database = createDatabase({ dialect: "mariadb" });
  const store = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0,
    rule: "current",
  });
  return texts.map((text) => {
    const outcome = runNow(session.execute(text), store.answer);
    if (!outcome.ok) {
      const { number, mysqlState, message } = outcome.error;
      return `${String(number)} ${mysqlState} ${message}`;
    }
    return outcome.results.flatMap((each) => [...(each.sets ?? []), each]).flatMap(shownRows);
  });
}

function shownRows({ columns, rows }: SqlResult): readonly string[] {
  return rows.map((row) =>
    row.map((value, at) => wireText(value, columns[at]?.type ?? "text") ?? "NULL").join(),
  );
}

const ACCOUNTS = `create table account (id int primary key auto_increment, owner varchar(20), balance int not null);
insert into account (owner, balance) values ('ann', 100), ('bob', 50), ('cat', 7);
create table log (at int primary key auto_increment, what varchar(50), n int)`;

const CASES: readonly (readonly [
  name: string,
  texts: readonly string[],
  expected: readonly unknown[],
])[] = [
  [
    "a procedure with variables, SIGNAL and an OUT parameter",
    [
      `create procedure transfer(in source int, in target int, in amount int, out rest int)
       begin
         declare b int;
         select balance into b from account where id = source for update;
         if b < amount then signal sqlstate '45000' set message_text = 'not enough'; end if;
         update account set balance = balance - amount where id = source;
         update account set balance = balance + amount where id = target;
         select balance into rest from account where id = source;
       end`,
      "call transfer(1, 2, 30, @rest)",
      "select @rest + 1",
      "call transfer(1, 2, 300, @rest)",
      "call transfer(1)",
      "call nothing()",
    ],
    [
      [],
      [],
      ["71"],
      "1644 45000 not enough",
      "1318 42000 Incorrect number of arguments for PROCEDURE app.transfer; expected 4, got 1",
      "1305 42000 PROCEDURE app.nothing does not exist",
    ],
  ],
  [
    "results of a procedure, and its loops",
    [
      `create procedure loops()
       begin
         declare i, s int default 0;
         l: loop
           set i = i + 1;
           if i = 3 then iterate l; end if;
           if i > 6 then leave l; end if;
           set s = s + i;
         end loop l;
         while i > 0 do set i = i - 1; set s = s + 1; end while;
         repeat set s = s + 10; set i = i + 1; until i >= 3 end repeat;
         select owner from account where id < i order by id;
         select i, s;
       end`,
      "call loops()",
    ],
    [[], ["ann", "bob", "3,55"]],
  ],
  [
    "a cursor, and handlers for its end and for errors",
    [
      `create procedure saw()
       begin
         declare done int default false;
         declare o varchar(20);
         declare b, total int default 0;
         declare c cursor for select owner, balance from account order by id;
         declare continue handler for not found set done = true;
         open c;
         r: loop
           fetch c into o, b;
           if done then leave r; end if;
           set total = total + b;
         end loop;
         close c;
         select total;
       end`,
      "call saw()",
      `create procedure once()
       begin
         declare exit handler for 1062 select 'duplicate';
         insert into account (id, balance) values (1, 1);
         select 'not reached';
       end`,
      "call once()",
      `create procedure inner_first()
       begin
         declare m varchar(100);
         declare no_row condition for sqlstate '45001';
         declare continue handler for no_row set m = concat_ws(',', m, 'named');
         declare continue handler for sqlexception set m = concat_ws(',', m, 'any');
         signal no_row;
         select x from nothing;
         begin
           declare exit handler for sqlstate '23000' set m = concat_ws(',', m, 'inner');
           insert into account (id, balance) values (1, 1);
           set m = 'not reached';
         end;
         select m;
       end`,
      "call inner_first()",
      "create procedure past() begin declare x int; declare c cursor for select id from account where id > 9; open c; fetch c into x; end",
      "call past()",
    ],
    [
      [],
      ["157"],
      [],
      ["duplicate"],
      [],
      ["named,any,inner"],
      [],
      "1329 02000 No data - zero rows fetched, selected, or processed",
    ],
  ],
  [
    "a procedure's transaction, rolled back by its handler, and statements that commit one by one",
    [
      `create procedure tx()
       begin
         declare exit handler for sqlexception begin rollback; resignal; end;
         start transaction;
         insert into log (what) values ('in');
         insert into account (id, balance) values (1, 1);
         commit;
       end`,
      "call tx()",
      "create procedure alone() begin insert into log (what) values ('alone'); insert into account (id, balance) values (1, 1); end",
      "call alone()",
      "select what from log",
    ],
    [
      [],
      "1062 23000 Duplicate entry '1' for key 'PRIMARY'",
      [],
      "1062 23000 Duplicate entry '1' for key 'PRIMARY'",
      ["alone"],
    ],
  ],
  [
    "functions in queries, whose variables hide columns",
    [
      `create function grade(balance int) returns varchar(10) deterministic
       begin
         case when balance > 60 then return 'big'; when balance > 10 then return 'mid'; else return 'small'; end case;
       end`,
      "select owner, grade(balance) from account order by id",
      "create function total() returns int begin declare t int; select sum(balance) into t from account; return t; end",
      "select owner from account where balance > total() / 4 order by id",
      "create function open_end(x int) returns int begin if x > 0 then return 1; end if; end",
      "select open_end(0)",
      "drop function grade",
      "select grade(1)",
    ],
    [
      [],
      ["ann,big", "bob,mid", "cat,small"],
      [],
      ["ann", "bob"],
      [],
      "1321 2F005 FUNCTION open_end ended without RETURN",
      [],
      "1305 42000 FUNCTION app.grade does not exist",
    ],
  ],
  [
    "triggers before and after changes of rows",
    [
      `create trigger bi before insert on account for each row
       begin
         if new.balance < 0 then signal sqlstate '45000' set message_text = 'negative', mysql_errno = 5000; end if;
         set new.owner = upper(new.owner);
       end`,
      "create trigger ai after insert on account for each row insert into log (what, n) values (concat('new ', new.owner), new.balance)",
      "create trigger au after update on account for each row insert into log (what, n) values (concat(old.balance, ' to ', new.balance), new.id)",
      "create trigger ad after delete on account for each row insert into log (what, n) values (concat('gone ', old.owner), old.id)",
      "insert into account (owner, balance) values ('dan', 5)",
      "select last_insert_id()",
      "insert into account (owner, balance) values ('eve', -5)",
      "update account set balance = balance + 1 where id < 3",
      "delete from account where id = 3",
      "select what, n from log order by at",
      "create trigger bi before insert on account for each row set new.balance = 1",
      "drop trigger bi",
      "drop trigger bi",
    ],
    [
      [],
      [],
      [],
      [],
      [],
      ["4"],
      "5000 45000 negative",
      [],
      [],
      ["new DAN,5", "100 to 101,1", "50 to 51,2", "gone cat,3"],
      "1359 HY000 Trigger 'bi' already exists",
      [],
      "1360 HY000 Trigger does not exist",
    ],
  ],
  [
    "routines that call others, and statements that are made as texts",
    [
      "create procedure nest(inout n int) begin if n < 3 then set n = n + 1; call nest(n); end if; end",
      "set @n = 0",
      "call nest(@n)",
      "select @n",
      "create procedure counted(t varchar(20)) begin set @q = concat('select count(*) from ', t); prepare s from @q; execute s; deallocate prepare s; end",
      "call counted('account')",
    ],
    [[], [], [], ["3"], [], ["3"]],
  ],
];

for (const [name, texts, expected] of CASES)
  test(name, () => {
    assert.deepEqual(answers([ACCOUNTS, ...texts]).slice(1), expected);
  });

test("a cancel is for no handler", () => {
  const database = createDatabase({ dialect: "mariadb" });
  const store = createMemoryStore();
  const session = createSqlSession(database, {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0,
    rule: "current",
    isDue: () => true,
  });
  const routine = `create procedure stubborn() begin
    declare continue handler for sqlexception, 1317 set @caught = 1; loop select 1; end loop; end`;
  runNow(session.execute(routine), store.answer);
  const steps = session.execute("call stubborn()");
  const untilPause = (from: ReturnType<typeof steps.next>): typeof from => {
    let step = from;
    while (step.done !== true && step.value !== PAUSE) step = steps.next(store.answer(step.value));
    return step;
  };
  untilPause(steps.next());
  const end = untilPause(steps.throw(failure("canceled", "canceled")));
  assert.ok(end.done === true && !end.value.ok);
  assert.equal(end.value.error.number, 1317);
});
