// The largest number and one, then an insertion.
import type { Knex } from "knex";
import { db } from "./database";

export async function issueInvoice(customerId: number) {
  await db.transaction((trx) => addNumbered(trx, "invoices", customerId));
}

export async function issueInvoiceLocked(customerId: number) {
  await db.transaction(async (trx) => {
    await trx("customers").where({ id: customerId }).forUpdate().first();
    await addNumbered(trx, "invoices", customerId);
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  await db.transaction((trx) => addNumbered(trx, "invoices", customerId), {
    isolationLevel: "serializable",
  });
}

export async function issueReceipt(customerId: number) {
  await db.transaction((trx) => addNumbered(trx, "receipts", customerId));
}

async function addNumbered(trx: Knex.Transaction, table: string, customerId: number) {
  const row = await trx(table).where("customer_id", customerId).max("number as last").first();
  await trx(table).insert({ customer_id: customerId, number: (row?.last ?? 0) + 1 });
}
