#!/bin/sh
# psql: its own commands ask the catalogue. Arguments: PRODUCT PORT.
export PGPASSWORD=secret
run() { psql -X -q -h 127.0.0.1 -p "$2" -U app -d app -v ON_ERROR_STOP=0 -v VERBOSITY=sqlstate "$@" 2>&1; }
ask() { printf '%s\t' "$1"; psql -X -q -h 127.0.0.1 -p "$PORT" -U app -d app -v VERBOSITY=sqlstate -c "$2" 2>&1 | sed 's/^psql:<stdin>:[0-9]*: //' | tr '\n\t' '| '; echo; }
PORT=$2
ask schema 'drop table if exists kid; drop table if exists parent; create table parent (id serial primary key, name varchar(20) not null unique, d numeric(10,2) default 1.5 check (d > 0), at timestamptz default now()); create table kid (id int generated always as identity, parent int references parent on delete cascade, primary key (id)); create index kid_parent on kid (parent); create or replace view shown as select name, d from parent where d > 1'
for each in '\d parent' '\d kid' '\d shown' '\dt' '\di' '\ds' '\dv' '\dn' '\d+ parent' '\dT' '\l+ nothing' '\df nothing' '\du nothing' '\dx nothing' '\sv shown' '\dp kid'; do
  ask "$each" "$each"
done
ask insert "insert into parent (name) values ('a'), ('b') returning id, name, d"
ask select 'select p.name, count(k.*) from parent p left join kid k on k.parent = p.id group by 1 order by 1'
ask error "insert into parent (name) values ('a')"
ask explain 'explain (costs off) select 1'
ask do 'do $$ declare n int; begin select count(*) into n from parent; if n > 1 then insert into parent (name) values (n::text); end if; end $$'
ask function 'create or replace function twice(x int) returns int language sql immutable as $$ select x * 2 $$; select twice(21)'
ask plpgsql "create or replace function rename(old text, new text) returns int language plpgsql as \$\$ declare n int; begin update parent set name = new where name = old; get diagnostics n = row_count; if not found then raise exception 'no % here', old using errcode = 'P0002'; end if; return n; end \$\$; select rename('a', 'aa')"
ask raised "select rename('nobody', 'x')"
ask trigger "create table log (what text, name text); create or replace function note() returns trigger language plpgsql as \$\$ begin insert into log values (tg_op, coalesce(new.name, old.name)); return new; end \$\$; create trigger noted after insert or update or delete on parent for each row execute function note(); insert into parent (name) values ('t'); update parent set d = 3 where name = 't'; delete from parent where name = 't'; select * from log"
ask procedure "create or replace procedure fill(n int) language plpgsql as \$\$ begin for i in 1..n loop insert into log values ('fill', i::text); end loop; end \$\$; call fill(3); select count(*) from log where what = 'fill'"
ask drop 'drop trigger noted on parent; drop function note; drop procedure fill; drop table log; drop function rename; drop function twice(int)'
ask prepare 'prepare one (int) as select $1 + 1 as x; execute one(41); deallocate one'
ask cursor 'begin; declare c cursor for select g from generate_series(1, 5) g; fetch 2 from c; move 1 in c; fetch all from c; close c; commit'
ask 'table as' 'create table copied as select * from parent; select count(*) from copied; drop table copied'
ask 'select into' 'select name into copied from parent; select name from copied order by 1; drop table copied'
ask sequence "create sequence s start 10 increment 5; select nextval('s'), nextval('s'), currval('s'), setval('s', 100), nextval('s'); alter sequence s restart with 3; select nextval('s'); drop sequence s"
ask domain "create domain positive as int check (value > 0); create table dom (p positive); insert into dom values (1); insert into dom values (-1); drop table dom; drop domain positive"
ask enum "create type colour as enum ('red', 'green'); alter type colour add value 'blue' after 'red'; select 'blue'::colour < 'green'::colour; select enum_range(null::colour); drop type colour"
ask merge "create table target (id int primary key, n int); insert into target values (1, 1), (2, 2); merge into target t using (values (2, 20), (3, 30)) s(id, n) on t.id = s.id when matched then update set n = s.n when not matched then insert values (s.id, s.n); select * from target order by 1; drop table target"
ask alter "create table changing (a int); alter table changing add column b text default 'x' not null, add constraint a_key unique (a); alter table changing alter column a type bigint using a * 2, alter column b drop not null; alter table changing rename column b to c; alter table changing rename constraint a_key to a_unique; alter table changing add primary key using index a_unique; drop table changing"
ask partition "create table parts (id int, at date) partition by range (at); create table parts_2024 partition of parts for values from ('2024-01-01') to ('2025-01-01'); insert into parts values (1, '2024-05-01'); insert into parts values (2, '2023-05-01'); select * from parts; drop table parts"
ask deferred "create table one (id int primary key, other int); create table two (id int primary key, one int references one deferrable initially deferred); begin; insert into two values (1, 1); insert into one values (1, 1); commit; select count(*) from two; begin; insert into two values (2, 7); commit; drop table two; drop table one"
ask materialized 'create materialized view counted as select count(*) as n from parent; select n > 0 from counted; refresh materialized view counted; drop materialized view counted'
ask schemas 'create schema other; create table other.thing (id int); insert into other.thing values (1); set search_path to other, public; select * from thing; drop schema other cascade; reset search_path'
ask temporary 'create temp table t (a int) on commit drop; create temp table u (a int); insert into u values (1); select * from u'
ask truncate 'truncate parent restart identity cascade; insert into parent (name) values (1) returning id'
ask comment "comment on table parent is 'all'; select obj_description('parent'::regclass)"
ask grant 'grant select on parent to public; revoke all on parent from public'
ask 'rolled back' 'begin; create table never (id int); rollback; select * from never'
ask settings "set statement_timeout = '5s'; show statement_timeout; select current_setting('statement_timeout'), set_config('app.user', 'me', false), current_setting('app.user'); reset all; show statement_timeout"
ask 'catalogue' "select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid) from pg_class c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum where c.relname = 'parent' and a.attnum > 0 order by a.attnum"
ask 'information schema' "select column_name, data_type, is_nullable, column_default, character_maximum_length, numeric_precision, udt_name from information_schema.columns where table_name = 'parent' order by ordinal_position"
printf 'copy in\t'; printf '1\tx\n' | psql -X -q -h 127.0.0.1 -p "$PORT" -U app -d app -c 'create table copied (a int, b text)' -c 'copy copied from stdin' -c 'copy copied to stdout' -c 'drop table copied' 2>&1 | tr '\n\t' '| '; echo
