// Stock is read, compared and written back.
import { prisma } from "./client";

export async function take(id: number, amount: number) {
  await prisma.$transaction(async (tx) => {
    const item = await tx.item.findUniqueOrThrow({ where: { id } });
    if (item.stock < amount) throw new Error("there is not enough");
    await tx.item.update({ where: { id }, data: { stock: item.stock - amount } });
  });
}
