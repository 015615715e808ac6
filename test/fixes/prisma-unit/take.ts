// Stock is read, compared and written back, each by itself.
import { prisma } from "./client";

export async function take(id: number, amount: number) {
  const item = await prisma.item.findUniqueOrThrow({ where: { id } });
  if (item.stock < amount) throw new Error("there is not enough");
  await prisma.item.update({ where: { id }, data: { stock: item.stock - amount } });
}
