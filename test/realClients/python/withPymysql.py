"""Drivers of MySQL by the DB-API: PyMySQL, mysqlclient, mysql-connector, as the third argument says."""
import datetime
import decimal
import importlib
import sys
from steps import ADDRESS, PORT, code_of, step

NAME = sys.argv[3]
if NAME == "mysql.connector":
    import mysql.connector

    connect = lambda **more: mysql.connector.connect(**ADDRESS, use_pure=True, **more)
elif NAME == "MySQLdb":
    import MySQLdb

    connect = lambda **more: MySQLdb.connect(host="127.0.0.1", port=PORT, user="app", password="secret", database="app", charset="utf8mb4", **more)
else:
    import pymysql

    connect = lambda **more: pymysql.connect(**ADDRESS, **more)
c = connect()
k = c.cursor()


def rows(text, values=None):
    k.execute(text, values)
    return list(k.fetchall())


COLUMNS = "n decimal(10,3), ts datetime(6), d date, t time(6), b varbinary(300), bl blob, s varchar(40), f double, i8 bigint, i2 smallint"
VALUES = [decimal.Decimal("12.345"), datetime.datetime(2024, 2, 29, 12, 34, 56, 789), datetime.date(2024, 2, 29), datetime.timedelta(hours=1, seconds=2, microseconds=3), bytes(range(256)), bytes(range(255, -1, -1)), "héllo 世界😀 '\\\"", 1.5, 2**62, -7]
step("schema", lambda: (k.execute("drop table if exists py"), k.execute(f"create table py (id int auto_increment primary key, {COLUMNS})"))[0] and None)
names = [each.split()[0] for each in COLUMNS.split(", ")]
step("insert", lambda: (k.execute(f"insert into py ({', '.join(names)}) values ({', '.join(['%s'] * len(names))})", VALUES), k.lastrowid, c.commit())[1])
step("select", lambda: [left == right for left, right in zip(rows(f"select {', '.join(names)} from py")[0], VALUES)])
step("description", lambda: [(each[0], each[1]) for each in k.description])
step("lengths", lambda: rows("select length(b), hex(b) = hex(bl), length(s), char_length(s) from py"))
step("executemany", lambda: (k.executemany("insert into py (s, i8) values (%s, %s)", [(f"r{at}", at) for at in range(300)]), c.commit(), rows("select count(*), sum(i8) from py where s like 'r%'"))[2])
step("rollback", lambda: (k.execute("delete from py"), c.rollback(), rows("select count(*) from py"))[2])
step("error", lambda: rows("insert into py (id) values (1)"))
step("no table", lambda: rows("select * from nothing"))
step("ping", lambda: c.ping() and None)
step("autocommit", lambda: (c.autocommit(True) if callable(getattr(c, "autocommit", None)) else setattr(c, "autocommit", True), rows("select @@autocommit"))[1])
step("json", lambda: rows("select json_extract('{\"a\": [1, 2]}', '$.a[1]')"))
if NAME == "mysql.connector":

    def prepared():
        cursor = c.cursor(prepared=True)
        cursor.execute("select b, s, n, ts from py where id = %s", (1,))
        return [left == right for left, right in zip(cursor.fetchone(), [VALUES[4], VALUES[6], VALUES[0], VALUES[1]])]

    step("prepared", prepared)
    step("reset", lambda: c.cmd_reset_connection() and None)
    step("change user", lambda: c.cmd_change_user("app", "secret", "app") and None)


def procedure():
    k.execute("drop procedure if exists py_add")
    k.execute("create procedure py_add(in a int, in b int) begin select a + b as total; insert into py (s) values ('from procedure'); end")
    k.callproc("py_add", (1, 2))
    if NAME == "mysql.connector":
        found = [list(each.fetchall()) for each in k.stored_results()]
    else:
        found = [list(k.fetchall())]
        while k.nextset():
            pass
    return [found, rows("select count(*) from py where s = 'from procedure'")]


step("procedure", procedure)
