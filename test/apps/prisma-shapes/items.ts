// A row that is read, changed in memory and saved.
import { prisma } from "./client";

export async function restock(id: number, amount: number) {
  await prisma.$transaction(async (tx) => {
    const item = await tx.item.findUniqueOrThrow({ where: { id } });
    await tx.item.update({ where: { id }, data: { stock: item.stock + amount } });
  });
}

export async function restockAtomically(id: number, amount: number) {
  await prisma.item.update({ where: { id }, data: { stock: { increment: amount } } });
}

export async function restockVersioned(id: number, amount: number) {
  await prisma.$transaction(async (tx) => {
    const item = await tx.item.findUniqueOrThrow({ where: { id } });
    const { count } = await tx.item.updateMany({
      where: { id, version: item.version },
      data: { stock: item.stock + amount, version: { increment: 1 } },
    });
    if (count === 0) throw new Error("somebody else was faster");
  });
}
