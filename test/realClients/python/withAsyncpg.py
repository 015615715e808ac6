"""asyncpg: binary formats only, types looked up in the catalogue, cursors, COPY, pools."""
import asyncio
import asyncpg
from steps import ADDRESS, COLUMNS, EXPRESSIONS, VALUES, code_of, step_async


async def main():
    c = await asyncpg.connect(**ADDRESS)

    async def schema():
        await c.execute("drop table if exists ap; drop type if exists ap_kind; create type ap_kind as enum ('x', 'y')")
        await c.execute(f"create table ap (id serial primary key, jb jsonb, k ap_kind, ks ap_kind[], {COLUMNS})")

    await step_async("schema", schema)
    names, values = list(VALUES), list(VALUES.values())
    marks = ", ".join(f"${at + 4}" for at in range(len(names)))
    await step_async("insert", lambda: c.fetchval(f"insert into ap (jb, k, ks, {', '.join(names)}) values ($1, $2, $3, {marks}) returning id", '{"a": 1}', "x", ["x", "y"], *values))

    async def select():
        row = await c.fetchrow("select * from ap")
        return [[row["jb"], row["k"], row["ks"]], [row[name] == value for name, value in VALUES.items()]]

    await step_async("select", select)
    for each in EXPRESSIONS:
        await step_async(each, lambda: c.fetch(f"select {each} as x"))
    await step_async("any", lambda: c.fetch("select id from ap where id = any($1::int[])", [1, 2]))

    async def many():
        await c.executemany("insert into ap (s) values ($1)", [(f"r{at}",) for at in range(300)])
        return await c.fetchval("select count(*) from ap")

    await step_async("executemany", many)

    async def cursor():
        async with c.transaction():
            return len([row async for row in c.cursor("select id from ap", prefetch=50)])

    await step_async("cursor", cursor)

    async def copy():
        first = await c.copy_records_to_table("ap", records=[("z", 1), ("zz", None)], columns=["s", "i8"])
        return [first, await c.fetch("select s, i8 from ap where s like 'z%' order by s")]

    await step_async("copy in", copy)

    async def copy_out():
        chunks = []

        async def take(data):
            chunks.append(data)

        await c.copy_from_query("select s, i8 from ap where s like 'z%' order by s", output=take, format="csv")
        return b"".join(chunks)

    await step_async("copy out", copy_out)

    async def nested():
        async with c.transaction(isolation="serializable"):
            try:
                async with c.transaction():
                    await c.execute("insert into ap (id) values (1)")
            except asyncpg.UniqueViolationError as error:
                return [error.constraint_name, error.table_name, error.column_name]

    await step_async("nested", nested)

    async def pool():
        async with asyncpg.create_pool(**ADDRESS, min_size=2, max_size=5) as pool:
            return sum(await asyncio.gather(*(pool.fetchval("select $1::int", at) for at in range(50))))

    await step_async("pool", pool)

    async def timeout():
        other = await asyncpg.connect(**ADDRESS)
        try:
            async with c.transaction():
                await c.execute("update ap set i2 = 1 where id = 1")
                try:
                    await other.execute("update ap set i2 = 2 where id = 1", timeout=0.3)
                except (asyncio.TimeoutError, asyncpg.PostgresError) as error:
                    return type(error).__name__
        finally:
            await other.close()

    await step_async("timeout", timeout)
    await step_async("error", lambda: c.execute("select * from nothing"))

    async def listen():
        heard = []
        await c.add_listener("news", lambda _c, _pid, channel, payload: heard.append((channel, payload)))
        await c.execute("notify news, 'x'")
        await asyncio.sleep(0.2)
        return heard

    await step_async("listen", listen)
    await step_async("reset", lambda: c.reset())
    await step_async("composite", lambda: c.fetchrow("select a from ap a where id = 1"))
    await c.close()


asyncio.run(main())
