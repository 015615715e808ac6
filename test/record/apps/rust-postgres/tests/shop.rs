use shop::{Done, Failure};
use std::env::var;
use tokio_postgres::{Config, NoTls};

const RUNS: i32 = 12;
const SCHEMA: &str = "
DROP TABLE IF EXISTS account, event, booking, coupon, doctor, nurse, ticket, seat, document;
CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL);
CREATE TABLE event (id serial PRIMARY KEY, capacity int NOT NULL);
CREATE TABLE booking (id serial PRIMARY KEY, event_id int NOT NULL REFERENCES event, who text NOT NULL);
CREATE TABLE coupon (id serial PRIMARY KEY, code text NOT NULL UNIQUE, max_uses int NOT NULL, used int NOT NULL);
CREATE TABLE doctor (id serial PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE nurse (id serial PRIMARY KEY, on_call boolean NOT NULL);
CREATE TABLE ticket (id serial PRIMARY KEY, number int NOT NULL, holder text NOT NULL);
CREATE TABLE seat (id serial PRIMARY KEY, number int NOT NULL UNIQUE, holder text NOT NULL);
CREATE TABLE document (id serial PRIMARY KEY, body text NOT NULL, version int NOT NULL);
INSERT INTO account (balance) VALUES (300), (400), (500);
INSERT INTO event (capacity) VALUES (3), (4), (5);
INSERT INTO coupon (code, max_uses, used) VALUES ('C-1', 3, 0), ('C-2', 4, 0), ('C-3', 5, 0);
INSERT INTO doctor (on_call) SELECT true FROM generate_series(1, 9);
INSERT INTO nurse (on_call) SELECT true FROM generate_series(1, 9);
INSERT INTO document (body, version) VALUES ('', 0), ('', 3), ('', 7)";

fn is_done(result: Done) -> bool {
    match result {
        Ok(()) => true,
        Err(Failure::Refused) => false,
        Err(Failure::Server(error)) => panic!("{error}"),
    }
}

/// Calls it often with its number and two random ones.
macro_rules! often {
    ($seed:ident, |$n:ident, $id:ident, $amount:ident| $call:expr) => {{
        let mut done = 0;
        for $n in 0..RUNS {
            $seed = ($seed * 1103515245 + 12345) % 2147483648;
            let $id = 1 + (($seed >> 8) % 3) as i32;
            let $amount = 3 + (($seed >> 12) % 88) as i32;
            done += i32::from(is_done($call.await));
        }
        assert!(done > 2);
    }};
}

#[tokio::test]
#[allow(unused_variables)]
async fn everything() {
    let port: u16 = var("DB_PORT").unwrap().parse().unwrap();
    let (mut client, connection) = Config::new()
        .host(var("DB_HOST").unwrap())
        .port(port)
        .user(var("DB_USER").unwrap())
        .dbname(var("DB_NAME").unwrap())
        .connect(NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client.batch_execute(SCHEMA).await.unwrap();
    let mut seed: i64 = 7;
    let c = &mut client;
    often!(seed, |n, id, amount| shop::withdraw(c, id, amount));
    often!(seed, |n, id, amount| shop::withdraw_locked(c, id, amount));
    often!(seed, |n, id, amount| shop::book(c, id, &format!("w{n}")));
    often!(seed, |n, id, amount| shop::redeem(c, &format!("C-{id}")));
    c.execute("UPDATE coupon SET used = 0 WHERE id > 0", &[]).await.unwrap();
    often!(seed, |n, id, amount| shop::redeem_in_place(c, &format!("C-{id}")));
    often!(seed, |n, id, amount| shop::go_off_call(c, 1 + n % 9));
    often!(seed, |n, id, amount| shop::go_off_call_serializable(c, 1 + n % 9));
    often!(seed, |n, id, amount| shop::issue_ticket(c, &format!("h{n}")));
    often!(seed, |n, id, amount| shop::take_seat(c, n % 10, &format!("h{n}")));
    often!(seed, |n, id, amount| shop::edit_document(c, id, &format!("text {n}")));
}
