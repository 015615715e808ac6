// The largest number and one, then an insertion.
import { Prisma } from "@prisma/client";
import { prisma } from "./client";

export async function issueInvoice(customerId: number) {
  return prisma.$transaction(async (tx) => {
    const last = await tx.invoice.aggregate({ where: { customerId }, _max: { number: true } });
    return tx.invoice.create({ data: { customerId, number: (last._max.number ?? 0) + 1 } });
  });
}

export async function issueInvoiceLocked(customerId: number) {
  return prisma.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM "Customer" WHERE id = ${customerId} FOR UPDATE`;
    const last = await tx.invoice.aggregate({ where: { customerId }, _max: { number: true } });
    return tx.invoice.create({ data: { customerId, number: (last._max.number ?? 0) + 1 } });
  });
}

export async function issueInvoiceSerializable(customerId: number) {
  return prisma.$transaction(
    async (tx) => {
      const last = await tx.invoice.findFirst({
        where: { customerId },
        orderBy: { number: "desc" },
        select: { number: true },
      });
      return tx.invoice.create({ data: { customerId, number: (last?.number ?? 0) + 1 } });
    },
    { isolationLevel: Prisma.TransactionIsolationLevel.Serializable },
  );
}

export async function issueReceipt(customerId: number) {
  return prisma.$transaction(async (tx) => {
    const last = await tx.receipt.aggregate({ where: { customerId }, _max: { number: true } });
    return tx.receipt.create({ data: { customerId, number: (last._max.number ?? 0) + 1 } });
  });
}
