//! tokio-postgres: types in binary form, pipelines, portals, COPY, notifications, cancel, errors.
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use clients::{port, step};
use futures_util::{pin_mut, SinkExt, StreamExt, TryStreamExt};
use std::time::Duration;
use tokio_postgres::{types::Type, AsyncMessage, Client, Config, Error, IsolationLevel, NoTls, SimpleQueryMessage};

fn code(error: &Error) -> String {
    error.code().map_or_else(|| "client".to_string(), |known| known.code().to_string())
}

fn config() -> Config {
    let mut config = Config::new();
    config.host("127.0.0.1").port(port()).user("app").password("secret").dbname("app");
    config
}

async fn connect() -> Client {
    let (client, connection) = config().connect(NoTls).await.expect("no connection");
    tokio::spawn(connection);
    client
}

#[tokio::main]
async fn main() {
    let mut client = connect().await;
    step("schema", code, client.batch_execute(
        "drop table if exists rs_entry; drop table if exists rs;
         create table rs (id serial primary key, s varchar(40) not null unique, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, b bool, y bytea, d date, t time, ts timestamp, tz timestamptz, u uuid, j jsonb, a int4[], ta text[]);
         create table rs_entry (id int generated always as identity primary key, rs int not null references rs (id) on delete cascade, note text)")).await;
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let time = NaiveTime::from_hms_micro_opt(12, 34, 56, 789_000).unwrap();
    let moment = NaiveDateTime::new(day, time);
    let instant = DateTime::<Utc>::from_naive_utc_and_offset(moment, Utc);
    let id = uuid::Uuid::from_u128(7);
    step("insert", code, client.execute(
        "insert into rs (s, i2, i4, i8, f4, f8, b, y, d, t, ts, tz, u, j, a, ta) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        &[&"hé世'", &7i16, &-8i32, &9_000_000_000i64, &1.5f32, &2.25f64, &true, &&[0u8, 255, 65][..], &day, &time, &moment, &instant, &id, &serde_json::json!({"x": [1, null]}), &vec![Some(1i32), None], &vec!["a", "b,\""]])).await;
    step("select", code, async {
        let row = client.query_one("select * from rs where s = $1", &[&"hé世'"]).await?;
        Ok((
            (row.get::<_, i32>(0), row.get::<_, String>(1), row.get::<_, i16>(2), row.get::<_, i32>(3), row.get::<_, i64>(4), row.get::<_, f32>(5), row.get::<_, f64>(6), row.get::<_, bool>(7)),
            (row.get::<_, Vec<u8>>(8), row.get::<_, NaiveDate>(9), row.get::<_, NaiveTime>(10), row.get::<_, NaiveDateTime>(11), row.get::<_, DateTime<Utc>>(12), row.get::<_, uuid::Uuid>(13)),
            (row.get::<_, serde_json::Value>(14), row.get::<_, Vec<Option<i32>>>(15), row.get::<_, Vec<String>>(16)),
        ))
    }).await;
    step("columns", code, async {
        let statement = client.prepare("select id, s, ts, a from rs where i4 = $1 and u = any ($2)").await?;
        let columns: Vec<_> = statement.columns().iter().map(|each| (each.name().to_string(), each.type_().name().to_string())).collect();
        let parameters: Vec<_> = statement.params().iter().map(|each| each.name().to_string()).collect();
        Ok((columns, parameters))
    }).await;
    step("typed", code, async {
        let statement = client.prepare_typed("select $1 + 1", &[Type::INT8]).await?;
        Ok(client.query_one(&statement, &[&41i64]).await?.get::<_, i64>(0))
    }).await;
    step("enum and domain", code, async {
        client.batch_execute("drop table if exists rs_kind; drop type if exists rs_mood; drop domain if exists rs_positive; create type rs_mood as enum ('sad', 'ok'); create domain rs_positive as int check (value > 0); create table rs_kind (m rs_mood, p rs_positive, c rs[])").await?;
        let statement = client.prepare("insert into rs_kind (m, p) values ($1, $2) returning m, p").await?;
        Ok(statement.columns().iter().map(|each| format!("{:?}", each.type_().kind())).map(|text| text.split('(').next().unwrap_or("").to_string()).collect::<Vec<_>>())
    }).await;
    step("pipeline", code, async {
        let statement = client.prepare("insert into rs (s, i4) values ($1, $2)").await?;
        let all = (0..20).map(|at| { let (client, statement) = (&client, &statement); async move { client.execute(statement, &[&format!("p{at}"), &at]).await } });
        let counts = futures_util::future::try_join_all(all).await?;
        Ok(counts.iter().sum::<u64>())
    }).await;
    step("raw rows", code, async {
        let rows = client.query_raw("select i4 from rs where i4 >= $1 order by i4 limit 3", &[&0i32]).await?;
        pin_mut!(rows);
        let mut all = Vec::new();
        while let Some(row) = rows.try_next().await? { all.push(row.get::<_, i32>(0)); }
        Ok(all)
    }).await;
    step("simple query", code, async {
        let all = client.simple_query("select 1 as a, null as b; update rs set i2 = 1 where i4 < 3; select 'x'").await?;
        Ok(all.iter().map(|each| match each {
            SimpleQueryMessage::Row(row) => format!("row {:?} {:?}", row.get(0), row.len()),
            SimpleQueryMessage::CommandComplete(count) => format!("done {count}"),
            _ => "other".to_string(),
        }).collect::<Vec<_>>())
    }).await;
    step("portal", code, async {
        let transaction = client.transaction().await?;
        let portal = transaction.bind("select i4 from rs where i4 is not null order by i4", &[]).await?;
        let mut sizes = Vec::new();
        for _ in 0..4 { sizes.push(transaction.query_portal(&portal, 8).await?.len()); }
        transaction.commit().await?;
        Ok(sizes)
    }).await;
    step("copy in", code, async {
        let sink = client.copy_in("copy rs (s, i4) from stdin with csv").await?;
        pin_mut!(sink);
        sink.send(Bytes::from_static(b"c1,1\nc2,\n")).await?;
        sink.finish().await
    }).await;
    step("copy out", code, async {
        let stream = client.copy_out("copy (select s, i4 from rs where s like 'c%' order by s) to stdout").await?;
        let parts: Vec<Bytes> = stream.try_collect().await?;
        Ok(parts.iter().map(|each| String::from_utf8_lossy(each).into_owned()).collect::<String>())
    }).await;
    step("copy binary", code, async {
        let stream = client.copy_out("copy (select 1::int4, 'x'::text, null::int4) to stdout (format binary)").await?;
        let parts: Vec<Bytes> = stream.try_collect().await?;
        Ok(parts.concat())
    }).await;
    step("savepoint", code, async {
        let mut transaction = client.transaction().await?;
        let point = transaction.savepoint("one").await?;
        let failed = point.execute("insert into rs (s) values ('p1')", &[]).await.err().map(|error| code(&error));
        point.rollback().await?;
        let count = transaction.execute("update rs set i4 = 100 where s = 'p1'", &[]).await?;
        transaction.commit().await?;
        Ok((failed, count))
    }).await;
    step("levels", code, async {
        let transaction = client.build_transaction().isolation_level(IsolationLevel::Serializable).read_only(true).deferrable(true).start().await?;
        let level: String = transaction.query_one("show transaction_isolation", &[]).await?.get(0);
        let failed = transaction.execute("delete from rs", &[]).await.err().map(|error| code(&error));
        transaction.rollback().await?;
        Ok((level, failed))
    }).await;
    for (name, text) in [
        ("duplicate", "insert into rs (s) values ('p1')"),
        ("not null", "insert into rs (s) values (null)"),
        ("foreign key", "insert into rs_entry (rs) values (9999)"),
        ("no table", "select * from nothing"),
        ("no column", "select nothing from rs"),
        ("syntax", "selec 1"),
        ("always", "insert into rs_entry (id, rs) values (1, 1)"),
        ("division", "select 1 / 0"),
    ] {
        step(name, code, client.execute(text, &[])).await;
    }
    step("error fields", code, async {
        let error = client.execute("insert into rs (s) values ('p1')", &[]).await.unwrap_err();
        let told = error.as_db_error().unwrap();
        Ok::<_, Error>((told.severity().to_string(), told.message().to_string(), told.detail().map(str::to_string), told.table().map(str::to_string), told.constraint().map(str::to_string), told.schema().map(str::to_string)))
    }).await;
    step("cancel", code, async {
        let token = client.cancel_token();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let _ = token.cancel_query(NoTls).await;
        });
        client.query("select pg_sleep(20)", &[]).await.map(|rows| rows.len())
    }).await;
    step("notify", code, async {
        let (listener, mut connection) = config().connect(NoTls).await?;
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut messages = futures_util::stream::poll_fn(move |context| connection.poll_message(context));
            while let Some(Ok(message)) = messages.next().await {
                let told = match message {
                    AsyncMessage::Notification(each) => format!("{} {}", each.channel(), each.payload()),
                    AsyncMessage::Notice(each) => format!("notice {}", each.code().code()),
                    _ => continue,
                };
                if sender.send(told).is_err() { break; }
            }
        });
        listener.batch_execute("listen news; do $$ begin raise notice 'hear'; end $$").await?;
        client.batch_execute("notify news, 'hello'").await?;
        Ok((receiver.recv().await, receiver.recv().await))
    }).await;
    step("lock timeout", code, async {
        let mut other = connect().await;
        other.batch_execute("set lock_timeout = '200ms'").await?;
        let transaction = client.transaction().await?;
        transaction.execute("update rs set i4 = 5 where s = 'p2'", &[]).await?;
        let failed = other.execute("update rs set i4 = 6 where s = 'p2'", &[]).await.err().map(|error| code(&error));
        transaction.rollback().await?;
        let waiting = other.transaction().await?;
        let count = waiting.execute("update rs set i4 = 6 where s = 'p2'", &[]).await?;
        waiting.commit().await?;
        Ok((failed, count))
    }).await;
    step("conflict", code, async {
        let mut other = connect().await;
        let one = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).start().await?;
        one.query("select i4 from rs where s = 'p3'", &[]).await?;
        let two = other.transaction().await?;
        two.execute("update rs set i4 = i4 + 1 where s = 'p3'", &[]).await?;
        two.commit().await?;
        let count = one.execute("update rs set i4 = i4 + 1 where s = 'p3'", &[]).await;
        one.rollback().await?;
        count
    }).await;
    step("hundred connections", code, async {
        let all = futures_util::future::join_all((0..100).map(|_| connect())).await;
        let counts = futures_util::future::try_join_all(all.iter().map(|each| each.query_one("select count(*) from rs where i4 < 5", &[]))).await?;
        Ok(counts.iter().map(|row| row.get::<_, i64>(0)).collect::<std::collections::BTreeSet<_>>())
    }).await;
}
