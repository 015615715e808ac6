// The largest number and one, then an insertion.
import type { Transaction } from "kysely";
import { db, type Database } from "./database";

type Table = "invoices" | "receipts";

export async function issueInvoice(customerId: number) {
  await db.transaction().execute((trx) => addNumbered(trx, "invoices", customerId));
}

export async function issueInvoiceLocked(customerId: number) {
  await db.transaction().execute(async (trx) => {
    await trx
      .selectFrom("customers")
      .select("id")
      .where("id", "=", customerId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await addNumbered(trx, "invoices", customerId);
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  await db
    .transaction()
    .setIsolationLevel("serializable")
    .execute((trx) => addNumbered(trx, "invoices", customerId));
}

export async function issueReceipt(customerId: number) {
  await db.transaction().execute((trx) => addNumbered(trx, "receipts", customerId));
}

async function addNumbered(trx: Transaction<Database>, table: Table, customerId: number) {
  const { last } = await trx
    .selectFrom(table)
    .select(({ fn }) => fn.max("number").as("last"))
    .where("customer_id", "=", customerId)
    .executeTakeFirstOrThrow();
  await trx
    .insertInto(table)
    .values({ customer_id: customerId, number: (last ?? 0) + 1 })
    .execute();
}
