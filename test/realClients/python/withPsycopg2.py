"""psycopg2: simple queries, named cursors, COPY, helpers for many rows."""
import io
import psycopg2
import psycopg2.extras
from steps import ADDRESS, COLUMNS, EXPRESSIONS, VALUES, step

psycopg2.extras.register_uuid()
DSN = f"host=127.0.0.1 port={ADDRESS['port']} user=app password=secret dbname=app"
c = psycopg2.connect(DSN)
c.autocommit = True
k = c.cursor()


def rows(text, values=None):
    k.execute(text, values)
    return k.fetchall()


step("schema", lambda: (k.execute("drop table if exists p2"), k.execute(f"create table p2 (id serial primary key, {COLUMNS})"))[0])
names, values = list(VALUES), list(VALUES.values())
step("insert", lambda: rows(f"insert into p2 ({', '.join(names)}) values ({', '.join(['%s'] * len(names))}) returning id", values))
step("select", lambda: [(bytes(left) if isinstance(left, memoryview) else left) == right for left, right in zip(rows(f"select {', '.join(names)} from p2")[0], values)])
for each in EXPRESSIONS:
    step(each, lambda: rows(f"select {each}"))
step("execute_values", lambda: (psycopg2.extras.execute_values(k, "insert into p2 (s, i8) values %s", [(f"r{at}", at) for at in range(300)]), rows("select count(*), sum(i8) from p2"))[1])
step("execute_batch", lambda: psycopg2.extras.execute_batch(k, "insert into p2 (s) values (%s)", [("x",), ("y",)]))
step("copy in", lambda: (k.copy_expert("copy p2 (s, i8) from stdin with csv", io.StringIO('"a,b",1\nc,\n')), rows("select s, i8 from p2 where s in ('a,b', 'c') order by s"))[1])


def copy_out():
    into = io.StringIO()
    k.copy_to(into, "p2", columns=("s", "i8"))
    return len(into.getvalue().splitlines())


step("copy out", copy_out)


def named():
    with psycopg2.connect(DSN) as other:
        cursor = other.cursor("named")
        cursor.itersize = 10
        cursor.execute("select g from generate_series(1, 35) g")
        return sum(row[0] for row in cursor)


step("named cursor", named)
for name in ("SERIALIZABLE", "READ COMMITTED"):
    step(f"session {name}", lambda: (lambda other: (other.set_session(isolation_level=name), other.cursor().execute("select 1"), other.isolation_level, other.close())[2])(psycopg2.connect(DSN)))
step("error", lambda: rows("insert into p2 (id) values (1)"))
step("parameters", lambda: [c.get_parameter_status(each) for each in ("client_encoding", "standard_conforming_strings", "TimeZone")])
step("encoding", lambda: (c.set_client_encoding("UTF8"), c.encoding)[1])
step("dict", lambda: [dict(row) for row in (lambda d: (d.execute("select 1 as a, 'x' as b"), d.fetchall())[1])(c.cursor(cursor_factory=psycopg2.extras.RealDictCursor))])
