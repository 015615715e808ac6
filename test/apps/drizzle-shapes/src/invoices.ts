// The largest number and one, then an insertion.
import { desc, eq, max } from "drizzle-orm";
import { db, type Transaction } from "./client";
import { customers, invoices, receipts } from "./schema";

export async function issueInvoice(customerId: number) {
  return db.transaction(async (tx) => addInvoice(tx, customerId));
}

export async function issueInvoiceLocked(customerId: number) {
  return db.transaction(async (tx) => {
    await tx.select().from(customers).where(eq(customers.id, customerId)).for("update");
    return addInvoice(tx, customerId);
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  return db.transaction(
    async (tx) => {
      const [last] = await tx
        .select({ number: invoices.number })
        .from(invoices)
        .where(eq(invoices.customerId, customerId))
        .orderBy(desc(invoices.number))
        .limit(1);
      await tx.insert(invoices).values({ customerId, number: (last?.number ?? 0) + 1 });
    },
    { isolationLevel: "serializable" },
  );
}

export async function issueReceipt(customerId: number) {
  return db.transaction(async (tx) => {
    const [{ last }] = await tx
      .select({ last: max(receipts.number) })
      .from(receipts)
      .where(eq(receipts.customerId, customerId));
    await tx.insert(receipts).values({ customerId, number: (last ?? 0) + 1 });
  });
}

async function addInvoice(tx: Transaction, customerId: number) {
  const [{ last }] = await tx
    .select({ last: max(invoices.number) })
    .from(invoices)
    .where(eq(invoices.customerId, customerId));
  const [invoice] = await tx
    .insert(invoices)
    .values({ customerId, number: (last ?? 0) + 1 })
    .returning();
  return invoice;
}
