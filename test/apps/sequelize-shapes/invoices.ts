// The largest number and one, then an insertion.
import { Transaction } from "sequelize";
import { Customer, Invoice, Receipt, sequelize } from "./models";

export async function issueInvoice(customerId: number) {
  return sequelize.transaction(async (transaction) => {
    const last: number = await Invoice.max("number", { where: { customerId }, transaction });
    return Invoice.create({ customerId, number: (last ?? 0) + 1 }, { transaction });
  });
}

export async function issueInvoiceLocked(customerId: number) {
  return sequelize.transaction(async (transaction) => {
    await Customer.findByPk(customerId, {
      transaction,
      lock: transaction.LOCK.UPDATE,
      rejectOnEmpty: true,
    });
    const last: number = await Invoice.max("number", { where: { customerId }, transaction });
    return Invoice.create({ customerId, number: (last ?? 0) + 1 }, { transaction });
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  const isolationLevel = Transaction.ISOLATION_LEVELS.SERIALIZABLE;
  return sequelize.transaction({ isolationLevel }, async (transaction) => {
    const last = await Invoice.findOne({
      where: { customerId },
      order: [["number", "DESC"]],
      transaction,
    });
    return Invoice.create({ customerId, number: (last?.number ?? 0) + 1 }, { transaction });
  });
}

export async function issueReceipt(customerId: number) {
  const transaction = await sequelize.transaction();
  try {
    const last: number = await Receipt.max("number", { where: { customerId }, transaction });
    await Receipt.create({ customerId, number: (last ?? 0) + 1 }, { transaction });
    await transaction.commit();
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
