//! Five races, and five that are correct, over tokio-postgres.
use tokio_postgres::{Client, Error, IsolationLevel, Transaction};

pub enum Failure {
    Refused,
    Server(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Server(error)
    }
}

pub type Done = Result<(), Failure>;

async fn debit(client: &mut Client, select: &str, id: i32, amount: i32) -> Done {
    let tx = client.transaction().await?;
    let balance: i32 = tx.query_one(select, &[&id]).await?.get(0);
    if balance < amount {
        return Err(Failure::Refused);
    }
    tx.execute("UPDATE account SET balance = $1 WHERE id = $2", &[&(balance - amount), &id]).await?;
    Ok(tx.commit().await?)
}

pub async fn withdraw(client: &mut Client, id: i32, amount: i32) -> Done {
    debit(client, "SELECT balance FROM account WHERE id = $1", id, amount).await
}

pub async fn withdraw_locked(client: &mut Client, id: i32, amount: i32) -> Done {
    debit(client, "SELECT balance FROM account WHERE id = $1 FOR UPDATE", id, amount).await
}

pub async fn book(client: &mut Client, id: i32, who: &str) -> Done {
    let tx = client.transaction().await?;
    let capacity: i32 = tx.query_one("SELECT capacity FROM event WHERE id = $1", &[&id]).await?.get(0);
    let taken: i64 = tx.query_one("SELECT count(*) FROM booking WHERE event_id = $1", &[&id]).await?.get(0);
    if taken >= i64::from(capacity) {
        return Err(Failure::Refused);
    }
    tx.execute("INSERT INTO booking (event_id, who) VALUES ($1, $2)", &[&id, &who]).await?;
    Ok(tx.commit().await?)
}

pub async fn redeem(client: &mut Client, code: &str) -> Done {
    let tx = client.transaction().await?;
    let row = tx.query_one("SELECT id, used, max_uses FROM coupon WHERE code = $1", &[&code]).await?;
    let (id, used, most): (i32, i32, i32) = (row.get(0), row.get(1), row.get(2));
    if used >= most {
        return Err(Failure::Refused);
    }
    tx.execute("UPDATE coupon SET used = $1 WHERE id = $2", &[&(used + 1), &id]).await?;
    Ok(tx.commit().await?)
}

pub async fn redeem_in_place(client: &mut Client, code: &str) -> Done {
    let free = "UPDATE coupon SET used = used + 1 WHERE code = $1 AND used < max_uses";
    match client.execute(free, &[&code]).await? {
        0 => Err(Failure::Refused),
        _ => Ok(()),
    }
}

async fn leave(tx: Transaction<'_>, table: &str, id: i32) -> Done {
    let left: i64 = tx.query_one(&format!("SELECT count(*) FROM {table} WHERE on_call"), &[]).await?.get(0);
    if left < 2 {
        return Err(Failure::Refused);
    }
    tx.execute(&format!("UPDATE {table} SET on_call = false WHERE id = $1"), &[&id]).await?;
    Ok(tx.commit().await?)
}

pub async fn go_off_call(client: &mut Client, id: i32) -> Done {
    leave(client.transaction().await?, "doctor", id).await
}

pub async fn go_off_call_serializable(client: &mut Client, id: i32) -> Done {
    let level = IsolationLevel::Serializable;
    let tx = client.build_transaction().isolation_level(level).start().await?;
    leave(tx, "nurse", id).await
}

pub async fn issue_ticket(client: &mut Client, holder: &str) -> Done {
    let tx = client.transaction().await?;
    let last: i32 = tx.query_one("SELECT coalesce(max(number), 0) AS last FROM ticket", &[]).await?.get(0);
    tx.execute("INSERT INTO ticket (number, holder) VALUES ($1, $2)", &[&(last + 1), &holder]).await?;
    Ok(tx.commit().await?)
}

pub async fn take_seat(client: &mut Client, number: i32, holder: &str) -> Done {
    let insert = "INSERT INTO seat (number, holder) VALUES ($1, $2)";
    client.execute(insert, &[&number, &holder]).await.map_err(|_| Failure::Refused)?;
    Ok(())
}

pub async fn edit_document(client: &mut Client, id: i32, body: &str) -> Done {
    let tx = client.transaction().await?;
    let version: i32 = tx.query_one("SELECT version FROM document WHERE id = $1", &[&id]).await?.get(0);
    let edit = "UPDATE document SET body = $1, version = $2 WHERE id = $3 AND version = $4";
    if tx.execute(edit, &[&body, &(version + 1), &id, &version]).await? == 0 {
        return Err(Failure::Refused);
    }
    Ok(tx.commit().await?)
}
