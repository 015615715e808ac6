// A voucher is used once: a date that is there, or not, decides.
import { PrismaClient } from "@prisma/client";

const prisma = new PrismaClient();

/** Pays what a voucher is worth, once. */
export async function redeem(code: string, walletId: number) {
  return prisma.$transaction(async (tx) => {
    const voucher = await tx.voucher.findUnique({ where: { code } });
    if (!voucher) throw new Error("unknown");
    if (voucher.usedAt) throw new Error("used");
    await tx.voucher.update({ where: { id: voucher.id }, data: { usedAt: new Date() } });
    await tx.wallet.update({ where: { id: walletId }, data: { cents: { increment: voucher.cents } } });
  });
}
