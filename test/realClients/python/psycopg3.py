"""psycopg 3: text and binary, prepared statements, pipelines, COPY, server-side cursors, errors."""
import threading
import time
import psycopg
from psycopg.types.json import Jsonb
from steps import ADDRESS, COLUMNS, EXPRESSIONS, VALUES, step

DSN = f"host=127.0.0.1 port={ADDRESS['port']} user=app password=secret dbname=app"
c = psycopg.connect(DSN, autocommit=True)


def schema():
    c.execute("drop table if exists p3")
    c.execute(f"create table p3 (id serial primary key, jb jsonb, {COLUMNS}, constraint p3_f check (f < 100))")


step("schema", schema)
names, values = list(VALUES), list(VALUES.values())
for binary in (False, True):
    mark = "%b" if binary else "%s"
    text = f"insert into p3 (jb, {', '.join(names)}) values ({', '.join([mark] * (len(names) + 1))}) returning id"
    step(f"insert binary={binary}", lambda: c.execute(text, [Jsonb({"a": [1, None]}), *values]).fetchone())
    cursor = c.cursor(binary=binary)
    step(f"select binary={binary}", lambda: [left == right for left, right in zip(cursor.execute(f"select {', '.join(names)} from p3 order by id desc limit 1").fetchone(), values)])
    for each in EXPRESSIONS:
        step(f"{each} binary={binary}", lambda: [c.cursor(binary=binary).execute(f"select {each}").fetchone()])
step("prepared", lambda: [c.execute("select s from p3 where id = %s", (1,), prepare=True).fetchone()[0] for _ in range(8)][-1])
for each in ("show transaction isolation level", "show server_version_num", "show datestyle", "values (1)", "table p3 limit 0", "explain (format json) select 1"):
    step(f"prepared {each}", lambda: [[column.name for column in c.execute(each, prepare=True).description], each.startswith("explain") or each.startswith("show server") or c.execute(each, prepare=True).fetchall()])
step("executemany", lambda: c.cursor().executemany("insert into p3 (s) values (%s)", [(f"r{at}",) for at in range(300)]))
step("executemany returning", lambda: (lambda k: (k.executemany("insert into p3 (s) values (%s) returning s", [("a",), ("b",)], returning=True), k.fetchone()))(c.cursor()))


def pipeline():
    with c.pipeline():
        found = [c.execute("select %s::int", (at,)) for at in range(50)]
    return sum(each.fetchone()[0] for each in found)


step("pipeline", pipeline)


def pipeline_error():
    try:
        with c.pipeline():
            c.execute("select 1")
            c.execute("select 1/0")
            c.execute("select 2")
    except psycopg.Error as error:
        return error.sqlstate
    return None


step("pipeline error", pipeline_error)


def copy_in():
    with c.cursor().copy("copy p3 (s, i8, bl) from stdin") as copy:
        copy.write_row(("copied", 5, True))
        copy.write_row(("tab\tand\\", None, False))
    with c.cursor().copy("copy p3 (s, i8) from stdin (format binary)") as copy:
        copy.set_types(["text", "int8"])
        copy.write_row(("binary", 6))
    return c.execute("select s, i8, bl from p3 where s in ('copied', 'binary') or s like 'tab%' order by s").fetchall()


step("copy in", copy_in)


def copy_out():
    with c.cursor().copy("copy (select s, i8, bl, b, arr from p3 where i8 is not null order by id) to stdout") as copy:
        copy.set_types(["text", "int8", "bool", "bytea", "int4[]"])
        return list(copy.rows())


step("copy out", copy_out)


def copy_error():
    with c.cursor().copy("copy p3 (i8) from stdin") as copy:
        copy.write("x\n")


step("copy error", copy_error)
step("after copy error", lambda: c.execute("select 1").fetchone())


def server_cursor():
    with psycopg.connect(DSN) as other:
        with other.cursor(name="mine") as cursor:
            cursor.execute("select g from generate_series(1, 100) g")
            cursor.itersize = 30
            first = cursor.fetchmany(3)
            return [first, len(cursor.fetchall())]


step("server cursor", server_cursor)


def scroll_cursor():
    with psycopg.connect(DSN) as other:
        with other.cursor(name="mine", scrollable=True, withhold=True) as cursor:
            cursor.execute("select g from generate_series(1, 10) g")
            first = cursor.fetchmany(5)
            cursor.scroll(-3)
            return [first, cursor.fetchone()]


step("scroll cursor", scroll_cursor)


def nested():
    with psycopg.connect(DSN) as other:
        with other.transaction():
            other.execute("insert into p3 (s) values ('outer')")
            try:
                with other.transaction():
                    other.execute("insert into p3 (id) values (1)")
            except psycopg.errors.UniqueViolation as error:
                failed = [error.diag.constraint_name, error.diag.table_name, error.diag.message_detail]
        return [failed, other.execute("select count(*) from p3 where s = 'outer'").fetchone()]


step("nested", nested)


def failed():
    with psycopg.connect(DSN) as other:
        codes = []
        for text in ("select 1/0", "select 1"):
            try:
                other.execute(text)
            except psycopg.Error as error:
                codes.append(error.sqlstate)
        other.rollback()
        return codes


step("failed transaction", failed)
for name, text in (("unique", "insert into p3 (id) values (1)"), ("not null", "insert into p3 (id) values (null)"), ("check", "insert into p3 (f) values (100)"), ("text", "select 'a'::int"), ("range", "select 3000000000::int"), ("exists", "create table p3 ()"), ("column", "select zz from p3"), ("syntax", "selec 1"), ("database", "create database")):
    step(f"error {name}", lambda: c.execute(text))
step("many parameters", lambda: c.execute("select " + ", ".join(["%s"] * 1000), list(range(1000))).fetchone()[-1])
step("isolation", lambda: (lambda other: (setattr(other, "isolation_level", psycopg.IsolationLevel.SERIALIZABLE), other.execute("show transaction_isolation").fetchone(), other.close())[1])(psycopg.connect(DSN)))


def cancel():
    with psycopg.connect(DSN) as holder, psycopg.connect(DSN) as waiter:
        holder.execute("update p3 set i2 = 1 where id = 1")
        threading.Timer(0.3, waiter.cancel).start()
        started = time.time()
        try:
            waiter.execute("update p3 set i2 = 2 where id = 1")
        except psycopg.Error as error:
            return [error.sqlstate, time.time() - started < 3]
    return None


step("cancel", cancel)


def deadlock():
    ends = []

    def run(first, second):
        with psycopg.connect(DSN) as other:
            try:
                other.execute("update p3 set i2 = 1 where id = %s", (first,))
                time.sleep(0.3)
                other.execute("update p3 set i2 = 1 where id = %s", (second,))
                other.commit()
                ends.append("ok")
            except psycopg.Error as error:
                ends.append(error.sqlstate)

    threads = [threading.Thread(target=run, args=pair) for pair in ((1, 2), (2, 1))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sorted(ends)


step("deadlock", deadlock)
step("notify", lambda: (c.execute("listen n"), c.execute("select pg_notify('n', 'x')"), [(each.channel, each.payload) for each in c.notifies(timeout=0.3)])[2])
