// Stock is read on another connection than that of the transaction.
import { prisma } from "./client";

export async function take(id: number, amount: number) {
  await prisma.$transaction(async (tx) => {
    const item = await prisma.item.findUniqueOrThrow({ where: { id } });
    if (item.stock < amount) throw new Error("there is not enough");
    await tx.item.update({ where: { id }, data: { stock: item.stock - amount } });
  });
}
