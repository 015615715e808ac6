"""Steps whose results are printed one a line, so that those of two servers can be compared. Arguments: PRODUCT PORT."""
import datetime
import decimal
import json
import os
import sys
import traceback
import uuid

PRODUCT, PORT = sys.argv[1], int(sys.argv[2])
IS_POSTGRES = PRODUCT == "postgres"
ADDRESS = {"host": "127.0.0.1", "port": PORT, "user": "app", "password": "secret", "database": "app"}


def plain(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "hex " + bytes(value).hex()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(str(plain(each)) for each in value)
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    return str(value)


def code_of(error):
    """The code of the server's error, wherever the library keeps it."""
    for each in (error, getattr(error, "orig", None), error.__cause__, getattr(error, "__context__", None)):
        for name in ("sqlstate", "pgcode", "errno"):
            code = getattr(each, name, None)
            if code is not None:
                return code
        if each is not None and each.args and isinstance(each.args[0], int):
            return each.args[0]
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def report(name, value):
    print(f"{name}\t{json.dumps(plain(value), ensure_ascii=False)}", flush=True)


def step(name, run):
    try:
        report(name, run())
    except Exception as error:
        report(name, {"error": code_of(error)})
        if os.environ.get("ISOLENS_CLIENTS_VERBOSE"):
            traceback.print_exc()


async def step_async(name, run):
    try:
        report(name, await run())
    except Exception as error:
        report(name, {"error": code_of(error)})
        if os.environ.get("ISOLENS_CLIENTS_VERBOSE"):
            traceback.print_exc()


VALUES = {
    "n": decimal.Decimal("12.345"),
    "ts": datetime.datetime(2024, 2, 29, 12, 34, 56, 789, tzinfo=datetime.timezone.utc),
    "d": datetime.date(2024, 2, 29),
    "t": datetime.time(1, 2, 3, 4),
    "b": b"\x00\xde\xad\xff",
    "arr": [1, 2, None],
    "ta": ["x", "y,z", None, "é", "", "NULL"],
    "u": uuid.UUID(int=5),
    "s": "héllo 世界😀 '\\\"",
    "bl": True,
    "f": 1.5,
    "i8": 2**62,
    "i2": -7,
    "iv": datetime.timedelta(days=1, hours=2, microseconds=5),
}
COLUMNS = "n numeric, ts timestamptz, d date, t time, b bytea, arr int[], ta text[], u uuid, s text, bl boolean, f float8, i8 bigint, i2 smallint, iv interval"
EXPRESSIONS = [
    "'NaN'::numeric", "1e20::numeric", "-0.0001::numeric", "'infinity'::float8", "'1 year -3 days'::interval",
    "'{1.5,NULL}'::numeric[]", "array[[1,2],[3,4]]", "row(1,'a',null)", "'[1,5)'::int4range", "'192.168.0.1/24'::inet",
    "'{\"a\": 1}'::jsonb", "'{\"a\":  1}'::json", "'10101'::varbit", "'12:00:00+02'::timetz", "null", "'x'::\"char\"", "'a'::name",
    "'2024-02-29'::date", "'epoch'::timestamptz", "true", "1::int2", "1.5::real", "'\\x00ff'::bytea", "array['a',null]::text[]", "'{}'::int[]",
]
