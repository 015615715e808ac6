// The largest number and one, then an insertion.
import { Customer, dataSource, Invoice, Receipt } from "./entities";

export async function issueInvoice(customerId: number) {
  return dataSource.transaction(async (manager) => {
    const last = await manager.maximum(Invoice, "number", { customer: { id: customerId } });
    const invoice = manager.create(Invoice, {
      customer: { id: customerId },
      number: (last ?? 0) + 1,
    });
    return manager.save(invoice);
  });
}

export async function issueInvoiceLocked(customerId: number) {
  return dataSource.transaction(async (manager) => {
    await manager.findOneOrFail(Customer, {
      where: { id: customerId },
      lock: { mode: "pessimistic_write" },
    });
    const last = await manager.maximum(Invoice, "number", { customer: { id: customerId } });
    const invoice = manager.create(Invoice, {
      customer: { id: customerId },
      number: (last ?? 0) + 1,
    });
    return manager.save(invoice);
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  return dataSource.transaction("SERIALIZABLE", async (manager) => {
    const last = await manager
      .createQueryBuilder(Invoice, "invoice")
      .where("invoice.customer = :customerId", { customerId })
      .orderBy("invoice.number", "DESC")
      .limit(1)
      .getOne();
    await manager
      .getRepository(Invoice)
      .insert({ customer: { id: customerId }, number: (last?.number ?? 0) + 1 });
  });
}

export async function issueReceipt(customerId: number) {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  await runner.startTransaction();
  try {
    const receipts = runner.manager.getRepository(Receipt);
    const last = await receipts.findOne({
      where: { customer: { id: customerId } },
      order: { number: "DESC" },
    });
    await receipts.insert({ customer: { id: customerId }, number: (last?.number ?? 0) + 1 });
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
}
