#!/bin/sh
# The command line clients of MariaDB and MySQL, named by the third argument. Arguments: PRODUCT PORT PROGRAM.
PORT=$2
ask() { printf '%s\t' "$1"; "$PROGRAM" --no-defaults --skip-ssl -h 127.0.0.1 -P "$PORT" -u app -psecret app -e "$2" 2>&1 | tr '\n\t' '| '; echo; }
PROGRAM=$3
ask schema 'drop table if exists kid; drop table if exists parent; create table parent (id int auto_increment primary key, name varchar(20) not null unique, d decimal(10,2) default 1.5) engine=InnoDB; create table kid (id int auto_increment primary key, parent int, constraint kid_fk foreign key (parent) references parent (id) on delete cascade, key kid_parent (parent))'
ask insert "insert into parent (name) values ('a'), ('b'); select * from parent; select last_insert_id()"
ask select 'select p.name, count(k.id) as n from parent p left join kid k on k.parent = p.id group by p.name order by 1'
ask error "insert into parent (name) values ('a')"
ask replace "replace into parent (id, name) values (1, 'c'); insert into parent (name) values ('c') on duplicate key update d = d + 1; select * from parent order by id"
ask 'show tables' 'show tables'
ask describe 'describe kid'
ask 'show index' 'show index from nothing'
ask variables "select @@autocommit, @@tx_isolation; set session transaction isolation level serializable; select @@tx_isolation"
ask unknown 'select @@no_such_variable'
script() { printf '%s\t' "$1"; "$PROGRAM" --no-defaults --skip-ssl -h 127.0.0.1 -P "$PORT" -u app -psecret app 2>&1 | tr '\n\t' '| '; echo; }
script procedure <<'END'
drop procedure if exists fill;
delimiter //
create procedure fill(in n int, out total int) begin declare i int default 0; while i < n do insert into kid (parent) values (2); set i = i + 1; end while; select count(*) into total from kid; end//
delimiter ;
call fill(3, @total); select @total; drop procedure fill;
END
ask function "drop function if exists twice; create function twice(x int) returns int deterministic return x * 2; select twice(21); drop function twice"
ask trigger "create table log (what varchar(20)); create trigger noted before insert on kid for each row insert into log values (concat('kid ', new.parent)); insert into kid (parent) values (2); select * from log; drop trigger noted; drop table log"
script handler <<'END'
drop procedure if exists safe;
delimiter //
create procedure safe() begin declare exit handler for 1062 select 'duplicate' as answer; insert into parent (name) values ('c'); select 'inserted' as answer; end//
delimiter ;
call safe(); drop procedure safe;
END
ask signal "drop procedure if exists loud; create procedure loud() signal sqlstate '45000' set message_text = 'no'; call loud(); drop procedure loud"
ask 'table as' 'create table copied as select * from parent; select count(*) from copied; drop table copied'
ask 'table like' 'create table copied like parent; show columns from copied like "name"; drop table copied'
ask temporary 'create temporary table t (a int); insert into t values (1); select * from t; drop temporary table t'
ask alter "create table changing (a int); alter table changing add column b varchar(10) not null default 'x' after a, add unique key a_key (a); alter table changing change b c varchar(20), modify a bigint; alter table changing drop index a_key, rename to changed; insert into changed values (1, 'y'); select * from changed; drop table changed"
ask prepare "prepare s from 'select ? + 1 as x'; set @a = 41; execute s using @a; deallocate prepare s"
ask lock "select get_lock('x', 1), is_free_lock('x'), release_lock('x')"
ask 'lock tables' 'lock tables parent write; insert into parent (name) values ("locked"); unlock tables'
ask transaction 'start transaction with consistent snapshot; savepoint a; delete from kid; rollback to savepoint a; commit; select count(*) > 0 from kid'
ask 'read only' "start transaction read only; insert into parent (name) values ('never')"
ask handlers 'select if(1, 2, 3), ifnull(null, 4), coalesce(null, 5), concat_ws(",", 1, null, 2), group_concat(name order by name) from parent'
ask dates "select date_format('2024-02-29 12:34:56', '%Y/%m/%d %H:%i:%s'), datediff('2024-03-01', '2024-02-28'), date_add('2024-01-31', interval 1 month), str_to_date('29.2.2024', '%d.%m.%Y')"
ask explain 'explain select 1'
ask truncate 'truncate kid; insert into kid (parent) values (2); select id from kid'
ask 'information schema' "select column_name, column_type, is_nullable, column_key, extra from information_schema.columns where table_schema = 'app' and table_name = 'parent' order by ordinal_position"
ask 'create table' 'show create table nothing'
ask databases "show databases like 'app'"
ask warnings "select 1/0; show warnings"
