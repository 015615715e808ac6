//! sqlx: pools, migrations, typed rows, transactions and errors on both products.
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use clients::{port, product, step};
use futures_util::TryStreamExt;
use sqlx::{migrate::Migrator, mysql::MySqlPoolOptions, postgres::PgPoolOptions, Acquire, Connection, Error, Executor, Row};
use std::path::Path;

fn code(error: &Error) -> String {
    match error {
        Error::Database(told) => format!("{:?} {:?} {:?}", told.code().map(|each| each.into_owned()), told.kind(), told.constraint()),
        Error::RowNotFound => "no row".to_string(),
        Error::ColumnDecode { .. } => "decode".to_string(),
        Error::Migrate(_) => "migrate".to_string(),
        other => format!("{other:?}").split(|each: char| !each.is_alphanumeric()).next().unwrap_or("").to_string(),
    }
}

fn migrate_code(error: &sqlx::migrate::MigrateError) -> String {
    use sqlx::migrate::MigrateError::{Execute, ExecuteMigration, VersionMissing, VersionMismatch};
    match error {
        Execute(inner) | ExecuteMigration(inner, _) => code(inner),
        VersionMismatch(version) => format!("changed {version}"),
        VersionMissing(version) => format!("missing {version}"),
        other => format!("{other:?}").split(|each: char| !each.is_alphanumeric()).next().unwrap_or("").to_string(),
    }
}

/// The same steps for both products; `$p` turns numbered parameters into what the product takes.
macro_rules! steps {
    ($pool:expr, $p:expr, $schema:expr, $db:ty) => {{
        let pool = $pool;
        let p = $p;
        step("schema", code, async { for each in $schema { pool.execute(each).await?; } Ok(()) }).await;
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let moment = NaiveDateTime::new(day, NaiveTime::from_hms_micro_opt(12, 34, 56, 789_000).unwrap());
        let insert = p("insert into sx (s, i, b, d, f, y, dt, ts, j) values (?, ?, ?, ?, ?, ?, ?, ?, ?)");
        step("insert", code, async {
            let done = sqlx::query(&insert).bind("hé世'").bind(9_000_000_000i64).bind(true)
                .bind("12.50".parse::<sqlx::types::BigDecimal>().unwrap()).bind(2.25f64).bind(vec![0u8, 255, 65])
                .bind(day).bind(moment).bind(serde_json::json!({"x": [1, null]})).execute(&pool).await?;
            Ok(done.rows_affected())
        }).await;
        step("select", code, async {
            let row = sqlx::query("select * from sx where id = 1").fetch_one(&pool).await?;
            Ok((row.try_get::<i32, _>("id")?, row.try_get::<String, _>("s")?, row.try_get::<i64, _>("i")?, row.try_get::<bool, _>("b")?, row.try_get::<sqlx::types::BigDecimal, _>("d")?.to_string(), row.try_get::<f64, _>("f")?, row.try_get::<Vec<u8>, _>("y")?, row.try_get::<NaiveDate, _>("dt")?, row.try_get::<NaiveDateTime, _>("ts")?, row.try_get::<serde_json::Value, _>("j")?))
        }).await;
        step("describe", code, async {
            let told = pool.describe("select id, s, i, d, f, y, ts from sx").await?;
            use sqlx::{Column, TypeInfo};
            Ok(told.columns.iter().enumerate().map(|(at, each)| (each.name().to_string(), each.type_info().name().to_string(), told.nullable(at))).collect::<Vec<_>>())
        }).await;
        let one = p("select i from sx where s = ?");
        step("scalar", code, async { sqlx::query_scalar::<$db, i64>(&one).bind("hé世'").fetch_one(&pool).await }).await;
        step("no row", code, async { sqlx::query_scalar::<$db, i64>(&one).bind("nobody").fetch_one(&pool).await }).await;
        step("null", code, async { sqlx::query_scalar::<$db, Option<i64>>("select i from sx where i is null").fetch_optional(&pool).await }).await;
        let short = p("insert into sx (s, i) values (?, ?)");
        step("transaction", code, async {
            let mut transaction = pool.begin().await?;
            for at in 0..20i64 { sqlx::query(&short).bind(format!("n{at}")).bind(at).execute(&mut *transaction).await?; }
            let mut inner = transaction.begin().await?;
            let failed = sqlx::query(&short).bind("n1").bind(1i64).execute(&mut *inner).await.err().map(|error| code(&error));
            inner.rollback().await?;
            transaction.commit().await?;
            Ok((failed, sqlx::query_scalar::<$db, i64>("select count(*) from sx").fetch_one(&pool).await?))
        }).await;
        step("dropped transaction", code, async {
            { let mut transaction = pool.begin().await?; sqlx::query("delete from sx").execute(&mut *transaction).await?; }
            sqlx::query_scalar::<$db, i64>("select count(*) from sx").fetch_one(&pool).await
        }).await;
        step("stream", code, async {
            let mut rows = sqlx::query("select i from sx where i < 5 order by i").fetch(&pool);
            let mut all = Vec::new();
            while let Some(row) = rows.try_next().await? { all.push(row.try_get::<i64, _>(0)?); }
            Ok(all)
        }).await;
        step("builder", code, async {
            let mut builder = sqlx::QueryBuilder::<$db>::new("insert into sx (s, i) ");
            builder.push_values(0..3i64, |mut each, at| { each.push_bind(format!("b{at}")).push_bind(at); });
            Ok(builder.build().execute(&pool).await?.rows_affected())
        }).await;
        for (name, text) in [
            ("duplicate", "insert into sx (s) values ('n1')"),
            ("not null", "insert into sx (s) values (null)"),
            ("foreign key", "insert into sx_entry (id, sx) values (1, 9999)"),
            ("check", "insert into sx (s, f) values ('bad', -1)"),
            ("no table", "select * from nothing"),
            ("no column", "select nothing from sx"),
            ("syntax", "selec 1"),
        ] {
            step(name, code, async { Ok(sqlx::query(text).execute(&pool).await?.rows_affected()) }).await;
        }
        let folder = std::env::temp_dir().join(format!("isolens-sqlx-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("1_first.sql"), "create table sx_made (id int primary key, v varchar(10) not null default 'x');\ninsert into sx_made (id) values (1), (2);").unwrap();
        std::fs::write(folder.join("2_second.sql"), "alter table sx_made add column w int;\nupdate sx_made set w = id * 2;").unwrap();
        for run in ["migrate", "migrate again"] {
            step(run, migrate_code, async { Migrator::new(Path::new(&folder)).await?.run(&pool).await }).await;
        }
        step("migrated", code, async { sqlx::query_scalar::<$db, i32>("select w from sx_made where id = 2").fetch_one(&pool).await }).await;
        std::fs::write(folder.join("2_second.sql"), "select 1;").unwrap();
        step("changed migration", migrate_code, async { Migrator::new(Path::new(&folder)).await?.run(&pool).await }).await;
        std::fs::remove_dir_all(&folder).unwrap();
        step("applied", code, async {
            Ok(sqlx::query("select version, description, success from _sqlx_migrations order by version").fetch_all(&pool).await?.iter().map(|row| (row.get::<i64, _>(0), row.get::<String, _>(1), row.get::<bool, _>(2))).collect::<Vec<_>>())
        }).await;
        step("ping", code, async { pool.acquire().await?.ping().await }).await;
        step("fifty", code, async {
            let all = (0..50).map(|_| sqlx::query_scalar::<$db, i64>("select count(*) from sx where i < 5").fetch_one(&pool));
            Ok(futures_util::future::try_join_all(all).await?.into_iter().collect::<std::collections::BTreeSet<_>>())
        }).await;
    }};
}

fn numbered(text: &str) -> String {
    let mut at = 0;
    text.chars().map(|each| if each == '?' { at += 1; format!("${at}") } else { each.to_string() }).collect()
}

#[tokio::main]
async fn main() {
    if product() == "postgres" {
        let pool = PgPoolOptions::new().max_connections(10).connect(&format!("postgres://app:secret@127.0.0.1:{}/app?sslmode=disable", port())).await.expect("no connection");
        steps!(pool, numbered, [
            "drop table if exists sx_entry, sx, sx_made, _sqlx_migrations",
            "create table sx (id serial primary key, s varchar(40) not null constraint sx_s unique, i bigint, b boolean, d numeric(10,2), f double precision constraint sx_f check (f > 0), y bytea, dt date, ts timestamp, j jsonb)",
            "create table sx_entry (id int primary key, sx int not null constraint sx_ref references sx (id))",
        ], sqlx::Postgres);
    } else {
        let pool = MySqlPoolOptions::new().max_connections(10).connect(&format!("mysql://app:secret@127.0.0.1:{}/app?ssl-mode=disabled", port())).await.expect("no connection");
        steps!(pool, |text: &str| text.to_string(), [
            "drop table if exists sx_entry, sx, sx_made, _sqlx_migrations",
            "create table sx (id int auto_increment primary key, s varchar(40) not null, i bigint, b boolean, d decimal(10,2), f double, y blob, dt date, ts datetime(6), j json, unique key sx_s (s), constraint sx_f check (f > 0))",
            "create table sx_entry (id int primary key, sx int not null, constraint sx_ref foreign key (sx) references sx (id))",
        ], sqlx::MySql);
    }
}
